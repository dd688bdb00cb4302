#include "stickslip/proximity/mesh_proximity.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace stickslip {

namespace {

// cosine of the angle between faces that are one
constexpr double flat_cosine = 1.0 - 1e-12;
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

std::vector<char> immobile(std::span<const ProximityBody> bodies) {
  std::vector<char> is_immobile;
  for (const ProximityBody& body : bodies) is_immobile.push_back(body.is_immobile ? 1 : 0);
  return is_immobile;
}

}  // namespace

MeshProximity::MeshProximity(std::span<const ProximityBody> bodies,
                             std::span<const std::pair<int, int>> excluded,
                             const MeshProximityOptions& options)
    : options_(options), touching_pairs_(immobile(bodies), excluded) {
  bodies_.reserve(bodies.size());
  for (const ProximityBody& body : bodies) {
    SurfaceTopology topology(*body.surface, body.may_touch);
    SurfaceTree tree(topology, body.surface->points);
    const double edge_length = mean_edge_length(topology, body.surface->points);
    LeafShapes leaves(tree.leaf_count());
    SurfaceShape shape(std::move(topology), body.surface->points);
    const double bulge = body.exact ? ShapeContacts::bulge(*body.exact, *body.surface) : 0.0;
    std::vector<char> is_flat(body.surface->points.size());
    bodies_.push_back({.shape = std::move(shape),
                       .tree = std::move(tree),
                       .leaves = std::move(leaves),
                       .edge_length = edge_length,
                       .exact = body.exact ? std::optional(*body.exact) : std::nullopt,
                       .bulge = bulge,
                       .is_flat = std::move(is_flat)});
    if (!body.displacement.has_loads()) continue;
    take_loads(body.displacement, bodies_.back());
  }
  boxes_.resize(bodies.size());
  int most_points = 0;
  for (const Searched& body : bodies_) {
    most_points = std::max(most_points, body.shape.topology().point_count());
  }
  moved_1_.reserve(most_points);
  moved_2_.reserve(most_points);
}

void MeshProximity::reserve(int contacts) {
  broad_phase_.reserve(static_cast<int>(bodies_.size()), pairs_);

  int largest = 0;
  int second = 0;
  for (const Searched& body : bodies_) {
    second = std::max(second, std::min(largest, body.tree.leaf_count()));
    largest = std::max(largest, body.tree.leaf_count());
  }
  reserve_leaf_pairs(largest, second, leaf_pairs_);

  // a solve may leave bodies deep in each other, where a pass looks again: more is near then than
  // contacts are taken
  constexpr int features_of_leaf = 2;
  constexpr int most_features = 512;
  constexpr int candidates_a_contact = 8;
  const int places = contacts + std::min(features_of_leaf * largest, most_features);
  const std::size_t candidates = uz(candidates_a_contact * places);
  search_1_.reserve(places);
  search_2_.reserve(places);
  vertices_1_.reserve(candidates);
  vertices_2_.reserve(candidates);
  edges_.reserve(candidates);
  places_.reserve(candidates);
  order_.reserve(candidates);
  is_dropped_.reserve(candidates);
  shape_contacts_.reserve(candidates, leaf_pairs_.capacity());
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
  broad_phase_.find(boxes_, pairs_);

  std::erase_if(pairs_,
                [&](const std::pair<int, int>& pair) { return !touching_pairs_.may_touch(pair); });
  for (const auto& [i, j] : pairs_) {
    search_pair(i, j, bodies[uz(i)], bodies[uz(j)], alarm_distance, found);
  }
}

void MeshProximity::take_shape(const PlacedSurface& placed, Searched& body) {
  if (!placed.has_new_shape && body.has_shape) {
    body.shape.move_points(placed.points);
    return;
  }
  if (placed.displacement != nullptr) {
    take_displacement(*placed.displacement, body);
    return;
  }
  body.has_loads = false;
  body.tree.refit(placed.points);
  body.shape.reshape(placed.points);
  for (std::size_t v = 0; v < body.is_flat.size(); ++v) {
    body.is_flat[v] =
        !placed.has_new_shape && !body.shape.is_corner(static_cast<int>(v), flat_cosine);
  }
  body.has_shape = true;
}

void MeshProximity::take_displacement(const Displacement& displacement, Searched& body) {
  const SurfaceAnswers* answers = displacement.answers();
  const bool is_near = displacement.has_loads() && body.has_loads && body.answers == answers;
  if (is_near && body.has_shape && body.loads == displacement.loads()) {
    body.shape.move_displacement(displacement);
    return;
  }
  if (!body.has_shape) std::fill(body.is_flat.begin(), body.is_flat.end(), 0);
  body.has_shape = true;
  const double moved = is_near ? answers->distance(body.loads, displacement.loads()) : 0.0;
  if (displacement.has_loads()) {
    take_loads(displacement, body);
  } else {
    body.has_loads = false;
  }
  body.shape.reshape(displacement);
  if (is_near && std::isfinite(moved)) {
    body.tree.loosen(moved);
  } else {
    body.tree.refit(body.shape.points());
  }
}

void MeshProximity::take_loads(const Displacement& displacement, Searched& body) {
  const SurfaceAnswers* answers = displacement.answers();
  if (body.answers != answers) {
    body.answers = answers;
    body.tree.soften(displacement.softness());
    body.loads.nodes.reserve(uz(answers->contact_count()));
    body.loads.forces.reserve(uz(answers->contact_count()));
  }
  body.loads = displacement.loads();
  body.has_loads = true;
}

void MeshProximity::fit_near_leaves(int i, int j, const Placement& to_2, double reach) {
  Searched& one = bodies_[uz(i)];
  Searched& two = bodies_[uz(j)];
  const bool has_fitted_one = one.tree.fit(one.shape, leaf_pairs_, &LeafPair::a);
  const bool has_fitted_two = two.tree.fit(two.shape, leaf_pairs_, &LeafPair::b);
  if (has_fitted_one || has_fitted_two) {
    keep_near_leaves(one.tree, two.tree, to_2, reach, leaf_pairs_);
  }
}

bool MeshProximity::follow(std::span<const PlacedSurface> bodies, double alarm_distance,
                           Proximity& known) {
  const SurfaceShape& shape_1 = bodies_[uz(known.body_1)].shape;
  const SurfaceShape& shape_2 = bodies_[uz(known.body_2)].shape;
  const PlacedSurface& placed_1 = bodies[uz(known.body_1)];
  const PlacedSurface& placed_2 = bodies[uz(known.body_2)];
  // the same displacements as find had, which may be kept elsewhere by now
  for (const int b : {known.body_1, known.body_2}) {
    const Displacement* displacement = bodies[uz(b)].displacement;
    if (displacement != nullptr) bodies_[uz(b)].shape.move_displacement(*displacement);
  }
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

void MeshProximity::find_leaves(int i, int j, const Placement& to_2, double reach,
                                std::vector<LeafPair>& leaves) {
  find_leaf_pairs(bodies_[uz(i)].tree, bodies_[uz(j)].tree, to_2, reach, leaves);
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
