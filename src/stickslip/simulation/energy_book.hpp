#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// What the drives put in and what friction takes over a step from `state` to data.next, and the
/// energy that is left. The ways of the contacts were measured.
EnergyReport report_energy(const Scene& scene, const State& state, const StepData& data);

}  // namespace stickslip
