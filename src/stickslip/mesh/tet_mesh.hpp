#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip {

enum class ElementType { tet4, tet10 };

constexpr int nodes_per_element(ElementType type) {
  return type == ElementType::tet4 ? 4 : 10;
}
constexpr int nodes_per_face(ElementType type) {
  return type == ElementType::tet4 ? 3 : 6;
}

/// The corners that each mid-side node of a ten-node tetrahedron lies between: node 4 + e
/// stands on edge e. This is gmsh's order; VTK swaps the last two.
inline constexpr std::array<std::array<int, 2>, 6> tet_edges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

/// The faces of a tetrahedron, corners counter-clockwise seen from outside. For a ten-node
/// element the mid-side nodes of edges (0,1), (1,2), (2,0) of the face follow its corners.
inline constexpr std::array<std::array<int, 6>, 4> tet_faces = {
    {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {0, 3, 2, 7, 8, 6}, {1, 2, 3, 5, 8, 9}}};

/// A part of a mesh that scenes refer to by name (a gmsh physical group).
struct Region {
  std::string name;
  int dimension = 0;          ///< 3 volume, 2 surface, 1 curve, 0 node set
  std::vector<int> elements;  ///< volumes: indices of tetrahedra
  std::vector<int> cells;     ///< surfaces and curves: node indices, cell after cell
  int nodes_per_cell = 0;     ///< of `cells`: 3 or 6 for surfaces, 2 or 3 for curves
  std::vector<int> nodes;     ///< every node of the region, ascending, without repetition
};

/// Tetrahedra of one kind with their named regions. Lengths in metres.
struct TetMesh {
  std::vector<Vec3> nodes;
  ElementType type = ElementType::tet4;
  std::vector<int> connectivity;  ///< node indices, element after element, in gmsh's order
  std::vector<Region> regions;

  int node_count() const { return static_cast<int>(nodes.size()); }
  int element_count() const {
    return static_cast<int>(connectivity.size()) / nodes_per_element(type);
  }
  std::span<const int> element(int e) const {
    const auto n = uz(nodes_per_element(type));
    return {connectivity.data() + uz(e) * n, n};
  }

  /// The region of that name, or null.
  const Region* find_region(std::string_view name) const;
};

/// Signed volume of the tetrahedron of four corners, positive when d lies on the side of
/// abc from which they appear clockwise. [m^3]
double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Volume of the whole mesh; curved ten-node elements are integrated. [m^3]
double volume(const TetMesh& mesh);

/// Quality of one tetrahedron by its corners: 6 sqrt(2) volume / (rms edge length)^3, which is
/// 1 for a regular one, 0 for a flat one and negative for an inverted one.
double tet_quality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The same mesh with a node in the middle of every edge. Regions follow.
TetMesh to_ten_node(const TetMesh& mesh);

/// The same mesh with its nodes renumbered: node i of the result is node order[i] of the mesh.
/// `order` is a permutation. Regions follow.
TetMesh renumbered(const TetMesh& mesh, std::span<const int> order);

/// A box with corner at the origin, cut into cells of six tetrahedra each. The nodes on its
/// six sides are regions named x0, x1, y0, y1, z0, z1.
TetMesh make_box(const Vec3& size, const std::array<int, 3>& cells, ElementType type);

}  // namespace stickslip
