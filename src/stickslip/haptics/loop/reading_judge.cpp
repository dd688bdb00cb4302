#include "stickslip/haptics/loop/reading_judge.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// Of what should be a unit quaternion.
constexpr double shortest_orientation = 0.5;
constexpr double longest_orientation = 2.0;
/// Of a tick: samples are no closer than that, whatever their ages say.
constexpr double least_interval = 0.1;

double age_of(const DeviceReading& reading) {
  return std::max(0.0, reading.age_s);
}

}  // namespace

ReadingJudge::ReadingJudge(const ReadingLimits& limits, const DeviceLimits& device, double tick_s)
    : limits_(limits),
      reach_(device.workspace_radius > 0.0 ? limits.reach_share * device.workspace_radius
                                           : limits.reach),
      tick_s_(tick_s),
      interval_s_(tick_s) {}

bool ReadingJudge::is_sensible(const DeviceReading& reading) const {
  const double length = reading.orientation.norm();
  return reading.position.norm() <= reach_ && length >= shortest_orientation &&
         length <= longest_orientation && !std::isnan(reading.age_s);
}

bool ReadingJudge::is_old(const DeviceReading& reading) const {
  if (reading.age_s > limits_.silence_s) return true;
  if (reading.sequence == 0) return false;
  // a device that was lost may have begun to count anew
  return is_known_ ? reading.sequence <= sequence_ : reading.sequence == sequence_;
}

bool ReadingJudge::has_jumped(const DeviceReading& reading) const {
  // a sample may have been taken up to a tick before it was read
  const double time = interval_s_ + tick_s_;
  return (reading.position - position_).norm() > limits_.fastest * time ||
         turn_between(orientation_, reading.orientation.normalized()).norm() >
             limits_.fastest_turn * time;
}

ReadingJudge::Verdict ReadingJudge::judge(bool is_there, const DeviceReading& reading,
                                          double elapsed_s) {
  since_sample_ += elapsed_s;
  if (!is_there || !is_sensible(reading)) {
    is_known_ = is_believed_ = false;
    return Verdict::bad;
  }
  if (is_old(reading)) {
    if (since_sample_ + age_s_ > limits_.silence_s) is_known_ = is_believed_ = false;
    return is_believed_ ? Verdict::repeated : Verdict::bad;
  }
  interval_s_ = std::max(since_sample_ + age_s_ - age_of(reading), least_interval * tick_s_);
  const bool is_first = !std::exchange(has_begun_, true);
  is_believed_ = is_first || (is_known_ && !has_jumped(reading));
  is_known_ = true;
  position_ = reading.position;
  orientation_ = reading.orientation.normalized();
  sequence_ = reading.sequence;
  age_s_ = age_of(reading);
  since_sample_ = 0.0;
  return is_believed_ ? Verdict::fresh : Verdict::bad;
}

}  // namespace stickslip
