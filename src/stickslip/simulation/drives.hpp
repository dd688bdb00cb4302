#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Writes the loads of all bodies over the coming step into the data, and the velocities of those
/// whose motion is prescribed into the state.
void apply_drives(const Scene& scene, State& state, StepData& data);

}  // namespace stickslip
