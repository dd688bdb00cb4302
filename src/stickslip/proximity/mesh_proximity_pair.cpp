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

/// How far to look in single precision, which errs by this much.
float nearly_reach(const SurfaceTree& one, const SurfaceTree& two, const Placement& to_2,
                   double reach) {
  const double largest =
      std::max(one.low().cwiseAbs().maxCoeff(), one.high().cwiseAbs().maxCoeff()) +
      std::max(two.low().cwiseAbs().maxCoeff(), two.high().cwiseAbs().maxCoeff());
  return static_cast<float>(reach + 2e-6 * (largest + to_2.p.norm()));
}

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
  // in single precision
  FloatPlacement nearly_to_2;
  FloatPlacement nearly_to_1;
  float nearly_reach;

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
  const Placement to_1 = to_2.inverse();
  const ContactLimits near = limits(i, j, alarm_distance);
  const Pair pair{i,
                  j,
                  body_1,
                  body_2,
                  placed_1,
                  placed_2,
                  edge_length,
                  near,
                  to_2,
                  to_1,
                  found.size(),
                  FloatPlacement(to_2),
                  FloatPlacement(to_1),
                  nearly_reach(body_1.tree, body_2.tree, to_2, near.reach())};

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
  // features of leaves that are near
  leaf_pairs_.clear();
  find_leaves(pair.i, pair.j, pair.to_2, pair.limits.reach(), leaf_pairs_);
  fit_near_leaves(pair.i, pair.j, pair.to_2, pair.limits.reach());
  search_1_.start();
  search_2_.start();
  moved_1_.start();
  moved_2_.start();
  edges_.clear();
  for (const LeafPair& leaves : leaf_pairs_) {
    find_vertices(pair, leaves);
    find_edges(pair, leaves);
  }
  const SurfaceShape& shape_1 = pair.body_1.shape;
  const SurfaceShape& shape_2 = pair.body_2.shape;
  vertices_1_.clear();
  vertices_2_.clear();
  search_1_.finish(shape_2, shape_1, pair.to_1.R, pair.limits, vertices_1_);
  search_2_.finish(shape_1, shape_2, pair.to_2.R, pair.limits, vertices_2_);

  if (options_.interpolate_normals) {
    if (!pair.placed_2.has_new_shape) smooth(shape_2, vertices_1_);
    if (!pair.placed_1.has_new_shape) smooth(shape_1, vertices_2_);
  }
}

void MeshProximity::find_vertices(const Pair& pair, const LeafPair& leaves) {
  // those of one body and a leaf of the other, which is packed when something comes near it
  const auto find = [&](Searched& body, int leaf, MovedPoints& moved, const Placement& move,
                        const FloatPlacement& nearly_move, Searched& other, int other_leaf,
                        VertexSearch& search) {
    for (const int vertex : body.tree.own_points(leaf)) {
      if (body.is_flat[uz(vertex)]) continue;
      const FloatLanes& nearly = moved.get(body.shape, nearly_move, vertex);
      if (!other.tree.is_near_leaf(other_leaf, nearly, pair.nearly_reach)) continue;
      search.test(other.shape, other.tree, other_leaf,
                  other.leaves.get(other.shape, other.tree, other_leaf, pair.limits.flat_sine),
                  vertex, move(body.shape.point(vertex)), pair.limits);
    }
  };
  find(pair.body_1, leaves.a, moved_1_, pair.to_2, pair.nearly_to_2, pair.body_2, leaves.b,
       search_1_);
  find(pair.body_2, leaves.b, moved_2_, pair.to_1, pair.nearly_to_1, pair.body_1, leaves.a,
       search_2_);
}

unsigned MeshProximity::near_edges(const Pair& pair, unsigned among, const Searched& body, int leaf,
                                   MovedPoints& moved, const FloatPlacement& move,
                                   const SurfaceTree& other, int other_leaf) {
  const auto edges = body.tree.own_edges(leaf);
  unsigned near = 0;
  for (; among != 0; among &= among - 1) {
    const int edge = edges[uz(std::countr_zero(among))];
    const auto& ends = body.shape.topology().edges()[uz(edge)].point;
    const FloatLanes& a = moved.get(body.shape, move, ends[0]);
    const FloatLanes& b = moved.get(body.shape, move, ends[1]);
    if (other.is_near_leaf(other_leaf, a.min(b), a.max(b), pair.nearly_reach) &&
        body.shape.edge(edge).is_convex(pair.limits.flat_sine)) {
      near |= among & -among;
    }
  }
  return near;
}

void MeshProximity::find_edges(const Pair& pair, const LeafPair& leaves) {
  const Searched& one = pair.body_1;
  const Searched& two = pair.body_2;
  const unsigned among_1 = one.leaves.may_be_convex(one.shape, one.tree, leaves.a);
  const unsigned among_2 = two.leaves.may_be_convex(two.shape, two.tree, leaves.b);
  const auto find_near_1 = [&] {
    return near_edges(pair, among_1, one, leaves.a, moved_1_, pair.nearly_to_2, two.tree, leaves.b);
  };
  const auto find_near_2 = [&] {
    return near_edges(pair, among_2, two, leaves.b, moved_2_, pair.nearly_to_1, one.tree, leaves.a);
  };
  // fewer first: often the others need not be looked at
  const bool starts_with_2 = std::popcount(among_2) < std::popcount(among_1);
  unsigned near_2 = starts_with_2 ? find_near_2() : among_2;
  unsigned near_1 = near_2 != 0 ? find_near_1() : 0;
  if (near_1 == 0) return;
  if (!starts_with_2) near_2 = find_near_2();
  for (; near_1 != 0; near_1 &= near_1 - 1) {
    const int edge_1 = one.tree.own_edges(leaves.a)[uz(std::countr_zero(near_1))];
    const EdgeShape& edge = one.shape.edge(edge_1);
    const Vec3 a = pair.to_2(edge.start);
    const Vec3 u = pair.to_2.R * edge.along;
    for (unsigned left = near_2; left != 0; left &= left - 1) {
      const int edge_2 = two.tree.own_edges(leaves.b)[uz(std::countr_zero(left))];
      EdgeContact contact;
      if (find_edge_contact(one.shape, edge_1, a, u, two.shape, edge_2, pair.to_1.R, pair.limits,
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
