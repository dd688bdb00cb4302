#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Before the state moves on to data.next: remembers what the next step needs of the contacts, and
/// reports how far their forces are from the laws.
void remember_contacts(const Scene& scene, State& state, StepData& data);

}  // namespace stickslip
