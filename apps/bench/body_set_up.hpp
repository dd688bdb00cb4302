#pragma once

#include <vector>

#include "apps/bench/setting.hpp"

namespace stickslip::bench {

/// Making a solid block ready, stage by stage, beside Eigen's simplicial factorisation of the same
/// matrix.
void plan_block_set_up(std::vector<PlannedRow>& rows);

/// Making the clip of about that many nodes ready to be held at its handle: without a cache, and
/// with a warm one. gmsh meshes it unless it is on the shelf.
void plan_clip_set_up(int nodes, std::vector<PlannedRow>& rows);

}  // namespace stickslip::bench
