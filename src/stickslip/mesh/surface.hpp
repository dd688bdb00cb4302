#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// A triangulated surface, outward normals by the right-hand rule. Lengths in metres.
struct Surface {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> mesh_nodes;  ///< node of the tetrahedral mesh under each point; empty if none

  int point_count() const { return static_cast<int>(points.size()); }
  int triangle_count() const { return static_cast<int>(triangles.size()); }
};

/// A point of a surface: a place in one triangle. (Eqs. 8, 9) its displacement is the weighted
/// sum of the corners', (Eqs. 10, 11) a force on it is shared among them by the same weights.
struct SurfacePoint {
  std::array<int, 3> corner = {};     ///< points of the surface
  std::array<double, 3> weight = {};  ///< barycentric, sum 1
};

/// The faces on the boundary of a mesh, in the order of the elements, outward by the right-hand
/// rule: three corners, of a ten-node element followed by the nodes between 0 and 1, 1 and 2, 2
/// and 0; else by -1.
std::vector<std::array<int, 6>> boundary_faces(const TetMesh& mesh);

/// The boundary of a mesh. A face of a ten-node element becomes four triangles over its corner
/// and mid-side nodes, on which contact interpolates linearly. Points keep the order of
/// the mesh's nodes, triangles that of its boundary faces.
Surface extract_surface(const TetMesh& mesh);

/// Area of all triangles. [m^2]
double area(const Surface& surface);

/// Volume enclosed by a closed surface. [m^3]
double enclosed_volume(const Surface& surface);

}  // namespace stickslip
