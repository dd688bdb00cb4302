#pragma once

#include "stickslip/simulation/step.hpp"

namespace stickslip {

// The stage of a step that finds where bodies touch, or soon may.

/// Detection looks at the bodies as the last step left them: there the surfaces touch, and the
/// directions of contact are those along which forces act. On the free motion, in which a loaded
/// body springs back into the other, they would not be.
void find_proximities(const Scene& scene, const State& state, StepData& data);

/// Detection again, on the corrected positions: contacts get the directions that they have there
/// the first time, and their gaps; new ones join. False where the solve had it right already:
/// nothing overlaps, and what carries force touches.
bool find_proximities_again(const Scene& scene, const State& state, StepData& data);

/// Leaves no more contacts than the scene has the time for.
void keep_to_budget(const Scene& scene, const State& state, StepData& data);

}  // namespace stickslip
