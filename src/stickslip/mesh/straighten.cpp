#include "stickslip/mesh/straighten.hpp"

#include "stickslip/mesh/mesh_check.hpp"

namespace stickslip {

int straighten_folded_elements(TetMesh& mesh) {
  if (mesh.type != ElementType::tet10) return 0;
  constexpr double least_allowed = 0.1;
  std::vector<bool> straight(mesh.nodes.size(), false);
  int moved = 0;

  // a node that moves changes its neighbours, so that they are visited again
  for (bool changed = true; changed;) {
    changed = false;
    for (int e = 0; e < mesh.element_count(); ++e) {
      if (least_relative_jacobian(mesh, e) > least_allowed) continue;
      const auto nodes = mesh.element(e);
      for (std::size_t k = 0; k < tet_edges.size(); ++k) {
        const auto& [p, q] = tet_edges[k];
        const Vec3 middle = 0.5 * (mesh.nodes[uz(nodes[uz(p)])] + mesh.nodes[uz(nodes[uz(q)])]);
        const auto node = uz(nodes[4 + k]);
        if (straight[node]) continue;
        straight[node] = true;
        if (mesh.nodes[node] == middle) continue;
        mesh.nodes[node] = middle;
        ++moved;
        changed = true;
      }
    }
  }
  return moved;
}

}  // namespace stickslip
