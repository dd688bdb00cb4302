#pragma once

#include <vector>

#include "stickslip/haptics/gain_choice.hpp"
#include "stickslip/haptics/haptic_loop.hpp"
#include "stickslip/simulation/scene.hpp"

namespace stickslip {

/// A hand of a scene with its device.
struct ReadyHand {
  HandSetup setup;
  GainReport gains;
};

/// Makes the devices of all hands, and chooses the gains that the scene leaves open, for a loop of
/// this tick and rendering. Throws as
/// make_device() does.
std::vector<ReadyHand> prepare_hands(Scene& scene, double tick_s, RenderingMode mode);

}  // namespace stickslip
