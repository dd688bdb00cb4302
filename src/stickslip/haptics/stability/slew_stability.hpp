#pragma once

#include "stickslip/haptics/stability/spring_stability.hpp"

namespace stickslip {

/// A rendered spring whose force is never below zero, as against a wall, ends at a limit, and takes
/// so long to rise or fall by that limit. What is late in large swings only feeds them: a spring
/// that eigenvalues call stable may swing between nothing and the limit for as long as it is held.
struct SlewedSpring {
  SampledSpring spring;
  double slew_s = 0.0;
};

/// Whether a swing does not grow that begins at the largest force, in a hand that presses with a
/// quarter of it (of all shares the worst). No friction, no rounding.
bool swing_dies_out(const SlewedSpring& slewed);

}  // namespace stickslip
