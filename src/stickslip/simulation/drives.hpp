#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Writes the loads of all bodies over the coming step into the data, and the velocities of those
/// whose motion is prescribed into the state.
void apply_drives(const Scene& scene, State& state, StepData& data);

/// What gravity turns the frame of a body by whose masses have moved within it: part of the load
/// that apply_drives writes, but no work of drives. [N m]
Vec3 sag_torque(const Scene& scene, const State& state, std::size_t body);

}  // namespace stickslip
