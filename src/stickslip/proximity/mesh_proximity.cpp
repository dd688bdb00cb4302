#include "stickslip/proximity/mesh_proximity.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

namespace stickslip {

namespace {

// cosine of the angle between faces that are one
constexpr double flat_cosine = 1.0 - 1e-12;
constexpr double radians = std::numbers::pi / 180.0;
// of the mean length of an edge: below this two places are one
constexpr double touching_share = 1e-6;
// a contact that turns by more than that between two steps is another one (15 degrees)
constexpr double followed_cosine = 0.966;
// cosine of the angle below which the normals of merged contacts differ
constexpr double merged_normals = 0.985;

double mean_edge_length(const SurfaceTopology& topology, std::span<const Vec3> points) {
  double sum = 0.0;
  for (const SurfaceEdge& edge : topology.edges()) {
    sum += (points[uz(edge.point[1])] - points[uz(edge.point[0])]).norm();
  }
  return sum / std::max(1.0, static_cast<double>(topology.edges().size()));
}

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

MeshProximity::MeshProximity(std::span<const ProximityBody> bodies,
                             std::span<const std::pair<int, int>> excluded,
                             const MeshProximityOptions& options)
    : options_(options) {
  bodies_.reserve(bodies.size());
  for (const ProximityBody& body : bodies) {
    SurfaceTopology topology(*body.surface, body.may_touch);
    SurfaceTree tree(topology, body.surface->points);
    const double edge_length = mean_edge_length(topology, body.surface->points);
    LeafShapes leaves(tree.leaf_count());
    bodies_.push_back({SurfaceShape(std::move(topology)), std::move(tree), std::move(leaves),
                       edge_length, body.is_immobile, false,
                       body.exact ? std::optional(*body.exact) : std::nullopt,
                       body.exact ? ShapeContacts::bulge(*body.exact, *body.surface) : 0.0,
                       std::vector<char>(body.surface->points.size())});
  }
  for (const auto& [i, j] : excluded) excluded_.push_back(std::minmax(i, j));
  std::sort(excluded_.begin(), excluded_.end());
  boxes_.resize(bodies.size());
}

void MeshProximity::find(std::span<const PlacedSurface> bodies, double alarm_distance,
                         std::vector<Proximity>& found) {
  assert(bodies.size() == bodies_.size());
  found.clear();
  const double depth = options_.max_depth > 0.0 ? options_.max_depth : alarm_distance;
  const double reach = std::max(alarm_distance, depth);

  // boxes in the world, half the reach around each
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Searched& body = bodies_[i];
    take_shape(bodies[i], body);
    const Vec3 low = body.tree.low();
    const Vec3 high = body.tree.high();
    const Vec3 centre = bodies[i].position + bodies[i].R * (0.5 * (low + high));
    const Vec3 half = bodies[i].R.cwiseAbs() * (0.5 * (high - low));
    const Vec3 margin = Vec3::Constant(0.5 * reach + body.bulge + 1e-12 * centre.norm());
    boxes_[i] = {centre - half - margin, centre + half + margin};
  }
  sweep_.find(boxes_, pairs_);

  std::erase_if(pairs_, [&](const std::pair<int, int>& pair) {
    return (bodies_[uz(pair.first)].is_immobile && bodies_[uz(pair.second)].is_immobile) ||
           std::binary_search(excluded_.begin(), excluded_.end(), pair);
  });
  for (const auto& [i, j] : pairs_) {
    search_pair(i, j, bodies[uz(i)], bodies[uz(j)], alarm_distance, found);
  }
}

void MeshProximity::take_shape(const PlacedSurface& placed, Searched& body) {
  if (!placed.has_new_shape && body.has_shape) {
    body.shape.move_points(placed.points);
    return;
  }
  body.tree.refit(placed.points);
  body.shape.reshape(placed.points);
  for (std::size_t v = 0; v < body.is_flat.size(); ++v) {
    body.is_flat[v] =
        !placed.has_new_shape && !body.shape.is_corner(static_cast<int>(v), flat_cosine);
  }
  body.has_shape = true;
}

ContactLimits MeshProximity::limits(int i, int j, double alarm_distance) const {
  const double edge_length = std::min(bodies_[uz(i)].edge_length, bodies_[uz(j)].edge_length);
  return {alarm_distance, options_.max_depth > 0.0 ? options_.max_depth : alarm_distance,
          touching_share * edge_length, std::sin(options_.slope_deg * radians),
          std::sin(options_.flat_deg * radians)};
}

bool MeshProximity::follow(std::span<const PlacedSurface> bodies, double alarm_distance,
                           Proximity& known) {
  const SurfaceShape& shape_1 = bodies_[uz(known.body_1)].shape;
  const SurfaceShape& shape_2 = bodies_[uz(known.body_2)].shape;
  const PlacedSurface& placed_1 = bodies[uz(known.body_1)];
  const PlacedSurface& placed_2 = bodies[uz(known.body_2)];
  const auto world_1 = [&](const Vec3& p) { return Vec3(placed_1.position + placed_1.R * p); };
  const auto world_2 = [&](const Vec3& p) { return Vec3(placed_2.position + placed_2.R * p); };

  if (is_exact(known.kind)) return false;
  if (known.kind == FeatureKind::edge_edge) {
    // the lines of both edges cross between their ends, whichever way the faces beside them bend
    const EdgeShape& edge_1 = shape_1.edge(known.feature_1);
    const EdgeShape& edge_2 = shape_2.edge(known.feature_2);
    const Vec3 u = placed_1.R * edge_1.along;
    const Vec3 v = placed_2.R * edge_2.along;
    const Vec3 apart = world_1(edge_1.start) - world_2(edge_2.start);
    const Vec3 across = u.cross(v);
    const double squared = across.squaredNorm();
    if (squared <= parallel_sine * parallel_sine * u.squaredNorm() * v.squaredNorm()) return false;
    const double share_1 = v.cross(apart).dot(across) / squared;
    const double share_2 = u.cross(apart).dot(across) / squared;
    if (share_1 <= 0.0 || share_1 >= 1.0 || share_2 <= 0.0 || share_2 >= 1.0) return false;
    const Vec3 normal =
        across / (known.normal.dot(across) < 0.0 ? -std::sqrt(squared) : std::sqrt(squared));
    known.P = shape_1.at_edge(known.feature_1, share_1);
    known.Q = shape_2.at_edge(known.feature_2, share_2);
    known.gap = apart.dot(normal);
    if (normal.dot(known.normal) < followed_cosine) return false;
    known.normal = normal;
  } else if (known.kind != FeatureKind::supplied) {
    // the vertex still projects into the face
    const bool is_vertex_of_1 = known.kind == FeatureKind::vertex_face;
    const SurfaceShape& shape = is_vertex_of_1 ? shape_2 : shape_1;
    const PlacedSurface& placed = is_vertex_of_1 ? placed_2 : placed_1;
    const Vec3 vertex = is_vertex_of_1 ? world_1(shape_1.point(known.feature_1))
                                       : world_2(shape_2.point(known.feature_2));
    const int triangle = is_vertex_of_1 ? known.feature_2 : known.feature_1;
    const FaceShape& face = shape.face(triangle);
    const Vec3 from_corner = placed.R.transpose() * (vertex - placed.position) - face.corner;
    const double weight_1 = face.slope[0].dot(from_corner);
    const double weight_2 = face.slope[1].dot(from_corner);
    const std::array<double, 3> weight = {1.0 - weight_1 - weight_2, weight_1, weight_2};
    if (std::min({weight[0], weight[1], weight[2]}) < 0.0) return false;
    const Vec3 normal = (is_vertex_of_1 ? 1.0 : -1.0) * (placed.R * face.normal);
    if (normal.dot(known.normal) < followed_cosine) return false;
    (is_vertex_of_1 ? known.Q : known.P) = shape.in_triangle(triangle, weight);
    known.normal = normal;
    known.gap = face.normal.dot(from_corner);
  } else {
    return false;
  }
  const double depth = options_.max_depth > 0.0 ? options_.max_depth : alarm_distance;
  return known.gap <= alarm_distance && known.gap >= -depth;
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
  const SurfaceShape& shape_1 = body_1.shape;
  const SurfaceShape& shape_2 = body_2.shape;
  const Placement to_2{placed_2.R.transpose() * placed_1.R,
                       placed_2.R.transpose() * (placed_1.position - placed_2.position)};
  const Placement to_1 = to_2.inverse();
  const double edge_length = std::min(body_1.edge_length, body_2.edge_length);
  const ContactLimits limits = this->limits(i, j, alarm_distance);

  // features of leaves that are near
  leaf_pairs_.clear();
  find_leaves(i, j, to_2, limits.reach(), leaf_pairs_);
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
  for (const LeafPair& pair : leaf_pairs_) {
    const LeafShape& leaf_1 = body_1.leaves.get(shape_1, body_1.tree, pair.a, limits.flat_sine);
    const LeafShape& leaf_2 = body_2.leaves.get(shape_2, body_2.tree, pair.b, limits.flat_sine);
    for (const int vertex : body_1.tree.own_points(pair.a)) {
      if (body_1.is_flat[uz(vertex)]) continue;
      const Vec3& p_1 = shape_1.point(vertex);
      if (!body_2.tree.is_near_leaf(pair.b, nearly_to_2(p_1), reach)) continue;
      const Vec3 p = to_2(p_1);
      search_1_.test(shape_2, body_2.tree, pair.b, leaf_2, vertex, p, limits);
    }
    for (const int vertex : body_2.tree.own_points(pair.b)) {
      if (body_2.is_flat[uz(vertex)]) continue;
      const Vec3& p_2 = shape_2.point(vertex);
      if (!body_1.tree.is_near_leaf(pair.a, nearly_to_1(p_2), reach)) continue;
      const Vec3 p = to_1(p_2);
      search_2_.test(shape_1, body_1.tree, pair.a, leaf_1, vertex, p, limits);
    }
    if (leaf_2.convex_count == 0) continue;
    for (int k = 0; k < leaf_1.convex_count; ++k) {
      const int edge_1 = leaf_1.convex[uz(k / 4)].edge[uz(k % 4)];
      const EdgeShape& edge = shape_1.edge(edge_1);
      const Vec3 a = to_2(edge.start);
      const Vec3 u = to_2.R * edge.along;
      unsigned crossing = edges_crossing(leaf_2, a, u, limits.reach());
      for (; crossing != 0; crossing &= crossing - 1) {
        const std::size_t place = uz(std::countr_zero(crossing));
        EdgeContact contact;
        if (find_edge_contact(shape_1, edge_1, a, u, shape_2,
                              leaf_2.convex[place / 4].edge[place % 4], to_1.R, limits, contact)) {
          edges_.push_back(contact);
        }
      }
    }
  }
  vertices_1_.clear();
  vertices_2_.clear();
  search_1_.finish(shape_2, shape_1, to_1.R, limits, vertices_1_);
  search_2_.finish(shape_1, shape_2, to_2.R, limits, vertices_2_);

  if (options_.interpolate_normals) {
    if (!placed_2.has_new_shape) smooth(shape_2, vertices_1_);
    if (!placed_1.has_new_shape) smooth(shape_1, vertices_2_);
  }

  // in world axes; a corner at a corner is found from both sides and kept from the first
  const std::size_t first = found.size();
  const auto add_vertex_of_1 = [&](const VertexContact& contact) {
    found.push_back({i, j, shape_1.at_point(contact.vertex),
                     shape_2.in_triangle(contact.triangle, contact.weight),
                     placed_2.R * contact.normal, contact.gap, FeatureKind::vertex_face,
                     contact.vertex, contact.triangle, -contact.bulge});
  };
  const auto add_vertex_of_2 = [&](const VertexContact& contact) {
    found.push_back({i, j, shape_1.in_triangle(contact.triangle, contact.weight),
                     shape_2.at_point(contact.vertex), -(placed_1.R * contact.normal), contact.gap,
                     FeatureKind::face_vertex, contact.triangle, contact.vertex, -contact.bulge});
  };
  for (const VertexContact& contact : vertices_1_) {
    if (!contact.is_guessed) add_vertex_of_1(contact);
  }
  for (const VertexContact& contact : vertices_2_) {
    if (contact.is_guessed) continue;
    const auto [begin, end] =
        std::equal_range(vertices_1_.begin(), vertices_1_.end(), contact.corner, ByVertex());
    const bool is_known = std::any_of(begin, end, [&](const VertexContact& other) {
      return other.corner == contact.vertex && !other.is_guessed;
    });
    if (!is_known) add_vertex_of_2(contact);
  }

  // overlapping edges count only where each is inside the other body
  const auto is_inside = [&](const Searched& body, const SurfaceShape& shape, const Vec3& p) {
    const NearestPlace nearest = body.tree.nearest(shape, p, limits.max_depth + limits.touching);
    return nearest.triangle >= 0 &&
           shape.is_behind(nearest.triangle, nearest.on, p, limits.touching);
  };
  const auto is_near_entry = [&](const SurfaceShape& shape, int edge, double share, double depth,
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
      if (!is_inside(body_2, shape_2, on_1) || !is_inside(body_1, shape_1, to_1(contact.place))) {
        continue;
      }
    }
    found.push_back({i, j, shape_1.at_edge(contact.edge_1, contact.share_1),
                     shape_2.at_edge(contact.edge_2, contact.share_2), placed_2.R * contact.normal,
                     contact.gap, FeatureKind::edge_edge, contact.edge_1, contact.edge_2});
  }

  // a guess counts where nothing else was found
  const auto is_bare = [&](const Vec3& place_in_2) {
    return std::none_of(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
                        [&](const Proximity& other) {
                          return (position(shape_2, other.Q) - place_in_2).norm() <=
                                 3.0 * limits.touching;
                        });
  };
  for (const VertexContact& contact : vertices_1_) {
    if (contact.is_guessed && is_bare(contact.place)) add_vertex_of_1(contact);
  }
  for (const VertexContact& contact : vertices_2_) {
    if (contact.is_guessed && is_bare(shape_2.point(contact.vertex))) add_vertex_of_2(contact);
  }

  std::sort(found.begin() + static_cast<std::ptrdiff_t>(first), found.end(),
            [](const Proximity& a, const Proximity& b) {
              return std::tuple(a.kind, a.feature_1, a.feature_2) <
                     std::tuple(b.kind, b.feature_1, b.feature_2);
            });
  places_.clear();
  for (std::size_t k = first; k < found.size(); ++k) {
    places_.push_back(0.5 * (position(shape_2, found[k].Q) + to_2(position(shape_1, found[k].P))));
  }
  merge(first, options_.merge_share * edge_length, found);
}

void MeshProximity::find_leaves(int i, int j, const Placement& to_2, double reach,
                                std::vector<LeafPair>& leaves) {
  find_leaf_pairs(bodies_[uz(i)].tree, bodies_[uz(j)].tree, to_2, reach, leaves);
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

void MeshProximity::merge(std::size_t first, double distance, std::vector<Proximity>& found) {
  const std::size_t count = found.size() - first;
  order_.resize(count);
  is_dropped_.assign(count, 0);
  for (std::size_t k = 0; k < count; ++k) order_[k] = static_cast<int>(k);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    return std::pair(places_[uz(a)].x(), a) < std::pair(places_[uz(b)].x(), b);
  });

  // of two at one spot the earlier in the list stays, unless the other is clearly nearer
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t a = uz(order_[k]);
    for (std::size_t l = k + 1; l < count; ++l) {
      const std::size_t b = uz(order_[l]);
      if (places_[b].x() - places_[a].x() > distance) break;
      if ((places_[a] - places_[b]).squaredNorm() > distance * distance) continue;
      if (found[first + a].normal.dot(found[first + b].normal) < merged_normals) continue;
      const auto [early, late] = std::minmax(a, b);
      const bool late_is_nearer =
          found[first + late].gap < found[first + early].gap - 1e-5 * distance;
      is_dropped_[late_is_nearer ? early : late] = 1;
    }
  }
  std::size_t kept = first;
  for (std::size_t k = 0; k < count; ++k) {
    if (is_dropped_[k] != 0) continue;
    if (kept != first + k) found[kept] = found[first + k];
    ++kept;
  }
  found.resize(kept);
}

}  // namespace stickslip
