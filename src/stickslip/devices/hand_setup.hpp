#pragma once

#include <string>
#include <vector>

#include "stickslip/haptics/loop/haptic_loop.hpp"
#include "stickslip/haptics/stability/gain_choice.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// A hand of a scene with its device.
struct ReadyHand {
  HandSetup setup;
  GainReport gains;
  LinkTimes link{};  ///< for which the gains were chosen
};

/// One line where the link of a hand has become so late that its gains are doubtful; else empty.
std::string link_trouble(const LinkTimes& chosen_for, const LinkTimes& now);

/// Makes the devices of all hands, and chooses the gains that the scene leaves open, for a loop of
/// this tick and rendering. Throws as make_device() does.
std::vector<ReadyHand> prepare_hands(Scene& scene, double tick_s, RenderingMode mode);

}  // namespace stickslip
