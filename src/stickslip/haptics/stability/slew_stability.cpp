#include "stickslip/haptics/stability/slew_stability.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "stickslip/haptics/stability/sampled_axis.hpp"

namespace stickslip {

namespace {

/// Of the largest force, what the hand presses with.
constexpr double push = 0.25;
/// A swing of all that force that is slower than this, in radians within slew_s, is never late.
constexpr double never_late = 0.5;
constexpr double swings = 20.0;
/// Of these the last are looked at.
constexpr double looked_at_share = 0.5;

}  // namespace

bool swing_dies_out(const SlewedSpring& slewed) {
  const SampledSpring& spring = slewed.spring;
  const double mass = spring.device.mass + spring.hand.mass;
  const double rate = std::sqrt((spring.stiffness + spring.hand.stiffness) / mass);
  if (rate * slewed.slew_s < never_late) return true;

  // in units of the largest force, about where the spring carries the push
  const SampledAxis axis(mass, spring.device.damping + spring.hand.damping, spring.hand.stiffness,
                         spring.tick_s, spring.delay_s);
  const double most_within_tick = spring.tick_s / slewed.slew_s;
  const double start = (1.0 - push) / spring.stiffness;
  Eigen::Vector2d moved(-start, 0.0);
  double before = moved[0];
  double sent = 1.0;
  std::vector<double> on_their_way(uz(axis.whole_ticks) + 1, sent);
  const double ticks = swings * 2.0 * std::numbers::pi / (rate * spring.tick_s);
  for (int k = 0; k < static_cast<int>(ticks); ++k) {
    const double wanted =
        push - spring.stiffness * moved[0] - spring.damping * (moved[0] - before) / spring.tick_s;
    before = moved[0];
    sent += std::clamp(std::clamp(wanted, 0.0, 1.0) - sent, -most_within_tick, most_within_tick);
    // within the tick the older force acts first, then the younger
    const double older = on_their_way.back();
    std::shift_right(on_their_way.begin(), on_their_way.end(), 1);
    on_their_way.front() = sent;
    const double younger = on_their_way.back();
    moved = axis.transition * moved + axis.older * (older - push) + axis.younger * (younger - push);
    if (k > (1.0 - looked_at_share) * ticks && -moved[0] >= start) return false;
  }
  return true;
}

}  // namespace stickslip
