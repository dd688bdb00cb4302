#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

// The stages of a step that find the contact forces. All solves of a step share the time that the
// scene's deadline gives.

/// W, delta_free and mu of each group of bodies that contacts link.
void build_delassus(const Scene& scene, StepData& data);

/// The forces of all groups, from those of the last step on.
void solve_contacts(const Scene& scene, StepData& data);

/// Whether another round, as long as the last one, still fits. The clock is asked as solvers ask
/// it.
bool has_time_for_round(const Scene& scene, StepData& data);

/// Moves the frames apart where bodies overlap, by a share of the alarm distance at most, as
/// frictionless forces would. Neither velocities nor deformations feel it: only the weight that
/// is lifted changes the energy.
void lift_overlaps(const Scene& scene, StepData& data);

}  // namespace stickslip
