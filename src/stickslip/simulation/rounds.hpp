#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

// The rounds of a step: contacts are solved for, the bodies moved, and where that shows that the
// contacts were not the right ones, again.

void start_rounds(StepData& data);

/// Whether to solve again, with the contacts that are found then: the gaps were not what the solve
/// took them for, or bodies met on their way. Where no time is left for it, what would go through
/// stays where it met.
bool prepare_another_round(const Scene& scene, const State& state, StepData& data);

/// Lifts what overlapped from before, and lets nothing go through, whatever was solved.
void end_rounds(const Scene& scene, StepData& data);

}  // namespace stickslip
