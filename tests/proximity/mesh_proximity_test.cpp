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
    ASSERT_NEAR(contact.gap, (P - Q).dot(contact.normal), 1e-12);
    for (const SurfacePoint& place : {contact.P, contact.Q}) {
      ASSERT_NEAR(place.weight[0] + place.weight[1] + place.weight[2], 1.0, 1e-12);
      for (const double weight : place.weight) ASSERT_GE(weight, 0.0);
    }
  }
}

TEST(MeshProximity, SmallestGapIsTheDistanceOfTheSurfaces) {
  const auto models = model_surfaces();
  ASSERT_EQ(models.size(), 9U);
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

}  // namespace
}  // namespace stickslip
