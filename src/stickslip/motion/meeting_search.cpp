#include "stickslip/motion/meeting_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr int most_turn_pieces = 16;
// what detection at one moment adds to the cones of normals (20 degrees)
constexpr double most_tilt = 0.342;
constexpr double never_met = std::numeric_limits<double>::infinity();

Vec3 position(const PlacedSurface& placed, const SurfacePoint& place) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) sum += place.weight[k] * placed.points[uz(place.corner[k])];
  return placed.position + placed.R * sum;
}

/// Whether the ways of features may meet: their boxes do.
bool may_meet(std::span<const MovingPoint> one, std::span<const MovingPoint> two) {
  for (int axis = 0; axis < 3; ++axis) {
    double low_1 = one[0].from[axis];
    double high_1 = low_1;
    for (const MovingPoint& p : one) {
      low_1 = std::min({low_1, p.from[axis], p.to[axis]});
      high_1 = std::max({high_1, p.from[axis], p.to[axis]});
    }
    double low_2 = two[0].from[axis];
    double high_2 = low_2;
    for (const MovingPoint& p : two) {
      low_2 = std::min({low_2, p.from[axis], p.to[axis]});
      high_2 = std::max({high_2, p.from[axis], p.to[axis]});
    }
    if (low_1 > high_2 || low_2 > high_1) return false;
  }
  return true;
}

}  // namespace

std::array<MovingPoint, 3> MeetingSearch::Searched::triangle(int t) const {
  const auto& corners = topology.triangles()[uz(t)];
  return {point(corners[0]), point(corners[1]), point(corners[2])};
}

std::array<MovingPoint, 2> MeetingSearch::Searched::edge(int e) const {
  const auto& ends = topology.edges()[uz(e)].point;
  return {point(ends[0]), point(ends[1])};
}

Vec3 MeetingSearch::Searched::normal(int t, double time) const {
  const auto corners = triangle(t);
  const Vec3 a = corners[0].at(time);
  return (corners[1].at(time) - a).cross(corners[2].at(time) - a).normalized();
}

MeetingSearch::MeetingSearch(std::span<const ProximityBody> bodies) {
  for (const ProximityBody& body : bodies) {
    SurfaceTopology topology(*body.surface, body.may_touch);
    SurfaceTree tree(topology, body.surface->points);
    double radius = 0.0;
    for (const Vec3& p : body.surface->points) radius = std::max(radius, p.norm());
    const std::vector<Vec3> room(body.surface->points.size());
    bodies_.push_back(
        {std::move(topology), std::move(tree), radius, {}, {}, Vec3::Zero(), room, room});
  }
}

void MeetingSearch::reserve() {
  int largest = 0;
  int second = 0;
  for (const Searched& body : bodies_) {
    second = std::max(second, std::min(largest, body.tree.leaf_count()));
    largest = std::max(largest, body.tree.leaf_count());
  }
  reserve_leaf_pairs(largest, second, leaf_pairs_);
  constexpr std::size_t features_of_leaves = 4;
  near_features_.reserve(features_of_leaves * leaf_pairs_.capacity());
}

void MeetingSearch::place(int body, const PlacedSurface& from, const PlacedSurface& to) {
  Searched& searched = bodies_[uz(body)];
  searched.from = from;
  searched.to = to;
  searched.rotation = turn_between(Quat(from.R), Quat(to.R));
}

void MeetingSearch::world_points(const Searched& body, double time, std::vector<Vec3>& points) {
  const Mat3 R = rotation_exp(time * body.rotation).toRotationMatrix() * body.from.R;
  const Vec3 position = (1.0 - time) * body.from.position + time * body.to.position;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 local = (1.0 - time) * body.from.points[i] + time * body.to.points[i];
    points[i] = position + R * local;
  }
}

int MeetingSearch::piece_count(const Searched& one, const Searched& two) const {
  // an arc rises over its chord by r angle^2 / 8
  const double rise =
      (one.radius * one.rotation.squaredNorm() + two.radius * two.rotation.squaredNorm()) / 8.0;
  return std::clamp(static_cast<int>(std::ceil(std::sqrt(rise / accuracy_))), 1, most_turn_pieces);
}

void MeetingSearch::find(int i, int j, std::vector<Meeting>& hits) {
  Searched& one = bodies_[uz(i)];
  Searched& two = bodies_[uz(j)];
  const int pieces = piece_count(one, two);
  world_points(one, 0.0, one.begin);
  world_points(two, 0.0, two.begin);
  for (int k = 0; k < pieces; ++k) {
    const double length = 1.0 / pieces;
    world_points(one, (k + 1) * length, one.end);
    world_points(two, (k + 1) * length, two.end);
    one.tree.refit(one.begin, one.end);
    two.tree.refit(two.begin, two.end);
    leaf_pairs_.clear();
    find_leaf_pairs(one.tree, two.tree, Placement{}, 0.0, leaf_pairs_);
    search_leaves({k * length, length}, i, j, hits);
    std::swap(one.begin, one.end);
    std::swap(two.begin, two.end);
  }
}

void MeetingSearch::search_leaves(const Piece& piece, int i, int j, std::vector<Meeting>& hits) {
  const Searched& one = bodies_[uz(i)];
  const Searched& two = bodies_[uz(j)];
  const auto in_triangle = [](const SurfaceTopology& topology, int t,
                              const FeatureMeeting& meeting) {
    return SurfacePoint{topology.triangles()[uz(t)], meeting.weight};
  };
  for (const LeafPair& leaves : leaf_pairs_) {
    for (const int v : one.tree.own_points(leaves.a)) {
      const std::array<MovingPoint, 1> point{one.point(v)};
      for (const int t : two.tree.faces(leaves.b)) {
        const auto triangle = two.triangle(t);
        if (!may_meet(point, triangle)) continue;
        const auto meeting = point_meets_triangle(point[0], triangle);
        if (!meeting) continue;
        const double behind = vertex_behind(one, v, meeting->time, -meeting->normal);
        add(piece, *meeting, behind,
            {i, j, one.topology.at_point(v), in_triangle(two.topology, t, *meeting),
             meeting->normal, 0.0, FeatureKind::vertex_face, v, t},
            hits);
      }
    }
    for (const int v : two.tree.own_points(leaves.b)) {
      const std::array<MovingPoint, 1> point{two.point(v)};
      for (const int t : one.tree.faces(leaves.a)) {
        const auto triangle = one.triangle(t);
        if (!may_meet(point, triangle)) continue;
        const auto meeting = point_meets_triangle(point[0], triangle);
        if (!meeting) continue;
        const double behind = vertex_behind(two, v, meeting->time, -meeting->normal);
        add(piece, *meeting, behind,
            {i, j, in_triangle(one.topology, t, *meeting), two.topology.at_point(v),
             -meeting->normal, 0.0, FeatureKind::face_vertex, t, v},
            hits);
      }
    }
    for (const int e_1 : one.tree.own_edges(leaves.a)) {
      const auto edge_1 = one.edge(e_1);
      for (const int e_2 : two.tree.own_edges(leaves.b)) {
        const auto edge_2 = two.edge(e_2);
        if (!may_meet(edge_1, edge_2)) continue;
        const auto meeting = segments_meet(edge_1, edge_2);
        if (!meeting) continue;
        const double behind = std::max(edge_behind(one, e_1, meeting->time, -meeting->normal),
                                       edge_behind(two, e_2, meeting->time, meeting->normal));
        add(piece, *meeting, behind,
            {i, j, one.topology.at_edge(e_1, meeting->weight[0]),
             two.topology.at_edge(e_2, meeting->weight[1]), meeting->normal, 0.0,
             FeatureKind::edge_edge, e_1, e_2},
            hits);
      }
    }
  }
}

void MeetingSearch::add(const Piece& piece, const FeatureMeeting& meeting, double behind,
                        Proximity where, std::vector<Meeting>& hits) const {
  if (behind == never_met) return;
  const Searched& one = bodies_[uz(where.body_1)];
  const Searched& two = bodies_[uz(where.body_2)];
  // what overlaps at the beginning is not met now
  const double start = where.normal.dot(position(one.from, where.P) - position(two.from, where.Q));
  const double end = where.normal.dot(position(one.to, where.P) - position(two.to, where.Q));
  where.gap = std::max(0.0, start);
  hits.push_back({where, piece.start + meeting.time * piece.length, -end, behind});
}

double MeetingSearch::vertex_behind(const Searched& body, int vertex, double time, const Vec3& n) {
  const Vec3 p = body.point(vertex).at(time);
  double behind = 0.0;
  for (const int other : body.topology.neighbours(vertex)) {
    const Vec3 edge = body.point(other).at(time) - p;
    const double ahead = n.dot(edge);
    if (ahead > most_tilt * edge.norm()) return never_met;
    behind = std::max(behind, ahead);
  }
  Vec3 outward = Vec3::Zero();
  for (const int t : body.topology.triangles_around(vertex)) outward += body.normal(t, time);
  return body.topology.is_on_border(vertex) || n.dot(outward) > 0.0 ? behind : never_met;
}

double MeetingSearch::edge_behind(const Searched& body, int edge, double time, const Vec3& n) {
  const SurfaceEdge& ends = body.topology.edges()[uz(edge)];
  const auto line = body.edge(edge);
  const Vec3 start = line[0].at(time);
  const Vec3 along = (line[1].at(time) - start).normalized();
  Vec3 outward = Vec3::Zero();
  double behind = 0.0;
  for (const int t : ends.triangle) {
    if (t < 0) continue;
    const auto& edges = body.topology.triangle_edges(t);
    const std::size_t far = edges[0] == edge ? 0 : edges[1] == edge ? 1 : 2;
    Vec3 inward = body.triangle(t)[far].at(time) - start;
    inward -= inward.dot(along) * along;
    const double ahead = n.dot(inward);
    if (ahead > most_tilt * inward.norm()) return never_met;
    behind = std::max(behind, ahead);
    outward += body.normal(t, time);
  }
  return n.dot(outward) > 0.0 ? behind : never_met;
}

}  // namespace stickslip
