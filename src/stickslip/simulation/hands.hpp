#pragma once

#include "stickslip/haptics/loop/published_step.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Takes hold and lets go as the inputs of the hands ask, and adds their couplings to the loads of
/// what they hold.
void apply_hands(const Scene& scene, State& state, StepData& data);

/// The wrenches that acted on the hands over the step: what the hand feels.
void render_wrenches(const Scene& scene, const State& state, StepData& data);

/// Room for what the haptic loop needs of a step of the scene.
PublishedStep make_published_step(const Scene& scene);

/// What the haptic loop needs of the step that was just made, but for its number and time; what
/// gravity and drives had supplied before it is carried on. [J]
void publish_step(const Scene& scene, const State& state, const StepData& data,
                  double supplied_before, PublishedStep& published);

}  // namespace stickslip
