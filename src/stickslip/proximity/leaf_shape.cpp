#include "stickslip/proximity/leaf_shape.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// share of a triangle's size by which a point may lie beside it
constexpr double beside = 1e-4;

void set_lane(Lanes3& lanes, std::size_t lane, const Vec3& v) {
  for (std::size_t k = 0; k < 3; ++k) {
    lanes[k][static_cast<Eigen::Index>(lane)] = v[static_cast<Eigen::Index>(k)];
  }
}

inline Lanes dot(const Lanes3& a, const Lanes3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

inline Lanes3 from(const Lanes3& start, const Vec3& p) {
  return {p[0] - start[0], p[1] - start[1], p[2] - start[2]};
}

}  // namespace

void LeafShapes::pack(const SurfaceShape& shape, const SurfaceTree& tree, int leaf,
                      double flat_sine) {
  LeafShape& packed = leaves_[uz(leaf)];
  times_[uz(leaf)] = shape.time();

  // faces; the last one fills the lanes that are left
  const auto faces = tree.faces(leaf);
  for (std::size_t k = 0; k < LeafShape::max_faces; ++k) {
    const FaceShape& face = shape.face(faces[std::min(k, faces.size() - 1)]);
    set_lane(packed.corner, k, face.corner);
    set_lane(packed.normal, k, face.normal);
    set_lane(packed.slope_1, k, face.slope[0]);
    set_lane(packed.slope_2, k, face.slope[1]);
  }

  // edges
  const auto edges = tree.own_edges(leaf);
  packed.edge_count = static_cast<int>(edges.size());
  packed.convex = 0;
  packed.concave_count = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const EdgeShape& edge = shape.edge(edges[k]);
    LeafShape::Edges& group = packed.edges[k / 4];
    set_lane(group.start, k % 4, edge.start);
    set_lane(group.along, k % 4, edge.along);
    set_lane(group.inward_1, k % 4, edge.inward[0]);
    set_lane(group.inward_2, k % 4, edge.inward[1]);
    const double squared = edge.along.squaredNorm();
    group.inverse_squared_length[static_cast<Eigen::Index>(k % 4)] =
        squared > 0.0 ? 1.0 / squared : 0.0;
    if (edge.is_convex(flat_sine)) {
      packed.convex |= 1U << k;
    } else if (edge.sine < 0.0 && !edge.is_border) {
      packed.concave[uz(packed.concave_count++)] = edges[k];
    }
  }
}

unsigned faces_along_normal(const LeafShape& leaf, const Vec3& p, double above, double below) {
  const Lanes3 d = from(leaf.corner, p);
  const Lanes height = dot(d, leaf.normal);
  const Lanes weight_1 = dot(d, leaf.slope_1);
  const Lanes weight_2 = dot(d, leaf.slope_2);
  const Lanes least = weight_1.min(weight_2).min(1.0 - weight_1 - weight_2);
  return passed_bits((least + beside).min(above - height).min(height + below));
}

unsigned edges_nearest(const LeafShape& leaf, const Vec3& p, double reach, double slack) {
  const double squared_reach = reach * reach * (1.0 + 1e-9);
  unsigned found = 0;
  for (int i = 0; 4 * i < leaf.edge_count; ++i) {
    const LeafShape::Edges& edges = leaf.edges[uz(i)];
    const Lanes3 d = from(edges.start, p);
    const Lanes along = dot(d, edges.along);
    const Lanes share = along * edges.inverse_squared_length;
    const Lanes squared = dot(d, d) - along * share;
    const Lanes inside = dot(d, edges.inward_1).max(dot(d, edges.inward_2));
    const Lanes margin =
        (share + beside).min(1.0 + beside - share).min(slack - inside).min(squared_reach - squared);
    found |= passed_bits(margin) << (4 * i);
  }
  return found & ((1U << leaf.edge_count) - 1U);
}

}  // namespace stickslip
