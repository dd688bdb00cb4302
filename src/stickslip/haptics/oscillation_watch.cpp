#include "stickslip/haptics/oscillation_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/haptics/device.hpp"

namespace stickslip {

namespace {

/// What rings down falls below this from window to window.
constexpr double still_swinging = 0.8;

}  // namespace

Swing::Swing(const OscillationOptions& options, double largest_force, double least_motion)
    : options_(options), least_force_(options.share * largest_force), least_motion_(least_motion) {}

Vec3 Swing::HighPass::add(const Vec3& sample, double kept) {
  if (!has_started) low_1 = sample;
  has_started = true;
  low_1 = sample + kept * (low_1 - sample);
  const Vec3 above = sample - low_1;
  low_2 = above + kept * (low_2 - above);
  return above - low_2;
}

void Swing::Reversals::add(const Vec3& value, double amplitude) {
  if (value.norm() < amplitude) return;
  if (value.dot(side) < 0.0) ++count;
  side = value;
}

bool Swing::add(const Vec3& force, const Vec3& position, double elapsed_s) {
  const double kept = std::exp(-2.0 * std::numbers::pi * options_.corner_hz * elapsed_s);
  const Vec3 above = force_above_.add(force, kept);
  force_.add(above, least_force_);
  motion_.add(motion_above_.add(position, kept), least_motion_);
  squares_ += elapsed_s * above.squaredNorm();
  time_s_ += elapsed_s;
  return time_s_ >= options_.window_s && end_window();
}

bool Swing::end_window() {
  const double rms = std::sqrt(squares_ / time_s_);
  const bool swings = rms > least_force_ && force_.count > 0 && motion_.count > 0;
  const bool goes_on = swings && rms_before_ > 0.0 && rms > still_swinging * rms_before_;
  // after an oscillation was told, a new one takes two windows again
  rms_before_ = swings && !goes_on ? rms : 0.0;
  force_.count = motion_.count = 0;
  squares_ = time_s_ = 0.0;
  return goes_on;
}

OscillationWatch::OscillationWatch(const OscillationOptions& options, double largest_force,
                                   double largest_torque, double resolution)
    : options_(options),
      translation_(options, largest_force, std::max(options.least_motion, resolution)),
      rotation_(options, largest_torque,
                std::max(options.least_motion, resolution) / handle_lever) {}

void OscillationWatch::add(const Vec6& sent, const Vec6& way, double elapsed_s) {
  if (!options_.is_on) return;
  const bool swings = translation_.add(sent.head<3>(), way.head<3>(), elapsed_s);
  const bool turns = rotation_.add(sent.tail<3>(), way.tail<3>(), elapsed_s);
  if (swings || turns) aim_ = std::max(options_.least_scale, options_.factor * aim_);
  scale_ = std::max(aim_, scale_ - elapsed_s / options_.ramp_s * (1.0 - options_.least_scale));
}

}  // namespace stickslip
