#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/mesh_check.hpp"
#include "stickslip/mesh/straighten.hpp"
#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"
#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {
namespace {

/// A box with regions of every dimension.
TetMesh named_box() {
  TetMesh mesh = make_box({0.3, 0.2, 0.1}, {3, 2, 2}, ElementType::tet4);
  const auto element = mesh.element(4);
  std::vector<int> corners(element.begin(), element.end());
  std::sort(corners.begin(), corners.end());
  mesh.regions.push_back({"one", 3, {4}, {}, 0, corners});
  mesh.regions.push_back({"edge", 1, {}, {corners[0], corners[1]}, 2, {corners[0], corners[1]}});
  mesh.regions.push_back({"pin", 0, {}, {}, 0, {7}});
  return mesh;
}

std::vector<Vec3> places(const TetMesh& mesh, const std::vector<int>& nodes) {
  std::vector<Vec3> found;
  for (const int node : nodes) found.push_back(mesh.nodes[uz(node)]);
  return found;
}

TEST(ToTenNode, PutsOneNodeIntoTheMiddleOfEachEdge) {
  const TetMesh four = named_box();
  const TetMesh ten = to_ten_node(four);
  std::set<std::pair<int, int>> edges;
  for (int e = 0; e < four.element_count(); ++e) {
    const auto corners = four.element(e);
    const auto nodes = ten.element(e);
    EXPECT_TRUE(std::equal(corners.begin(), corners.end(), nodes.begin()));
    for (std::size_t k = 0; k < 6; ++k) {
      const int a = corners[uz(tet_edges[k][0])];
      const int b = corners[uz(tet_edges[k][1])];
      edges.insert(std::minmax(a, b));
      const Vec3 middle = 0.5 * (four.nodes[uz(a)] + four.nodes[uz(b)]);
      EXPECT_EQ(ten.nodes[uz(nodes[4 + k])], middle);
    }
  }
  EXPECT_EQ(ten.nodes.size(), four.nodes.size() + edges.size());
  EXPECT_NEAR(volume(ten), volume(four), 1e-16);
  EXPECT_TRUE(check_mesh(ten).empty());
  EXPECT_EQ(to_ten_node(ten).nodes, ten.nodes);
}

TEST(ToTenNode, RegionsFollow) {
  const TetMesh ten = to_ten_node(named_box());
  EXPECT_EQ(ten.find_region("one")->nodes.size(), 10);
  EXPECT_EQ(ten.find_region("edge")->nodes.size(), 3);
  EXPECT_EQ(ten.find_region("edge")->nodes_per_cell, 3);
  EXPECT_EQ(ten.find_region("pin")->nodes, std::vector<int>{7});
  // every node on a side of the box, and none besides
  for (const auto& [name, axis, at] :
       {std::tuple("x1", 0, 0.3), std::tuple("y0", 1, 0.0), std::tuple("z1", 2, 0.1)}) {
    std::vector<int> expected;
    for (int i = 0; i < ten.node_count(); ++i) {
      if (std::abs(ten.nodes[uz(i)][axis] - at) < 1e-12) expected.push_back(i);
    }
    EXPECT_EQ(ten.find_region(name)->nodes, expected) << name;
    EXPECT_EQ(ten.find_region(name)->nodes_per_cell, 6);
  }
}

TEST(Renumbered, IsTheSameMeshByOtherNumbers) {
  for (const bool is_quadratic : {false, true}) {
    const TetMesh mesh = is_quadratic ? to_ten_node(named_box()) : named_box();
    std::vector<int> order(mesh.nodes.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(12);
    std::shuffle(order.begin(), order.end(), random);
    const TetMesh other = renumbered(mesh, order);
    EXPECT_NE(other.nodes, mesh.nodes);
    EXPECT_EQ(places(other, other.connectivity), places(mesh, mesh.connectivity));
    for (std::size_t r = 0; r < mesh.regions.size(); ++r) {
      const Region& before = mesh.regions[r];
      const Region& after = other.regions[r];
      EXPECT_EQ(places(other, after.cells), places(mesh, before.cells));
      EXPECT_TRUE(std::is_sorted(after.nodes.begin(), after.nodes.end()));
      std::vector<int> back;
      for (const int node : after.nodes) back.push_back(order[uz(node)]);
      std::sort(back.begin(), back.end());
      EXPECT_EQ(back, before.nodes);
    }
    // and back
    std::vector<int> inverse(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) inverse[uz(order[i])] = static_cast<int>(i);
    EXPECT_EQ(renumbered(other, inverse).nodes, mesh.nodes);
    EXPECT_EQ(renumbered(other, inverse).connectivity, mesh.connectivity);
  }
}

TEST(ExtractSurface, LooksOutwardsEverywhere) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    const TetMesh mesh = make_box({0.3, 0.2, 0.1}, {3, 2, 2}, type);
    const Surface surface = extract_surface(mesh);
    const Vec3 centre(0.15, 0.1, 0.05);
    Vec3 sum = Vec3::Zero();
    for (const auto& [a, b, c] : surface.triangles) {
      const Vec3& p = surface.points[uz(a)];
      const Vec3 normal = (surface.points[uz(b)] - p).cross(surface.points[uz(c)] - p);
      EXPECT_GT(normal.dot(p - centre), 0.0);
      sum += normal;
    }
    // a closed surface has no area in the mean
    EXPECT_LT(sum.norm(), 1e-15);
    ASSERT_EQ(surface.mesh_nodes.size(), surface.points.size());
    EXPECT_TRUE(std::is_sorted(surface.mesh_nodes.begin(), surface.mesh_nodes.end()));
    EXPECT_EQ(places(mesh, surface.mesh_nodes), surface.points);
  }
}

TEST(ExtractSurface, OfAMeshWithAHoleHasTheWallOfTheHole) {
  TetMesh mesh = make_box({0.5, 0.5, 0.5}, {5, 5, 5}, ElementType::tet4);
  // without the cell in the middle
  std::vector<int> kept;
  for (int e = 0; e < mesh.element_count(); ++e) {
    Vec3 middle = Vec3::Zero();
    for (const int node : mesh.element(e)) middle += 0.25 * mesh.nodes[uz(node)];
    if ((middle - Vec3::Constant(0.25)).cwiseAbs().maxCoeff() < 0.05) continue;
    kept.insert(kept.end(), mesh.element(e).begin(), mesh.element(e).end());
  }
  EXPECT_EQ(mesh.connectivity.size() - kept.size(), 4 * 6);
  mesh.connectivity = kept;
  const Surface surface = extract_surface(mesh);
  EXPECT_NEAR(area(surface), 6.0 * (0.25 + 0.01), 1e-13);
  EXPECT_NEAR(enclosed_volume(surface), 0.125 - 0.001, 1e-14);
  EXPECT_NEAR(mass_properties(surface, 1.0).mass, mass_properties(mesh, 1.0).mass, 1e-13);
}

TEST(Straighten, LeavesEveryElementSoundHoweverItWasBent) {
  std::mt19937 random(31);
  std::normal_distribution<double> normal;
  const TetMesh straight = make_box({0.3, 0.2, 0.1}, {3, 2, 1}, ElementType::tet10);
  const double edge = 0.1;
  std::vector<double> shares = {0.01, 0.3, 1.0};
  shares.insert(shares.end(), 40, 0.1);
  for (const double share : shares) {
    TetMesh mesh = straight;
    std::set<int> corners;
    for (int e = 0; e < mesh.element_count(); ++e) {
      for (std::size_t k = 0; k < 4; ++k) corners.insert(mesh.element(e)[k]);
    }
    for (int i = 0; i < mesh.node_count(); ++i) {
      if (corners.contains(i)) continue;
      mesh.nodes[uz(i)] += share * edge * Vec3(normal(random), normal(random), normal(random));
    }
    const TetMesh bent = mesh;
    const int moved = straighten_folded_elements(mesh);
    int differ = 0;
    for (int i = 0; i < mesh.node_count(); ++i) {
      if (mesh.nodes[uz(i)] == bent.nodes[uz(i)]) continue;
      ++differ;
      EXPECT_LT((mesh.nodes[uz(i)] - straight.nodes[uz(i)]).norm(), 1e-15);
      EXPECT_FALSE(corners.contains(i));
    }
    EXPECT_EQ(moved, differ) << share;
    EXPECT_EQ(moved == 0, share < 0.05) << share;
    for (int e = 0; e < mesh.element_count(); ++e) EXPECT_GT(least_relative_jacobian(mesh, e), 0.1);
    // once is enough
    EXPECT_EQ(straighten_folded_elements(mesh), 0);
  }
}

TEST(RelativeJacobian, FallsAsAMidSideNodeNearsTheQuarterOfItsEdge) {
  // dx/dxi at the corner is (4 s - 1) times the edge where the node stands at the share s of it
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {2, 0, 0}, {0.3, 1, 0}, {0.1, 0.2, 1.5}};
  mesh.connectivity = {0, 1, 2, 3};
  const TetMesh straight = to_ten_node(mesh);
  EXPECT_NEAR(least_relative_jacobian(straight, 0), 1.0, 1e-14);
  for (std::size_t edge = 0; edge < 6; ++edge) {
    for (const double share : {0.1, 0.2, 0.25, 0.3, 0.4, 0.45}) {
      TetMesh bent = straight;
      const Vec3& a = mesh.nodes[uz(tet_edges[edge][0])];
      const Vec3& b = mesh.nodes[uz(tet_edges[edge][1])];
      bent.nodes[uz(bent.element(0)[4 + edge])] = a + share * (b - a);
      EXPECT_NEAR(least_relative_jacobian(bent, 0), 4.0 * share - 1.0, 1e-13) << edge;
    }
  }
}

TEST(TetShape, GradientIsHowTheShapeFunctionsChange) {
  constexpr double h = 1e-4;
  const std::array<double, 4> at = {0.35, 0.15, 0.3, 0.2};
  const auto gradient = tet10_shape_gradient(at);
  for (std::size_t k = 0; k < 3; ++k) {
    // the first barycentric coordinate is what the others leave; central differences are exact
    std::array<double, 4> forth = at;
    std::array<double, 4> back = at;
    forth[k + 1] += h;
    forth[0] -= h;
    back[k + 1] -= h;
    back[0] += h;
    const Eigen::Matrix<double, 10, 1> expected =
        (tet10_shape(forth) - tet10_shape(back)) / (2.0 * h);
    EXPECT_LT((gradient.col(static_cast<int>(k)) - expected).norm(), 1e-11);
  }
}

TEST(TriangleQuality, IsOneForAnEquilateralTriangleAtAnyScale) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    const Vec3 a = scale * Vec3(1, 0, 0);
    const Vec3 b = scale * Vec3(0, 1, 0);
    const Vec3 c = scale * Vec3(0, 0, 1);
    EXPECT_NEAR(triangle_quality(a, b, c), 1.0, 1e-14);
    EXPECT_NEAR(triangle_quality(a, b, 0.5 * (a + b)), 0.0, 1e-14);
    // a right isosceles triangle: 4 sqrt(3) / 2 / (1 + 1 + 2)
    EXPECT_NEAR(triangle_quality(Vec3::Zero(), a, b), std::sqrt(3.0) / 2.0, 1e-14);
  }
  EXPECT_EQ(triangle_quality(Vec3::Ones(), Vec3::Ones(), Vec3::Ones()), 0.0);
}

/// How many of a fault were found.
int count_of(const std::vector<Finding>& findings, std::string_view code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return std::stoi(finding.message);
  }
  return 0;
}

TEST(SurfaceCheck, CountsEdgesAsABookOfAllHalfEdgesDoes) {
  const Surface whole = extract_surface(make_box({0.3, 0.2, 0.1}, {4, 3, 2}, ElementType::tet4));
  std::mt19937 random(14);
  for (int round = 0; round < 40; ++round) {
    // leave out some triangles, turn some around, add some twice
    Surface surface;
    surface.points = whole.points;
    for (auto triangle : whole.triangles) {
      const auto fate = random() % 12;
      if (fate == 0) continue;
      if (fate == 1) std::swap(triangle[0], triangle[1]);
      surface.triangles.push_back(triangle);
      if (fate == 2) surface.triangles.push_back(triangle);
    }
    std::map<std::pair<int, int>, std::vector<bool>> book;
    for (const auto& triangle : surface.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const int a = triangle[k];
        const int b = triangle[(k + 1) % 3];
        book[std::minmax(a, b)].push_back(a < b);
      }
    }
    int open = 0;
    int crowded = 0;
    int contradicting = 0;
    for (const auto& [edge, ways] : book) {
      open += ways.size() == 1 ? 1 : 0;
      crowded += ways.size() > 2 ? 1 : 0;
      contradicting += ways.size() == 2 && ways[0] == ways[1] ? 1 : 0;
    }
    const std::vector<Finding> findings = check_surface(surface);
    EXPECT_TRUE(can_be_simulated(findings));
    EXPECT_EQ(count_of(findings, "open_surface"), open);
    EXPECT_EQ(count_of(findings, "nonmanifold_surface"), crowded);
    EXPECT_EQ(count_of(findings, "contradicting_normals"), contradicting);
  }
  EXPECT_TRUE(check_surface(whole).empty());
}

}  // namespace
}  // namespace stickslip
