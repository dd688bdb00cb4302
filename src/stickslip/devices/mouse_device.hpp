#pragma once

#include <cstdint>
#include <memory>

#include "stickslip/haptics/loop/newest.hpp"
#include "stickslip/haptics/models/device.hpp"
#include "stickslip/math/pose.hpp"

namespace stickslip {

/// A device led by a pointer on a screen, which shows forces instead of giving them. Poses come a
/// few dozen times a second and in jumps; the device goes after the newest one smoothly, and no
/// faster than a hand. Until somebody takes it, it is the device of somebody else: of an operator.
class MouseDevice : public Device {
 public:
  /// At rest at a pose, in the device's own axes.
  MouseDevice(const Pose& start, double tick_s);
  /// `before` is the device until it is taken.
  MouseDevice(std::shared_ptr<Device> before, double tick_s);

  const DeviceLimits& limits() const override { return limits_; }
  bool needs_clock() const override { return false; }
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;
  void follow(const SceneTime* scene) override;

  // what one thread, another than the loop's, asks of it
  void take();                  ///< from now on it goes where it is led
  void lead(const Pose& pose);  ///< towards that, in the device's axes; counts once it is taken
  void press();                 ///< the grab button, and lets it go again
  /// Puts it down elsewhere, in the device's axes: it is gone for a tick and then rests until the
  /// loop has taken that in. For one that is taken.
  void place(const Pose& pose);
  bool is_taken() const { return wish_.is_taken; }

 private:
  struct Wish {
    bool is_taken = false;
    bool is_led = false;
    Pose pose;
    std::uint32_t presses = 0;
    std::uint32_t places = 0;
  };
  void follow(const Pose& target);

  DeviceLimits limits_;
  std::shared_ptr<Device> before_;
  double tick_s_;
  Wish wish_;            ///< the asking thread's
  Newest<Wish> wishes_;  ///< from there to the loop
  DeviceReading reading_;
  std::uint32_t presses_ = 0;  ///< that were begun
  std::uint32_t places_ = 0;   ///< that it was put
  int rest_ticks_ = 0;         ///< left, since then
  int press_ticks_ = 0;        ///< left of the last one
};

}  // namespace stickslip
