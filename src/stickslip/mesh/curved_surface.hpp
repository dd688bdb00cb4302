#pragma once

#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// The boundary of ten-node elements as it curves over their mid-side nodes, in triangles: faces
/// are halved until no edge of a triangle is farther from the curved face than `chord`. [m]
Surface curved_surface(const TetMesh& mesh, double chord);

}  // namespace stickslip
