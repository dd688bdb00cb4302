#pragma once

#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// Puts the mid-side nodes of folded and nearly folded ten-node elements into the middle of
/// their edges, until every element whose corners are sound is sound. Meshers place those
/// nodes on the curved boundary, which can turn a coarse element inside out. Returns how many
/// nodes moved. Indices must be good.
int straighten_folded_elements(TetMesh& mesh);

}  // namespace stickslip
