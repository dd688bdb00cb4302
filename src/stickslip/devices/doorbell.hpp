#pragma once

namespace stickslip {

/// One thread rings, without waiting; another sleeps until then or for a while.
class Doorbell {
 public:
  Doorbell();
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;
  ~Doorbell();

  void ring();
  /// True where it rang since the last call.
  bool wait(double seconds);
  /// Can be read while it rings.
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace stickslip
