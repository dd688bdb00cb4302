#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// How far each contact goes over the step to data.next.
void measure_ways(StepData& data);

/// Before the state moves on to data.next: remembers what the next step needs of the contacts, and
/// reports how far their forces are from the laws. Their ways were measured.
void remember_contacts(const Scene& scene, State& state, StepData& data);

}  // namespace stickslip
