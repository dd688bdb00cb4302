#pragma once

#include "stickslip/mesh/exact_shape.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// Tetrahedra that fill a shape, their corners on it. `segments`, rounded up to a multiple of six,
/// is the number of edges around; along the axis they are `stretch` times as long. Regions: z0 and
/// z1, the two ends, of a sphere its halves, and side, what is between.
TetMesh make_round_mesh(const ExactShape& shape, int segments, ElementType type, double stretch);

}  // namespace stickslip
