#include "stickslip/haptics/loop/oscillation_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

namespace {

/// What rings down falls below this within the time of an oscillation.
constexpr double still_swinging = 0.8;
constexpr int least_sides = 4;
constexpr int least_growing_sides = 4;
constexpr int least_motion_sides = 2;
/// Of the time of an oscillation, where it grows or goes on.
constexpr double sure_share = 0.2;

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

bool Swing::Side::add(const Vec3& value, double amplitude) {
  if (value.norm() < amplitude) return false;
  const bool is_other = value.dot(side) < 0.0;
  side = value;
  return is_other;
}

void Swing::begin() {
  time_s_ = 0.0;
  first_peak_ = 0.0;
  sides_ = growing_sides_ = motion_sides_ = 0;
}

double Swing::add(const Vec3& force, const Vec3& position, double elapsed_s) {
  const double kept = std::exp(-2.0 * std::numbers::pi * options_.least_hz * elapsed_s);
  const Vec3 above = force_above_.add(force, kept);
  if (motion_side_.add(motion_above_.add(position, kept), least_motion_)) ++motion_sides_;
  time_s_ += elapsed_s;
  since_side_ += elapsed_s;
  const bool has_turned = force_side_.add(above, least_force_);
  if (!has_turned) {
    peak_ = std::max(peak_, above.norm());
    return 0.0;
  }

  // a side is over: has it been as far out as those before it, and no longer than a swing
  const double peak = std::exchange(peak_, above.norm());
  const bool is_slow = 2.0 * options_.least_hz * std::exchange(since_side_, 0.0) > 1.0;
  if (is_slow) {
    begin();
    goes_on_ = false;
    return 0.0;
  }
  if (sides_++ == 0) {
    time_s_ = 0.0;
    first_peak_ = peak;
  }
  growing_sides_ = sides_ > 1 && peak > last_peak_ ? growing_sides_ + 1 : 0;
  last_peak_ = peak;
  const bool grows = growing_sides_ >= least_growing_sides;
  const double time = grows || goes_on_ ? sure_share * options_.time_s : options_.time_s;
  if (sides_ < least_sides || time_s_ < time) return 0.0;
  goes_on_ = (grows || peak > still_swinging * first_peak_) && motion_sides_ >= least_motion_sides;
  begin();
  return goes_on_ ? peak / least_force_ : 0.0;
}

OscillationWatch::OscillationWatch(const OscillationOptions& options, double largest_force,
                                   double largest_torque, double resolution)
    : options_(options),
      translation_(options, largest_force, std::max(options.least_motion, resolution)),
      rotation_(options, largest_torque,
                std::max(options.least_motion, resolution) / handle_lever) {}

bool OscillationWatch::add(const Vec6& sent, const Vec6& way, double elapsed_s) {
  if (!options_.is_on) return false;
  const double swing = std::max(translation_.add(sent.head<3>(), way.head<3>(), elapsed_s),
                                rotation_.add(sent.tail<3>(), way.tail<3>(), elapsed_s));
  if (swing > 0.0) {
    aim_ = std::max(options_.least_scale, aim_ * std::pow(options_.factor, std::max(1.0, swing)));
  }
  scale_ = std::max(aim_, scale_ - elapsed_s / options_.ramp_s * (1.0 - options_.least_scale));
  return swing > 0.0;
}

}  // namespace stickslip
