#include "stickslip/proximity/mesh_proximity.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "tests/proximity/example_shapes.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

using namespace testing_support;

/// Two bodies and what is found between them.
struct Pair {
  Pair(const Surface& a, const Surface& b, const MeshProximityOptions& options = {})
      : surface_1(a), surface_2(b), points_1(a.points), points_2(b.points) {
    const std::vector<ProximityBody> bodies{{&surface_1}, {&surface_2}};
    method.emplace_back(bodies, std::span<const std::pair<int, int>>(), options);
    placed.resize(2);
  }

  const std::vector<Proximity>& find(double alarm_distance) {
    placed[0].points = points_1;
    placed[1].points = points_2;
    method.front().find(placed, alarm_distance, found);
    return found;
  }

  double distance() {
    placed[0].points = points_1;
    placed[1].points = points_2;
    return surface_distance(surface_1, world_points(placed[0]), surface_2, world_points(placed[1]));
  }

  /// Turns both at random and brings them so near that the distance is `target`.
  void approach(std::mt19937& random, double target) {
    placed[0].R = random_rotation(random);
    placed[1].R = random_rotation(random);
    const Vec3 direction = random_rotation(random).col(0);
    // aimed at a random point of the second body
    std::uniform_int_distribution<std::size_t> pick(0, points_2.size() - 1);
    const Vec3 aim = 0.7 * (placed[1].R * points_2[pick(random)]);
    placed[1].position = Vec3(0.3, -0.2, 0.1);
    placed[0].position = placed[1].position + aim + 1.0 * direction;
    double last = 1e300;
    for (int step = 0; step < 50; ++step) {
      const double now = distance();
      // there, or past
      if (now <= 1.5 * target || now > last) break;
      placed[0].position -= (now - target) * direction;
      last = now;
    }
  }

  Surface surface_1, surface_2;
  std::vector<Vec3> points_1, points_2;
  std::vector<MeshProximity> method;
  std::vector<PlacedSurface> placed;
  std::vector<Proximity> found;
};

double smallest_gap(const std::vector<Proximity>& found) {
  double smallest = 1e300;
  for (const Proximity& contact : found) smallest = std::min(smallest, contact.gap);
  return smallest;
}

/// Gap, normal and weights agree with each other.
void expect_sound(const Pair& pair) {
  for (const Proximity& contact : pair.found) {
    const Vec3 P = world_position(pair.placed[0], contact.P);
    const Vec3 Q = world_position(pair.placed[1], contact.Q);
    ASSERT_NEAR(contact.normal.norm(), 1.0, 1e-12);
    ASSERT_NEAR(contact.gap, (P - Q).dot(contact.normal) + contact.bend, 1e-12);
    for (const SurfacePoint& place : {contact.P, contact.Q}) {
      ASSERT_NEAR(place.weight[0] + place.weight[1] + place.weight[2], 1.0, 1e-12);
      for (const double weight : place.weight) ASSERT_GE(weight, 0.0);
    }
  }
}

TEST(MeshProximity, SmallestGapIsTheDistanceOfTheSurfaces) {
  const auto models = model_surfaces();
  ASSERT_EQ(models.size(), 10U);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  MeshProximityOptions options;
  options.flat_deg = 0.0;
  std::map<FeatureKind, int> nearest_kinds;
  for (std::size_t a = 0; a < models.size(); ++a) {
    for (std::size_t b = 0; b < models.size(); ++b) {
      Pair pair(models[a].second, models[b].second, options);
      for (int trial = 0; trial < 5; ++trial) {
        pair.points_1 = deformed(pair.surface_1, random, trial % 3 == 0 ? 0.0 : 0.05);
        pair.points_2 = deformed(pair.surface_2, random, trial % 3 == 1 ? 0.0 : 0.05);
        const double alarm_distance = 0.002;
        pair.approach(random, alarm_distance * std::pow(10.0, -4.0 * share(random)));
        const double distance = pair.distance();
        if (distance > alarm_distance) continue;
        pair.find(alarm_distance);
        expect_sound(pair);
        ASSERT_NEAR(smallest_gap(pair.found), distance, 1e-9)
            << models[a].first << " " << models[b].first << " trial " << trial;
        for (const Proximity& contact : pair.found) {
          if (contact.gap < distance + 1e-12) ++nearest_kinds[contact.kind];
        }
      }
    }
  }
  // every kind was the nearest some time
  EXPECT_GT(nearest_kinds[FeatureKind::vertex_face], 50);
  EXPECT_GT(nearest_kinds[FeatureKind::face_vertex], 50);
  EXPECT_GT(nearest_kinds[FeatureKind::edge_edge], 50);
}

/// A tetrahedron: nothing but sharp corners.
Surface spike(double size) {
  Surface surface;
  surface.points = {
      {size, size, size}, {size, -size, -size}, {-size, size, -size}, {-size, -size, size}};
  surface.triangles = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
  return surface;
}

TEST(MeshProximity, SharpBodiesNeverLoseTheirNearestPlace) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  MeshProximityOptions options;
  options.flat_deg = 0.0;
  const std::vector<Surface> shapes{spike(0.02), block_surface({0.04, 0.03, 0.02}, {1, 1, 1}),
                                    block_surface({0.04, 0.03, 0.02}, {2, 3, 1})};
  for (const Surface& a : shapes) {
    for (const Surface& b : shapes) {
      Pair pair(a, b, options);
      for (int trial = 0; trial < 1000; ++trial) {
        pair.points_1 = deformed(a, random, trial % 2 == 0 ? 0.0 : 0.1);
        const double alarm_distance = 0.004;
        pair.approach(random, alarm_distance * std::pow(10.0, -6.0 * share(random)));
        const double distance = pair.distance();
        if (distance > alarm_distance) continue;
        pair.find(alarm_distance);
        expect_sound(pair);
        ASSERT_NEAR(smallest_gap(pair.found), distance, 1e-8) << "trial " << trial;
      }
    }
  }
}

TEST(MeshProximity, CornerSweptOverABodyKeepsItsContact) {
  const Surface corner = spike(0.01);
  const Surface block = block_surface({0.05, 0.04, 0.02}, {5, 4, 2});
  Pair pair(corner, block);
  // the lowest corner of the spike, along a line over the top, the border and beyond
  for (int step = 0; step <= 4000; ++step) {
    const double x = -0.045 + 0.09 * step / 4000.0;
    pair.placed[0].position = Vec3(x, 0.3 * x, 0.0205);
    const double distance = pair.distance();
    pair.find(0.002);
    if (distance < 0.002 - 1e-9) {
      ASSERT_NEAR(smallest_gap(pair.found), distance, 1e-8) << "x = " << x;
    }
  }
}

std::set<int> vertices_of(const std::vector<Proximity>& found, FeatureKind kind) {
  std::set<int> vertices;
  for (const Proximity& contact : found) {
    if (contact.kind != kind) continue;
    vertices.insert(kind == FeatureKind::vertex_face ? contact.feature_1 : contact.feature_2);
  }
  return vertices;
}

TEST(MeshProximity, FlatBlockStandsOnAllItsBottomVertices) {
  const Surface block = block_surface({0.06, 0.04, 0.02}, {6, 4, 2});
  struct Floor {
    Surface surface;
    double top;
    std::size_t own;  // vertices of the floor under the block and under no vertex of it
  };
  const std::vector<Floor> floors{{sheet_surface(0.2, 1), 0.0, 0},
                                  {sheet_surface(0.2, 8), 0.0, 2},
                                  {block_surface({0.2, 0.2, 0.1}, {4, 4, 2}), 0.05, 0}};
  std::mt19937 random(7);
  for (const auto& [floor, top, own] : floors) {
    for (const double gap : {0.0, 1e-3, 1e-9, 1e-15, -1e-15, -1e-9, -1e-6, -1e-4}) {
      for (int turn = 0; turn < 4; ++turn) {
        Pair pair(block, floor);
        // both turned together: only rounding differs
        const Mat3 R = turn == 0 ? Mat3(Mat3::Identity()) : random_rotation(random);
        const Vec3 shift = turn == 0 ? Vec3(Vec3::Zero()) : Vec3(0.4, -0.1, 0.2);
        pair.placed[0] = {R, R * Vec3(0.0, 0.0, top + 0.01 + gap) + shift, {}, true};
        pair.placed[1] = {R, shift, {}, true};
        pair.find(2e-3);
        expect_sound(pair);
        EXPECT_EQ(vertices_of(pair.found, FeatureKind::vertex_face).size(), 35U) << gap;
        EXPECT_EQ(pair.found.size(), 35U + own) << gap;
        for (const Proximity& contact : pair.found) {
          EXPECT_NEAR(contact.gap, gap, 1e-15);
          EXPECT_LT((contact.normal - R.col(2)).norm(), 1e-12);
        }
      }
    }
  }
}

TEST(MeshProximity, EqualBlocksStackedTouchAtEveryVertex) {
  const Surface block = block_surface({0.06, 0.04, 0.02}, {3, 2, 1});
  std::mt19937 random(8);
  for (const double gap : {0.0, 1e-3, 1e-9, 1e-15, -1e-15, -1e-9, -1e-6, -1e-4}) {
    for (int turn = 0; turn < 4; ++turn) {
      Pair pair(block, block);
      const Mat3 R = turn == 0 ? Mat3(Mat3::Identity()) : random_rotation(random);
      pair.placed[0] = {R, R * Vec3(0.0, 0.0, 0.02 + gap), {}, true};
      pair.placed[1] = {R, Vec3::Zero(), {}, true};
      pair.find(2e-3);
      expect_sound(pair);
      // 12 spots, each once
      EXPECT_EQ(pair.found.size(), 12U) << gap;
      for (const Proximity& contact : pair.found) {
        EXPECT_NEAR(contact.gap, gap, 1e-14);
        EXPECT_LT((contact.normal - R.col(2)).norm(), 1e-9) << gap;
      }
    }
  }
}

TEST(MeshProximity, OffsetBlocksTouchByVerticesBothWaysAndCrossingBorders) {
  const Surface upper = block_surface({0.06, 0.04, 0.02}, {3, 2, 1});
  const Surface lower = block_surface({0.05, 0.05, 0.02}, {4, 3, 1});
  for (const double gap : {0.0, 1e-3, 1e-9, -1e-15, -1e-9, -1e-6, -1e-4}) {
    Pair pair(upper, lower);
    pair.placed[0].position = Vec3(0.013, 0.0071, 0.02 + gap);
    pair.find(2e-3);
    expect_sound(pair);
    // bottom of the upper block: x -0.017..0.043, y -0.0129..0.0271; top of the lower one:
    // -0.025..0.025 both ways
    std::map<FeatureKind, int> count;
    for (const Proximity& contact : pair.found) {
      ++count[contact.kind];
      EXPECT_NEAR(contact.gap, gap, 1e-14);
      EXPECT_LT((contact.normal - Vec3::UnitZ()).norm(), 1e-9) << gap;
    }
    EXPECT_EQ(count[FeatureKind::vertex_face], 3 * 2) << gap;
    EXPECT_EQ(count[FeatureKind::face_vertex], 4 * 3) << gap;
    EXPECT_EQ(count[FeatureKind::edge_edge], 2) << gap;
  }
}

/// Neighbours of each vertex, by triangles.
std::vector<std::set<int>> neighbours_of(const Surface& surface) {
  std::vector<std::set<int>> neighbours(surface.points.size());
  for (const auto& t : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      neighbours[uz(t[k])].insert({t[(k + 1) % 3], t[(k + 2) % 3]});
    }
  }
  return neighbours;
}

/// Edges with the triangles beside them.
std::map<std::pair<int, int>, std::vector<int>> edges_of(const Surface& surface) {
  std::map<std::pair<int, int>, std::vector<int>> edges;
  for (int t = 0; t < surface.triangle_count(); ++t) {
    const auto& corners = surface.triangles[uz(t)];
    for (std::size_t k = 0; k < 3; ++k) {
      edges[std::minmax(corners[k], corners[(k + 1) % 3])].push_back(t);
    }
  }
  return edges;
}

Vec3 normal_of(const Surface& surface, const std::vector<Vec3>& points, int triangle) {
  const auto& t = surface.triangles[uz(triangle)];
  const Vec3& a = points[uz(t[0])];
  return (points[uz(t[1])] - a).cross(points[uz(t[2])] - a).normalized();
}

/// Whether the triangles beside an edge turn away from what lies in a direction.
bool turns_away(const Surface& surface, const std::vector<Vec3>& points,
                const std::vector<int>& triangles, const Vec3& place, const Vec3& direction) {
  return std::all_of(triangles.begin(), triangles.end(), [&](int t) {
    Vec3 middle = Vec3::Zero();
    for (const int c : surface.triangles[uz(t)]) middle += points[uz(c)] / 3.0;
    return direction.dot(middle - place) < -1e-9 &&
           direction.dot(normal_of(surface, points, t)) > 0.0;
  });
}

/// Strict local minima of the distance between two bodies that do not overlap, over all pairs of
/// features: the points on both.
std::vector<std::pair<Vec3, Vec3>> local_minima(const Surface& a, const std::vector<Vec3>& p,
                                                const Surface& b, const std::vector<Vec3>& q,
                                                double alarm_distance) {
  std::vector<std::pair<Vec3, Vec3>> minima;
  const auto add_vertices = [&](const Surface& from, const std::vector<Vec3>& x,
                                const Surface& onto, const std::vector<Vec3>& y, bool swaps) {
    const auto neighbours = neighbours_of(from);
    std::vector<Vec3> outward(x.size(), Vec3::Zero());
    for (int t = 0; t < from.triangle_count(); ++t) {
      for (const int v : from.triangles[uz(t)]) outward[uz(v)] += normal_of(from, x, t);
    }
    for (std::size_t v = 0; v < x.size(); ++v) {
      for (const auto& t : onto.triangles) {
        const Vec3& origin = y[uz(t[0])];
        const Vec3 n = (y[uz(t[1])] - origin).cross(y[uz(t[2])] - origin).normalized();
        const double height = n.dot(x[v] - origin);
        if (height <= 1e-6 || height > alarm_distance) continue;
        const TrianglePoint on = closest_on_triangle(x[v], origin, y[uz(t[1])], y[uz(t[2])]);
        if (*std::min_element(on.weight.begin(), on.weight.end()) < 1e-6) continue;
        const bool is_lowest =
            outward[v].dot(n) < 0.0 &&
            std::all_of(neighbours[v].begin(), neighbours[v].end(),
                        [&](int other) { return n.dot(x[uz(other)] - x[v]) > 0.0; });
        if (!is_lowest) continue;
        minima.emplace_back(swaps ? on.point : x[v], swaps ? x[v] : on.point);
      }
    }
  };
  add_vertices(a, p, b, q, false);
  add_vertices(b, q, a, p, true);
  const auto edges_1 = edges_of(a);
  const auto edges_2 = edges_of(b);
  for (const auto& [ends_1, beside_1] : edges_1) {
    const Vec3& a_0 = p[uz(ends_1.first)];
    const Vec3& a_1 = p[uz(ends_1.second)];
    for (const auto& [ends_2, beside_2] : edges_2) {
      const Vec3& b_0 = q[uz(ends_2.first)];
      const Vec3& b_1 = q[uz(ends_2.second)];
      const double size = (a_1 - a_0).norm() + (b_1 - b_0).norm() + alarm_distance;
      if ((a_0 - b_0).squaredNorm() > size * size) continue;
      const SegmentPoints nearest = closest_on_segments(a_0, a_1, b_0, b_1);
      const double distance = std::sqrt(nearest.squared_distance);
      if (std::min(nearest.s, nearest.t) < 1e-6 || std::max(nearest.s, nearest.t) > 1.0 - 1e-6 ||
          distance > alarm_distance || distance < 1e-6 || nearest.is_parallel) {
        continue;
      }
      const Vec3 P = a_0 + nearest.s * (a_1 - a_0);
      const Vec3 Q = b_0 + nearest.t * (b_1 - b_0);
      const Vec3 n = (P - Q) / distance;
      const bool is_lowest = turns_away(a, p, beside_1, P, -n) && turns_away(b, q, beside_2, Q, n);
      if (is_lowest) minima.emplace_back(P, Q);
    }
  }
  return minima;
}

TEST(MeshProximity, EveryLocalMinimumOfTheDistanceIsReported) {
  const auto models = model_surfaces();
  std::mt19937 random(9);
  MeshProximityOptions options;
  options.flat_deg = 0.0;
  std::size_t count = 0;
  for (std::size_t a = 0; a < models.size(); ++a) {
    for (std::size_t b = 0; b < models.size(); ++b) {
      Pair pair(models[a].second, models[b].second, options);
      pair.points_1 = deformed(pair.surface_1, random, 0.05);
      pair.points_2 = deformed(pair.surface_2, random, 0.05);
      pair.approach(random, 1e-4);
      const double alarm_distance = 0.006;
      pair.find(alarm_distance);
      const auto minima = local_minima(pair.surface_1, world_points(pair.placed[0]), pair.surface_2,
                                       world_points(pair.placed[1]), alarm_distance);
      count += minima.size();
      for (const auto& [P, Q] : minima) {
        double nearest = 1e300;
        for (const Proximity& contact : pair.found) {
          nearest = std::min(nearest, (world_position(pair.placed[0], contact.P) - P).norm() +
                                          (world_position(pair.placed[1], contact.Q) - Q).norm());
        }
        // itself, or what it was merged with
        EXPECT_LT(nearest, 2e-5) << models[a].first << " " << models[b].first;
      }
    }
  }
  EXPECT_GT(count, 80U);
}

TEST(MeshProximity, MovingBothBodiesTogetherChangesNothing) {
  const auto models = model_surfaces();
  std::mt19937 random(10);
  for (std::size_t a = 0; a + 1 < models.size(); ++a) {
    Pair pair(models[a].second, models[a + 1].second);
    pair.points_1 = deformed(pair.surface_1, random, 0.05);
    pair.approach(random, 2e-4);
    const std::vector<Proximity> before = pair.find(0.003);
    const Mat3 R = random_rotation(random);
    for (PlacedSurface& placed : pair.placed) {
      placed.R = R * placed.R;
      placed.position = R * placed.position + Vec3(0.7, -0.4, 1.1);
    }
    pair.find(0.003);
    ASSERT_EQ(pair.found.size(), before.size());
    EXPECT_GT(before.size(), 0U);
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_EQ(pair.found[i].kind, before[i].kind);
      EXPECT_EQ(pair.found[i].feature_1, before[i].feature_1);
      EXPECT_EQ(pair.found[i].feature_2, before[i].feature_2);
      EXPECT_NEAR(pair.found[i].gap, before[i].gap, 1e-12);
      EXPECT_LT((pair.found[i].normal - R * before[i].normal).norm(), 1e-9);
    }
  }
}

/// The cases of Fig. 3: two bodies, one above the other, and how many points describe the contact.
struct Meeting {
  const char* name;
  Surface upper;
  Mat3 R;
  Vec3 position;  // of the upper one, at zero gap
  Surface lower;
  Mat3 R_lower;
  std::size_t at_least;
  std::size_t at_most;
};

std::vector<Meeting> meetings() {
  const Surface cube = block_surface({0.02, 0.02, 0.02}, {1, 1, 1});
  const Mat3 flat = Mat3::Identity();
  const Mat3 on_edge = rotation_exp(Vec3(std::numbers::pi / 4.0, 0.0, 0.0)).toRotationMatrix();
  const Mat3 turned = rotation_exp(Vec3(0.0, 0.0, std::numbers::pi / 2.0)).toRotationMatrix();
  const Mat3 on_corner =
      Quat::FromTwoVectors(Vec3(-1.0, -1.0, -1.0), Vec3(0.0, 0.0, -1.0)).toRotationMatrix();
  const Mat3 corner_up =
      Quat::FromTwoVectors(Vec3(1.0, 1.0, 1.0), Vec3::UnitZ()).toRotationMatrix();
  const double half = 0.01;
  const double edge = half * std::sqrt(2.0);
  const double corner = half * std::sqrt(3.0);
  return {
      {"vertex on face", cube, on_corner, {0.001, 0.002, corner + half}, cube, flat, 1, 1},
      {"face on vertex", cube, flat, {0.001, 0.002, corner + half}, cube, corner_up, 1, 1},
      {"edges crossing",
       cube,
       Mat3(turned * on_edge),
       {0.001, 0.002, 2.0 * edge},
       cube,
       on_edge,
       1,
       1},
      {"edges along each other", cube, on_edge, {0.005, 0.0, 2.0 * edge}, cube, on_edge, 2, 2},
      {"edge on face", cube, on_edge, {0.003, 0.002, edge + half}, cube, flat, 2, 2},
      {"vertex on edge", cube, on_corner, {0.001, 0.0, corner + edge}, cube, on_edge, 1, 1},
      {"vertex on vertex", cube, on_corner, {0.0, 0.0, 2.0 * corner}, cube, corner_up, 1, 1},
      {"face on face", cube, flat, {0.003, 0.004, 2.0 * half}, cube, flat, 4, 4},
  };
}

TEST(MeshProximity, EveryMeetingOfTwoBodiesHasEnoughPoints) {
  for (const Meeting& meeting : meetings()) {
    for (const double gap : {1e-3, 1e-4, 1e-7, 0.0, -1e-8, -1e-7, -1e-4}) {
      Pair pair(meeting.upper, meeting.lower);
      pair.placed[0].R = meeting.R;
      pair.placed[0].position = meeting.position + Vec3(0.0, 0.0, gap);
      pair.placed[1].R = meeting.R_lower;
      pair.find(2e-3);
      expect_sound(pair);
      EXPECT_GE(pair.found.size(), meeting.at_least) << meeting.name << " " << gap;
      EXPECT_LE(pair.found.size(), meeting.at_most) << meeting.name << " " << gap;
      for (const Proximity& contact : pair.found) {
        EXPECT_NEAR(contact.gap, gap, 1e-8) << meeting.name;
        EXPECT_GT(contact.normal.z(), 1.0 - 1e-3) << meeting.name << " " << gap;
      }
    }
  }
}

TEST(MeshProximity, ThinPlatesDoNotTakeEachOtherForOverlapping) {
  // thinner than the alarm distance, one above the other: every gap is that between them
  const Surface plate = block_surface({0.04, 0.04, 0.0005}, {4, 4, 1});
  for (const double gap : {2e-3, 1e-3, 1e-4, 0.0}) {
    Pair pair(plate, plate);
    pair.placed[0].position = Vec3(0.003, 0.004, 0.0005 + gap);
    pair.find(4e-3);
    expect_sound(pair);
    EXPECT_GT(pair.found.size(), 20U);
    for (const Proximity& contact : pair.found) {
      EXPECT_NEAR(contact.gap, gap, 1e-12);
      EXPECT_NEAR(contact.normal.z(), 1.0, 1e-12);
    }
  }
  // one a little inside the other: out by the way it came
  Pair pair(plate, plate);
  pair.placed[0].position = Vec3(0.003, 0.004, 0.0004);
  pair.find(4e-3);
  EXPECT_GT(pair.found.size(), 20U);
  for (const Proximity& contact : pair.found) {
    EXPECT_NEAR(contact.gap, -1e-4, 1e-12);
    EXPECT_NEAR(contact.normal.z(), 1.0, 1e-12);
  }
}

TEST(MeshProximity, OverlapDeeperThanTheLimitIsLeftAlone) {
  const Surface block = block_surface({0.06, 0.04, 0.02}, {6, 4, 2});
  MeshProximityOptions options;
  options.max_depth = 1e-3;
  Pair pair(block, sheet_surface(0.2, 4), options);
  pair.placed[0].position = Vec3(0.0, 0.0, 0.01 - 0.9e-3);
  EXPECT_GE(pair.find(1e-4).size(), 35U);
  EXPECT_NEAR(smallest_gap(pair.found), -0.9e-3, 1e-12);
  pair.placed[0].position = Vec3(0.0, 0.0, 0.01 - 1.1e-3);
  EXPECT_EQ(pair.find(1e-4).size(), 0U);
}

TEST(MeshProximity, CornerInsideABlockLeavesByTheNearestFace) {
  // the lowest corner of a spike, inside near an edge of the block
  Surface needle = spike(0.01);
  Pair pair(needle, block_surface({0.04, 0.04, 0.04}, {4, 4, 4}));
  const Mat3 down = Quat::FromTwoVectors(Vec3(1.0, 1.0, 1.0), -Vec3::UnitZ()).toRotationMatrix();
  const double tip = 0.01 * std::sqrt(3.0);
  pair.placed[0] = {down, Vec3(0.003, 0.002, 0.02 + tip - 5e-4), {}, true};
  pair.find(2e-3);
  expect_sound(pair);
  ASSERT_EQ(pair.found.size(), 1U);
  EXPECT_NEAR(pair.found[0].gap, -5e-4, 1e-12);
  EXPECT_NEAR(pair.found[0].normal.z(), 1.0, 1e-12);
  EXPECT_EQ(pair.found[0].kind, FeatureKind::vertex_face);
  EXPECT_EQ(pair.found[0].feature_1, 0);
}

/// A long valley of two slopes in a block, open above.
Surface valley() {
  Surface surface;
  const double l = 0.02;
  // sections at both ends: bottom, sides, rims, valley
  for (const double y : {-l, l}) {
    surface.points.insert(surface.points.end(),
                          {{-l, y, -l}, {l, y, -l}, {l, y, l}, {0.0, y, 0.0}, {-l, y, l}});
  }
  const auto quad = [&](int a, int b, int c, int d) {
    surface.triangles.push_back({a, b, c});
    surface.triangles.push_back({a, c, d});
  };
  for (int k = 0; k < 5; ++k) quad((k + 1) % 5, k, k + 5, (k + 1) % 5 + 5);
  surface.triangles.insert(surface.triangles.end(), {{0, 1, 3}, {1, 2, 3}, {0, 3, 4}});
  surface.triangles.insert(surface.triangles.end(), {{5, 8, 6}, {6, 8, 7}, {5, 9, 8}});
  return surface;
}

TEST(MeshProximity, CornerInAValleyIsHeldByBothSlopes) {
  ASSERT_GT(enclosed_volume(valley()), 0.0);
  Pair pair(spike(0.005), valley());
  const Mat3 down = Quat::FromTwoVectors(Vec3(1.0, 1.0, 1.0), -Vec3::UnitZ()).toRotationMatrix();
  const double tip = 0.005 * std::sqrt(3.0);
  for (const double x : {0.0, 1e-7, -1e-5, 1e-4}) {
    for (const double z : {1e-3, 1e-5, 1e-7, 1e-12, 0.0, -1e-12, -1e-7, -1e-5, -1e-4}) {
      pair.placed[0] = {down, Vec3(x, 0.001, z + tip), {}, true};
      pair.find(2e-3);
      expect_sound(pair);
      std::set<int> sides;
      for (const Proximity& contact : pair.found) {
        // heights over the slopes z = x and z = -x
        const double side = contact.normal.x() > 0.0 ? 1.0 : -1.0;
        sides.insert(static_cast<int>(side));
        EXPECT_NEAR(std::abs(contact.normal.x()), std::sqrt(0.5), 1e-9);
        EXPECT_NEAR(contact.gap, (z + side * x) * std::sqrt(0.5), 1e-9) << x << " " << z;
      }
      EXPECT_EQ(sides.size(), 2U) << x << " " << z;
    }
  }
}

TEST(MeshProximity, EdgesPushedIntoEachOtherHaveTheirDepth) {
  const Surface cube = block_surface({0.02, 0.02, 0.02}, {2, 2, 2});
  const Mat3 on_edge = rotation_exp(Vec3(std::numbers::pi / 4.0, 0.0, 0.0)).toRotationMatrix();
  const Mat3 turned = rotation_exp(Vec3(0.0, 0.0, 1.2)).toRotationMatrix();
  Pair pair(cube, cube);
  for (const double gap : {1e-4, 0.0, -1e-9, -1e-5, -1e-3}) {
    pair.placed[0] = {turned * on_edge, Vec3(0.002, 0.001, 0.02 * std::sqrt(2.0) + gap), {}, true};
    pair.placed[1].R = on_edge;
    pair.find(2e-3);
    expect_sound(pair);
    const auto crossing = std::find_if(
        pair.found.begin(), pair.found.end(),
        [](const Proximity& contact) { return contact.kind == FeatureKind::edge_edge; });
    ASSERT_NE(crossing, pair.found.end()) << gap;
    EXPECT_NEAR(crossing->gap, gap, 1e-12);
    EXPECT_NEAR(crossing->normal.z(), 1.0, 1e-12);
    EXPECT_NEAR(smallest_gap(pair.found), gap, 1e-12);
  }
}

TEST(MeshProximity, OpenSheetIsTouchedFromItsFrontAndAtItsBorder) {
  const Surface block = block_surface({0.02, 0.02, 0.02}, {1, 1, 1});
  const Surface sheet = sheet_surface(0.1, 2);
  // beside its border, above and below its plane
  Pair pair(block, sheet);
  pair.placed[0].position = Vec3(0.0605, 0.003, 0.004);
  pair.find(1e-3);
  ASSERT_GE(pair.found.size(), 1U);
  EXPECT_NEAR(smallest_gap(pair.found), 0.5e-3, 1e-9);
  for (const Proximity& contact : pair.found) EXPECT_NEAR(contact.normal.x(), 1.0, 1e-9);
  // behind it there is nothing to touch
  pair.placed[0].position = Vec3(0.0, 0.0, -0.0105);
  EXPECT_EQ(pair.find(1e-3).size(), 0U);
}

TEST(MeshProximity, ExcludedImmobileAndForbiddenPlacesAreLeftOut) {
  const Surface block = block_surface({0.02, 0.02, 0.02}, {2, 2, 2});
  std::vector<PlacedSurface> placed(3);
  for (int i = 0; i < 3; ++i) {
    placed[uz(i)].points = block.points;
    placed[uz(i)].position = Vec3(0.0, 0.0, 0.0205 * i);
  }
  std::vector<Proximity> found;
  const auto pairs_found = [&](MeshProximity& method) {
    method.find(placed, 1e-3, found);
    std::set<std::pair<int, int>> pairs;
    for (const Proximity& contact : found) pairs.emplace(contact.body_1, contact.body_2);
    return pairs;
  };
  std::vector<ProximityBody> bodies(3, {&block});
  using Pairs = std::set<std::pair<int, int>>;
  MeshProximity all(bodies);
  EXPECT_EQ(pairs_found(all), (Pairs{{0, 1}, {1, 2}}));
  const std::vector<std::pair<int, int>> excluded{{2, 1}};
  MeshProximity some(bodies, excluded);
  EXPECT_EQ(pairs_found(some), (Pairs{{0, 1}}));
  bodies[0].is_immobile = bodies[1].is_immobile = true;
  MeshProximity moving(bodies);
  EXPECT_EQ(pairs_found(moving), (Pairs{{1, 2}}));

  // contact limited to one half of the middle block
  bodies[0].is_immobile = bodies[1].is_immobile = false;
  bodies[1].may_touch = [&](const std::array<int, 3>& triangle) {
    return std::all_of(triangle.begin(), triangle.end(),
                       [&](int p) { return block.points[uz(p)].x() > -1e-9; });
  };
  MeshProximity limited(bodies);
  EXPECT_EQ(pairs_found(limited), (Pairs{{0, 1}, {1, 2}}));
  for (const Proximity& contact : found) {
    EXPECT_TRUE(bodies[1].may_touch(contact.body_1 == 1 ? contact.P.corner : contact.Q.corner));
  }
}

TEST(MeshProximity, InterpolatedNormalsAreThoseOfTheBall) {
  const auto models = model_surfaces();
  const auto ball = std::find_if(models.begin(), models.end(),
                                 [](const auto& m) { return m.first == "sphere_500"; });
  MeshProximityOptions options;
  std::array<double, 2> worst{};
  std::mt19937 random(11);
  for (const bool is_smooth : {false, true}) {
    options.interpolate_normals = is_smooth;
    Pair pair(spike(0.004), ball->second, options);
    pair.placed[1].has_new_shape = false;
    for (int trial = 0; trial < 200; ++trial) {
      pair.placed[0].R = random_rotation(random);
      const Vec3 direction = random_rotation(random).col(0);
      // one corner of the spike points at the middle of the ball
      const Vec3 tip = 0.004 * Vec3(1.0, 1.0, 1.0);
      pair.placed[0].R = Quat::FromTwoVectors(tip, -direction).toRotationMatrix();
      pair.placed[0].position = (0.0151 + tip.norm()) * direction;
      pair.find(1e-3);
      expect_sound(pair);
      ASSERT_GE(pair.found.size(), 1U);
      for (const Proximity& contact : pair.found) {
        const Vec3 radial = world_position(pair.placed[1], contact.Q).normalized();
        worst[is_smooth ? 1 : 0] =
            std::max(worst[is_smooth ? 1 : 0], (contact.normal - radial).norm());
      }
    }
  }
  EXPECT_GT(worst[0], 0.1);
  EXPECT_LT(worst[1], 0.04);

  // a block keeps its faces
  const Surface block = block_surface({0.02, 0.02, 0.02}, {2, 2, 2});
  Pair pair(block, block, options);
  pair.placed[0].position = Vec3(0.003, 0.002, 0.0201);
  for (const Proximity& contact : pair.find(1e-3)) {
    EXPECT_NEAR(contact.normal.z(), 1.0, 1e-12);
    EXPECT_NEAR(contact.gap, 1e-4, 1e-12);
  }
}

TEST(MeshProximity, AllocatesNothingOnceGrown) {
  if (!counts_allocations()) GTEST_SKIP() << "allocations are not counted";
  const auto models = model_surfaces();
  std::mt19937 random(12);
  MeshProximityOptions options;
  options.interpolate_normals = true;
  Pair pair(models[1].second, models[5].second, options);
  std::vector<std::vector<Vec3>> shapes;
  for (int i = 0; i < 4; ++i) shapes.push_back(deformed(pair.surface_1, random, 0.03));
  pair.approach(random, 1e-4);
  const auto run = [&] {
    std::size_t found = 0;
    for (const auto& shape : shapes) {
      std::copy(shape.begin(), shape.end(), pair.points_1.begin());
      found += pair.find(0.004).size();
    }
    return found;
  };
  EXPECT_GT(run(), 5U);
  const std::size_t before = allocation_count();
  run();
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
