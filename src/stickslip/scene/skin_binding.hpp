#pragma once

#include <array>
#include <vector>

#include "stickslip/fem/node_shares.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Throws InputError where a vertex of the skin is farther from a surface than the edges of that
/// are long there, or a point of the surface from the skin.
void refuse_distant_skin(const Surface& skin, const Surface& surface);

/// Binds each vertex of a skin to the boundary face that is nearest to it, `faces` being those of
/// boundary_faces over the nodes: by the shape functions of the face at its foot there, and where
/// it lies off the face with its offset turned as the face turns. What the face turns by is that of
/// its tangent plane, and half the curl in it. Rigid motions, also infinitesimal turns, take the
/// vertex along exactly; so a force on it has the same resultant and torque as what it is shared
/// into. Vertices that only rounding keeps off a face, by a millionth of its edges, are put on it.
NodeShares bind_skin(Surface& skin, const std::vector<Vec3>& nodes,
                     const std::vector<std::array<int, 6>>& faces);

}  // namespace stickslip
