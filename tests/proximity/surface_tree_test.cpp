#include "stickslip/proximity/surface_tree.hpp"

#include <gtest/gtest.h>

#include <set>

#include "stickslip/proximity/broad_phase.hpp"
#include "tests/proximity/example_shapes.hpp"

namespace stickslip {
namespace {

using namespace testing_support;

TEST(SurfaceTopology, KnowsItsNeighbours) {
  for (const auto& [name, surface] : model_surfaces()) {
    const SurfaceTopology topology(surface);
    // closed: every edge has two triangles, and Euler's formula gives whole handles
    EXPECT_EQ(2 * topology.edges().size(), 3 * surface.triangles.size()) << name;
    for (int e = 0; e < static_cast<int>(topology.edges().size()); ++e) {
      const SurfaceEdge& edge = topology.edges()[uz(e)];
      for (const int t : edge.triangle) {
        ASSERT_GE(t, 0);
        const auto& around = topology.triangle_edges(t);
        const auto k = uz(std::find(around.begin(), around.end(), e) - around.begin());
        ASSERT_LT(k, 3U);
        // the edge lies opposite its corner
        const int opposite = surface.triangles[uz(t)][k];
        EXPECT_NE(opposite, edge.point[0]);
        EXPECT_NE(opposite, edge.point[1]);
      }
    }
    std::size_t around = 0;
    for (int p = 0; p < surface.point_count(); ++p) around += topology.triangles_around(p).size();
    EXPECT_EQ(around, 3 * surface.triangles.size());
  }
  const SurfaceTopology sheet(sheet_surface(1.0, 3));
  EXPECT_EQ(std::count_if(sheet.edges().begin(), sheet.edges().end(),
                          [](const SurfaceEdge& e) { return e.triangle[1] < 0; }),
            12);
}

TEST(SurfaceTree, EveryFeatureHasOneLeaf) {
  for (const auto& [name, surface] : model_surfaces()) {
    // only where the first coordinate is positive may anything touch
    const auto may_touch = [&surface = surface](const std::array<int, 3>& triangle) {
      return std::all_of(triangle.begin(), triangle.end(),
                         [&](int p) { return surface.points[uz(p)].x() > 0.0; });
    };
    const SurfaceTopology topology(surface, may_touch);
    const SurfaceTree tree(topology, surface.points);
    std::multiset<int> faces;
    std::multiset<int> points;
    std::multiset<int> edges;
    for (int leaf = 0; leaf < tree.leaf_count(); ++leaf) {
      EXPECT_LE(tree.faces(leaf).size(), 4U);
      faces.insert(tree.faces(leaf).begin(), tree.faces(leaf).end());
      points.insert(tree.own_points(leaf).begin(), tree.own_points(leaf).end());
      edges.insert(tree.own_edges(leaf).begin(), tree.own_edges(leaf).end());
    }
    for (int t = 0; t < surface.triangle_count(); ++t) {
      EXPECT_EQ(faces.count(t), may_touch(surface.triangles[uz(t)]) ? 1U : 0U);
    }
    for (int p = 0; p < surface.point_count(); ++p) {
      EXPECT_EQ(points.count(p), topology.triangle_of_point(p) >= 0 ? 1U : 0U);
    }
    for (int e = 0; e < static_cast<int>(topology.edges().size()); ++e) {
      EXPECT_EQ(edges.count(e), topology.triangle_of_edge(e) >= 0 ? 1U : 0U);
    }
  }
}

TEST(SurfaceTree, RefittedTreeFindsTheNearestTriangle) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-0.05, 0.05);
  for (const auto& [name, surface] : model_surfaces()) {
    SurfaceShape shape(SurfaceTopology(surface), surface.points);
    SurfaceTree tree(shape.topology(), surface.points);
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<Vec3> points = deformed(surface, random, 0.2);
      tree.refit(points);
      shape.reshape(points);
      const Vec3 p(uniform(random), uniform(random), uniform(random));
      double least = 1e300;
      for (int t = 0; t < surface.triangle_count(); ++t) {
        least = std::min(least, shape.closest(t, p).squared_distance);
      }
      const NearestPlace nearest = tree.nearest(shape, p, 1.0);
      ASSERT_GE(nearest.triangle, 0);
      EXPECT_EQ(nearest.on.squared_distance, least);
      EXPECT_EQ(tree.nearest(shape, p, 0.999 * std::sqrt(least)).triangle, -1);
    }
  }
}

TEST(SurfaceTree, LeavesOfNearTrianglesArePaired) {
  std::mt19937 random(4);
  const auto models = model_surfaces();
  std::size_t count = 0;
  for (std::size_t m = 0; m + 1 < models.size(); ++m) {
    const Surface& a = models[m].second;
    const Surface& b = models[m + 1].second;
    const SurfaceTopology topology_a(a);
    const SurfaceTopology topology_b(b);
    SurfaceTree tree_a(topology_a, a.points);
    SurfaceTree tree_b(topology_b, b.points);
    const auto points_a = deformed(a, random, 0.1);
    const auto points_b = deformed(b, random, 0.1);
    tree_a.refit(points_a);
    tree_b.refit(points_b);
    const Placement move{random_rotation(random), Vec3(0.02, 0.01, -0.02)};
    std::vector<LeafPair> pairs;
    const double distance = 0.002;
    find_leaf_pairs(tree_a, tree_b, move, distance, pairs);
    std::set<std::pair<int, int>> found;
    for (const LeafPair& pair : pairs) found.emplace(pair.a, pair.b);
    EXPECT_EQ(found.size(), pairs.size());
    // every vertex of a within the distance of a triangle of b
    for (int leaf_a = 0; leaf_a < tree_a.leaf_count(); ++leaf_a) {
      for (const int face : tree_a.faces(leaf_a)) {
        for (const int p : a.triangles[uz(face)]) {
          const Vec3 place = move(points_a[uz(p)]);
          for (int leaf_b = 0; leaf_b < tree_b.leaf_count(); ++leaf_b) {
            for (const int t : tree_b.faces(leaf_b)) {
              const auto& c = b.triangles[uz(t)];
              if (closest_on_triangle(place, points_b[uz(c[0])], points_b[uz(c[1])],
                                      points_b[uz(c[2])])
                      .squared_distance > distance * distance) {
                continue;
              }
              ASSERT_TRUE(found.contains({leaf_a, leaf_b}));
            }
          }
        }
      }
    }
    count += pairs.size();
  }
  EXPECT_GT(count, 100U);
}

TEST(BroadPhase, FindsExactlyTheBoxesThatMeet) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  BroadPhase sweep;
  std::vector<std::pair<int, int>> pairs;
  std::vector<Box> boxes(100);
  for (int trial = 0; trial < 20; ++trial) {
    for (Box& box : boxes) {
      box.low = Vec3(uniform(random), uniform(random), uniform(random));
      box.high = box.low + 0.2 * Vec3(uniform(random), uniform(random), uniform(random));
    }
    sweep.find(boxes, pairs);
    std::vector<std::pair<int, int>> expected;
    for (int i = 0; i < 100; ++i) {
      for (int j = i + 1; j < 100; ++j) {
        const Box& a = boxes[uz(i)];
        const Box& b = boxes[uz(j)];
        if ((a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all()) {
          expected.emplace_back(i, j);
        }
      }
    }
    EXPECT_EQ(pairs, expected);
  }
}

}  // namespace
}  // namespace stickslip
