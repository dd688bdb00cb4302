#pragma once

#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// A ball of ten-node elements whose mid-side nodes are on the sphere, as a mesher puts them.
inline TetMesh curved_ball(double radius, int segments) {
  TetMesh mesh = make_round_mesh({.radius = radius}, segments, ElementType::tet10, 1.0);
  for (const auto& face : boundary_faces(mesh)) {
    for (const int node : face) mesh.nodes[uz(node)] *= radius / mesh.nodes[uz(node)].norm();
  }
  return mesh;
}

}  // namespace stickslip
