#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <tuple>

#include "stickslip/proximity/mesh_proximity.hpp"

namespace stickslip {

namespace {

constexpr double radians = std::numbers::pi / 180.0;
// of the mean length of an edge: below this two places are one
constexpr double touching_share = 1e-6;

struct ByVertex {
  bool operator()(const VertexContact& a, int vertex) const { return a.vertex < vertex; }
  bool operator()(int vertex, const VertexContact& b) const { return vertex < b.vertex; }
};

Vec3 position(const SurfaceShape& shape, const SurfacePoint& place) {
  return place.weight[0] * shape.point(place.corner[0]) +
         place.weight[1] * shape.point(place.corner[1]) +
         place.weight[2] * shape.point(place.corner[2]);
}

}  // namespace

/// Two bodies that are searched; places and normals are compared in the axes of the second.
struct MeshProximity::Pair {
  int i;
  int j;
  Searched& body_1;
  Searched& body_2;
  const PlacedSurface& placed_1;
  const PlacedSurface& placed_2;
  double edge_length;
  ContactLimits limits;
  Placement to_2;
  Placement to_1;
  std::size_t first;  ///< of what is found for them

  Proximity vertex_of_1(const VertexContact& contact) const {
    return {i,
            j,
            body_1.shape.at_point(contact.vertex),
            body_2.shape.in_triangle(contact.triangle, contact.weight),
            placed_2.R * contact.normal,
            contact.gap,
            FeatureKind::vertex_face,
            contact.vertex,
            contact.triangle,
            -contact.bulge};
  }
  Proximity vertex_of_2(const VertexContact& contact) const {
    return {i,
            j,
            body_1.shape.in_triangle(contact.triangle, contact.weight),
            body_2.shape.at_point(contact.vertex),
            -(placed_1.R * contact.normal),
            contact.gap,
            FeatureKind::face_vertex,
            contact.triangle,
            contact.vertex,
            -contact.bulge};
  }
};

ContactLimits MeshProximity::limits(int i, int j, double alarm_distance) const {
  const double edge_length = std::min(bodies_[uz(i)].edge_length, bodies_[uz(j)].edge_length);
  return {alarm_distance, options_.max_depth > 0.0 ? options_.max_depth : alarm_distance,
          touching_share * edge_length, std::sin(options_.slope_deg * radians),
          std::sin(options_.flat_deg * radians)};
}

void MeshProximity::search_pair(int i, int j, const PlacedSurface& placed_1,
                                const PlacedSurface& placed_2, double alarm_distance,
                                std::vector<Proximity>& found) {
  Searched& body_1 = bodies_[uz(i)];
  Searched& body_2 = bodies_[uz(j)];
  if (body_1.exact || body_2.exact) {
    search_shapes(i, j, placed_1, placed_2, alarm_distance, found);
    return;
  }
  const double edge_length = std::min(body_1.edge_length, body_2.edge_length);
  const Placement to_2{placed_2.R.transpose() * placed_1.R,
                       placed_2.R.transpose() * (placed_1.position - placed_2.position)};
  const Pair pair{i,           j,
                  body_1,      body_2,
                  placed_1,    placed_2,
                  edge_length, limits(i, j, alarm_distance),
                  to_2,        to_2.inverse(),
                  found.size()};

  find_candidates(pair);
  add_vertices(pair, found);
  add_edges(pair, found);
  add_guesses(pair, found);

  std::sort(found.begin() + static_cast<std::ptrdiff_t>(pair.first), found.end(),
            [](const Proximity& a, const Proximity& b) {
              return std::tuple(a.kind, a.feature_1, a.feature_2) <
                     std::tuple(b.kind, b.feature_1, b.feature_2);
            });
  places_.clear();
  for (std::size_t k = pair.first; k < found.size(); ++k) {
    places_.push_back(
        0.5 * (position(body_2.shape, found[k].Q) + to_2(position(body_1.shape, found[k].P))));
  }
  merge(pair.first, options_.merge_share * edge_length, found);
}

void MeshProximity::find_candidates(const Pair& pair) {
  const auto& [i, j, body_1, body_2, placed_1, placed_2, edge_length, limits, to_2, to_1, first] =
      pair;
  const SurfaceShape& shape_1 = body_1.shape;
  const SurfaceShape& shape_2 = body_2.shape;

  // features of leaves that are near
  leaf_pairs_.clear();
  find_leaves(i, j, to_2, limits.reach(), leaf_pairs_);
  fit_near_leaves(i, j, to_2, limits.reach());
  // single precision may err by this much
  const double largest =
      std::max(body_1.tree.low().cwiseAbs().maxCoeff(), body_1.tree.high().cwiseAbs().maxCoeff()) +
      std::max(body_2.tree.low().cwiseAbs().maxCoeff(), body_2.tree.high().cwiseAbs().maxCoeff());
  const float reach = static_cast<float>(limits.reach() + 2e-6 * (largest + to_2.p.norm()));
  const FloatPlacement nearly_to_1(to_1);
  const FloatPlacement nearly_to_2(to_2);
  search_1_.start();
  search_2_.start();
  edges_.clear();
  for (const LeafPair& leaves : leaf_pairs_) {
    const LeafShape& leaf_1 = body_1.leaves.get(shape_1, body_1.tree, leaves.a, limits.flat_sine);
    const LeafShape& leaf_2 = body_2.leaves.get(shape_2, body_2.tree, leaves.b, limits.flat_sine);
    for (const int vertex : body_1.tree.own_points(leaves.a)) {
      if (body_1.is_flat[uz(vertex)]) continue;
      const Vec3& p_1 = shape_1.point(vertex);
      if (!body_2.tree.is_near_leaf(leaves.b, nearly_to_2(p_1), reach)) continue;
      const Vec3 p = to_2(p_1);
      search_1_.test(shape_2, body_2.tree, leaves.b, leaf_2, vertex, p, limits);
    }
    for (const int vertex : body_2.tree.own_points(leaves.b)) {
      if (body_2.is_flat[uz(vertex)]) continue;
      const Vec3& p_2 = shape_2.point(vertex);
      if (!body_1.tree.is_near_leaf(leaves.a, nearly_to_1(p_2), reach)) continue;
      const Vec3 p = to_1(p_2);
      search_2_.test(shape_1, body_1.tree, leaves.a, leaf_1, vertex, p, limits);
    }
    if (leaf_2.convex_count != 0) find_edges(pair, leaf_1, leaf_2);
  }
  vertices_1_.clear();
  vertices_2_.clear();
  search_1_.finish(shape_2, shape_1, to_1.R, limits, vertices_1_);
  search_2_.finish(shape_1, shape_2, to_2.R, limits, vertices_2_);

  if (options_.interpolate_normals) {
    if (!placed_2.has_new_shape) smooth(shape_2, vertices_1_);
    if (!placed_1.has_new_shape) smooth(shape_1, vertices_2_);
  }
}

void MeshProximity::find_edges(const Pair& pair, const LeafShape& leaf_1, const LeafShape& leaf_2) {
  const SurfaceShape& shape_1 = pair.body_1.shape;
  for (int k = 0; k < leaf_1.convex_count; ++k) {
    const int edge_1 = leaf_1.convex[uz(k / 4)].edge[uz(k % 4)];
    const EdgeShape& edge = shape_1.edge(edge_1);
    const Vec3 a = pair.to_2(edge.start);
    const Vec3 u = pair.to_2.R * edge.along;
    unsigned crossing = edges_crossing(leaf_2, a, u, pair.limits.reach());
    for (; crossing != 0; crossing &= crossing - 1) {
      const std::size_t place = uz(std::countr_zero(crossing));
      EdgeContact contact;
      if (find_edge_contact(shape_1, edge_1, a, u, pair.body_2.shape,
                            leaf_2.convex[place / 4].edge[place % 4], pair.to_1.R, pair.limits,
                            contact)) {
        edges_.push_back(contact);
      }
    }
  }
}

void MeshProximity::smooth(const SurfaceShape& shape, std::vector<VertexContact>& contacts) const {
  const double crease = std::cos(options_.crease_deg * radians);
  for (VertexContact& contact : contacts) {
    // where it is sharp or hollow, the facets are what other bodies must not enter
    if ((contact.corner >= 0 && shape.is_corner(contact.corner, crease)) ||
        (contact.edge >= 0 && shape.is_crease(contact.edge, crease))) {
      continue;
    }
    const auto curved = shape.curved(contact.triangle, contact.weight, crease);
    if (curved.bulge < 0.0) continue;
    contact.normal = curved.normal;
    contact.bulge = curved.bulge;
    contact.gap = contact.offset.dot(contact.normal) - contact.bulge;
  }
}

void MeshProximity::add_vertices(const Pair& pair, std::vector<Proximity>& found) const {
  // a corner at a corner is found from both sides and kept from the first
  for (const VertexContact& contact : vertices_1_) {
    if (!contact.is_guessed) found.push_back(pair.vertex_of_1(contact));
  }
  for (const VertexContact& contact : vertices_2_) {
    if (contact.is_guessed) continue;
    const auto [begin, end] =
        std::equal_range(vertices_1_.begin(), vertices_1_.end(), contact.corner, ByVertex());
    const bool is_known = std::any_of(begin, end, [&](const VertexContact& other) {
      return other.corner == contact.vertex && !other.is_guessed;
    });
    if (!is_known) found.push_back(pair.vertex_of_2(contact));
  }
}

void MeshProximity::add_edges(const Pair& pair, std::vector<Proximity>& found) const {
  const ContactLimits& limits = pair.limits;
  const SurfaceShape& shape_1 = pair.body_1.shape;
  const SurfaceShape& shape_2 = pair.body_2.shape;
  // overlapping edges count only where each is inside the other body
  const auto is_inside = [&](const Searched& body, const Vec3& p) {
    const NearestPlace nearest =
        body.tree.nearest(body.shape, p, limits.max_depth + limits.touching);
    return nearest.triangle >= 0 &&
           body.shape.is_behind(nearest.triangle, nearest.on, p, limits.touching);
  };
  const auto is_near_entry = [](const SurfaceShape& shape, int edge, double share, double depth,
                                const std::vector<VertexContact>& contacts) {
    // an end of the edge that is inside, too, and not far, says it all
    const int end = shape.topology().edges()[uz(edge)].point[share < 0.5 ? 0 : 1];
    if (std::min(share, 1.0 - share) * shape.edge(edge).along.norm() > 4.0 * depth) return false;
    const auto [begin, behind] =
        std::equal_range(contacts.begin(), contacts.end(), end, ByVertex());
    return std::any_of(begin, behind, [](const VertexContact& c) { return c.gap < 0.0; });
  };
  for (const EdgeContact& contact : edges_) {
    if (contact.gap < 0.0 &&
        (is_near_entry(shape_1, contact.edge_1, contact.share_1, -contact.gap, vertices_1_) ||
         is_near_entry(shape_2, contact.edge_2, contact.share_2, -contact.gap, vertices_2_))) {
      continue;
    }
    if (contact.gap < -limits.touching) {
      const Vec3 on_1 = contact.place + contact.offset;
      if (!is_inside(pair.body_2, on_1) || !is_inside(pair.body_1, pair.to_1(contact.place))) {
        continue;
      }
    }
    found.push_back({pair.i, pair.j, shape_1.at_edge(contact.edge_1, contact.share_1),
                     shape_2.at_edge(contact.edge_2, contact.share_2),
                     pair.placed_2.R * contact.normal, contact.gap, FeatureKind::edge_edge,
                     contact.edge_1, contact.edge_2});
  }
}

void MeshProximity::add_guesses(const Pair& pair, std::vector<Proximity>& found) const {
  // a guess counts where nothing else was found
  const SurfaceShape& shape_2 = pair.body_2.shape;
  const auto is_bare = [&](const Vec3& place_in_2) {
    return std::none_of(found.begin() + static_cast<std::ptrdiff_t>(pair.first), found.end(),
                        [&](const Proximity& other) {
                          return (position(shape_2, other.Q) - place_in_2).norm() <=
                                 3.0 * pair.limits.touching;
                        });
  };
  for (const VertexContact& contact : vertices_1_) {
    if (contact.is_guessed && is_bare(contact.place)) found.push_back(pair.vertex_of_1(contact));
  }
  for (const VertexContact& contact : vertices_2_) {
    if (contact.is_guessed && is_bare(shape_2.point(contact.vertex))) {
      found.push_back(pair.vertex_of_2(contact));
    }
  }
}

}  // namespace stickslip
