#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

/// Measures how late a device's link makes the loop: each trip goes from a wrench that is sent to
/// the first reading that knows of it, and so is as long as the way from a position to the force
/// that answers it. One thread adds, any thread asks. Delay is the median of the last trips, jitter
/// what the slowest hundredth takes beyond it; both are renewed every 64 trips, and before that
/// with each of the first ones.
class LinkMeter {
 public:
  void add(double trip_s, double now);
  LinkTimes times() const;

 private:
  static constexpr std::size_t window = 512;

  void renew(double now);

  std::array<double, window> trips_{};
  std::size_t count_ = 0;
  std::size_t counted_before_ = 0;
  double renewed_at_ = 0.0;
  std::atomic<double> delay_s_ = 0.0;
  std::atomic<double> jitter_s_ = 0.0;
  std::atomic<double> rate_hz_ = 0.0;
};

}  // namespace stickslip
