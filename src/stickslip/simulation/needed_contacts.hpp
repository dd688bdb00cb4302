#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Marks the contacts that a solve needs (working set): those that carried force, and those whose
/// gap may close, as it came nearer over the last step. Of many that are near few are; the cost of
/// W and of the solve follows these. Groups are built of them.
void choose_needed_contacts(const Scene& scene, StepData& data);

/// Adds the contacts that overlap under the forces found without them; whether there were any. When
/// none are left, the forces are those that all contacts would have.
bool add_needed_contacts(const Scene& scene, StepData& data);

}  // namespace stickslip
