#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// What the drives put in and what friction takes over a step from `state` to data.next, and the
/// energy that is left. The ways of the contacts were measured.
EnergyReport report_energy(const Scene& scene, const State& state, const StepData& data);

/// Slows down the frames of groups in which a body was left behind on its way, until they have no
/// more energy than before and what drives, gravity and movers did. They have the velocities of
/// whole ways, to which forces have worked on ways that were not gone; and contacts can give
/// nothing to all that they link. One factor for a group, so that nothing in it comes nearer.
void take_out_gain(const Scene& scene, StepData& data);

}  // namespace stickslip
