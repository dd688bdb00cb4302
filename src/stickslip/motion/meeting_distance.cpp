#include <algorithm>
#include <cmath>

#include "stickslip/motion/meeting_search.hpp"
#include "stickslip/proximity/feature_distance.hpp"

namespace stickslip {

namespace {

constexpr int most_pieces = 256;
constexpr int most_advances = 100;

/// Whether the ways of features may come within reach: their boxes do.
bool may_come_near(std::span<const MovingPoint> one, std::span<const MovingPoint> two,
                   double reach) {
  const auto box = [](std::span<const MovingPoint> points) {
    Eigen::AlignedBox3d result;
    for (const MovingPoint& p : points) result.extend(p.from).extend(p.to);
    return result;
  };
  return box(one).squaredExteriorDistance(box(two)) <= reach * reach;
}

/// How fast features may come nearer along n, the direction from the second to the first.
double closing_speed(std::span<const MovingPoint> one, std::span<const MovingPoint> two,
                     const Vec3& n) {
  const auto along = [&](const MovingPoint& p) { return n.dot(p.to - p.from); };
  double slowest = along(one[0]);
  double fastest = along(two[0]);
  for (const MovingPoint& p : one) slowest = std::min(slowest, along(p));
  for (const MovingPoint& p : two) fastest = std::max(fastest, along(p));
  return fastest - slowest;
}

/// Points of a feature: up to three.
struct FeaturePoints {
  std::array<MovingPoint, 3> point;
  std::size_t count;
  std::span<const MovingPoint> all() const { return {point.data(), count}; }
};

}  // namespace

double MeetingSearch::time_of_approach(int i, int j, double least, Proximity& where) {
  Searched& one = bodies_[uz(i)];
  Searched& two = bodies_[uz(j)];

  // a way rises over its chord by an eighth of its second derivative at most
  double rise = 0.0;
  for (const Searched* body : {&one, &two}) {
    double moved = 0.0;
    double radius = 0.0;
    for (std::size_t k = 0; k < body->from.points.size(); ++k) {
      moved = std::max(moved, (body->to.points[k] - body->from.points[k]).squaredNorm());
      radius =
          std::max({radius, body->to.points[k].squaredNorm(), body->from.points[k].squaredNorm()});
    }
    const double turn = body->rotation.norm();
    rise += (turn * turn * std::sqrt(radius) + 2.0 * turn * std::sqrt(moved)) / 8.0;
  }
  const double needed = std::ceil(std::sqrt(rise / (0.5 * least)));
  where = {};
  if (!(needed <= most_pieces)) return 0.0;
  const int pieces = std::max(1, static_cast<int>(needed));

  world_points(one, 0.0, one.begin);
  world_points(two, 0.0, two.begin);
  for (int k = 0; k < pieces; ++k) {
    world_points(one, (k + 1.0) / pieces, one.end);
    world_points(two, (k + 1.0) / pieces, two.end);
    one.tree.refit(one.begin, one.end);
    two.tree.refit(two.begin, two.end);
    collect_near_features(one, two, 2.0 * least);
    double earliest = 1.0;
    for (const FeaturePair& features : near_features_) {
      Proximity there;
      const double time = time_of_approach(i, j, features, least, there);
      if (time >= earliest) continue;
      earliest = time;
      where = there;
    }
    if (earliest < 1.0) return (k + earliest) / pieces;
    std::swap(one.begin, one.end);
    std::swap(two.begin, two.end);
  }
  return 1.0;
}

void MeetingSearch::collect_near_features(const Searched& one, const Searched& two, double reach) {
  leaf_pairs_.clear();
  near_features_.clear();
  find_leaf_pairs(one.tree, two.tree, Placement{}, reach, leaf_pairs_);
  for (const LeafPair& leaves : leaf_pairs_) {
    for (const int v : one.tree.own_points(leaves.a)) {
      const std::array<MovingPoint, 1> point{one.point(v)};
      for (const int t : two.tree.faces(leaves.b)) {
        if (!may_come_near(point, two.triangle(t), reach)) continue;
        near_features_.push_back({FeatureKind::vertex_face, v, t});
      }
    }
    for (const int v : two.tree.own_points(leaves.b)) {
      const std::array<MovingPoint, 1> point{two.point(v)};
      for (const int t : one.tree.faces(leaves.a)) {
        if (!may_come_near(one.triangle(t), point, reach)) continue;
        near_features_.push_back({FeatureKind::face_vertex, t, v});
      }
    }
    for (const int e_1 : one.tree.own_edges(leaves.a)) {
      for (const int e_2 : two.tree.own_edges(leaves.b)) {
        if (!may_come_near(one.edge(e_1), two.edge(e_2), reach)) continue;
        near_features_.push_back({FeatureKind::edge_edge, e_1, e_2});
      }
    }
  }
}

Proximity MeetingSearch::nearest(int i, int j, const FeaturePair& features, double time) const {
  const Searched& one = bodies_[uz(i)];
  const Searched& two = bodies_[uz(j)];
  const int f_1 = features.feature_1;
  const int f_2 = features.feature_2;
  const auto on_triangle = [&](const Searched& body, int t, const Vec3& p) {
    const auto corner = body.triangle(t);
    return closest_on_triangle(p, corner[0].at(time), corner[1].at(time), corner[2].at(time));
  };
  Proximity where;
  where.body_1 = i;
  where.body_2 = j;
  where.kind = features.kind;
  where.feature_1 = f_1;
  where.feature_2 = f_2;
  Vec3 apart;
  if (features.kind == FeatureKind::edge_edge) {
    const auto edge_1 = one.edge(f_1);
    const auto edge_2 = two.edge(f_2);
    const Vec3 a = edge_1[0].at(time);
    const Vec3 b = edge_1[1].at(time);
    const Vec3 c = edge_2[0].at(time);
    const Vec3 d = edge_2[1].at(time);
    const SegmentPoints on = closest_on_segments(a, b, c, d);
    where.P = one.topology.at_edge(f_1, on.s);
    where.Q = two.topology.at_edge(f_2, on.t);
    apart = a + on.s * (b - a) - c - on.t * (d - c);
  } else if (features.kind == FeatureKind::vertex_face) {
    const Vec3 p = one.point(f_1).at(time);
    const TrianglePoint on = on_triangle(two, f_2, p);
    where.P = one.topology.at_point(f_1);
    where.Q = {two.topology.triangles()[uz(f_2)], on.weight};
    apart = p - on.point;
  } else {
    const Vec3 p = two.point(f_2).at(time);
    const TrianglePoint on = on_triangle(one, f_1, p);
    where.P = {one.topology.triangles()[uz(f_1)], on.weight};
    where.Q = two.topology.at_point(f_2);
    apart = on.point - p;
  }
  where.gap = apart.norm();
  where.normal = apart / where.gap;
  return where;
}

double MeetingSearch::time_of_approach(int i, int j, const FeaturePair& features, double least,
                                       Proximity& where) const {
  const auto points_of = [](const Searched& body, bool is_point, bool is_edge, int feature) {
    if (is_point) return FeaturePoints{{body.point(feature)}, 1};
    if (is_edge) {
      const auto edge = body.edge(feature);
      return FeaturePoints{{edge[0], edge[1]}, 2};
    }
    return FeaturePoints{body.triangle(feature), 3};
  };
  const bool is_edge = features.kind == FeatureKind::edge_edge;
  const FeaturePoints one = points_of(bodies_[uz(i)], features.kind == FeatureKind::vertex_face,
                                      is_edge, features.feature_1);
  const FeaturePoints two = points_of(bodies_[uz(j)], features.kind == FeatureKind::face_vertex,
                                      is_edge, features.feature_2);

  // the plane between them stays between them for a while
  double time = 0.0;
  for (int k = 0; k < most_advances; ++k) {
    where = nearest(i, j, features, time);
    if (where.gap < 2.0 * least) return time;
    const double speed = closing_speed(one.all(), two.all(), where.normal);
    if (speed <= 0.0) return 1.0;
    time += (where.gap - least) / speed;
    if (time >= 1.0) return 1.0;
  }
  return time;
}

}  // namespace stickslip
