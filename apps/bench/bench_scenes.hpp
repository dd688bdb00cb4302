#pragma once

#include "stickslip/mesh/tet_mesh.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip::bench {

/// Two soft blocks of ten-node elements; the upper one stands askew on the lower one and is pushed
/// to and fro. `across` elements lie along each side of the faces that touch, `along` above each
/// other. Where contact is limited to these faces, large blocks fit into memory.
Scene two_blocks(int across, int along, bool only_faces_touch = false);

/// A neo-Hookean block, held from below, under a flat punch that presses it by 4 to 8 % at 100 Hz.
Scene punched_gel(ElementType type);

/// Bricks in rows of ten on a floor, each on its own; `count` is that of all bodies.
Scene bricks_on_floor(int count);

}  // namespace stickslip::bench
