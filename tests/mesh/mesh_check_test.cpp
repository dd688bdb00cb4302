#include "stickslip/mesh/mesh_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "stickslip/mesh/straighten.hpp"

namespace stickslip {
namespace {

const Finding* find(const std::vector<Finding>& findings, const std::string& code) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.code == code; });
  return found == findings.end() ? nullptr : &*found;
}

/// The mesh has the one fault, in that place, with a remedy.
void expect_finding(const std::vector<Finding>& findings, const std::string& code,
                    Severity severity, const std::string& where) {
  const Finding* finding = find(findings, code);
  ASSERT_NE(finding, nullptr) << code << " is not among " << findings.size() << " findings";
  EXPECT_EQ(finding->severity, severity);
  EXPECT_NE(finding->where.find(where), std::string::npos) << finding->where;
  EXPECT_FALSE(finding->message.empty());
  EXPECT_FALSE(finding->remedy.empty());
  EXPECT_EQ(can_be_simulated(findings), severity == Severity::warning);
  const auto same = std::count_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.code == code; });
  EXPECT_EQ(same, 1);
}

TetMesh box(ElementType type = ElementType::tet4) {
  return make_box({0.02, 0.01, 0.01}, {2, 2, 2}, type);
}

/// A second copy beside the first, by the given shift; nodes are not shared.
void append(TetMesh& mesh, const TetMesh& other, const Vec3& shift) {
  const int offset = mesh.node_count();
  for (const Vec3& p : other.nodes) mesh.nodes.push_back(p + shift);
  for (const int node : other.connectivity) mesh.connectivity.push_back(node + offset);
}

TEST(MeshCheck, FindsNothingInAGoodMesh) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    EXPECT_TRUE(check_mesh(box(type)).empty());
    EXPECT_TRUE(check_surface(extract_surface(box(type))).empty());
  }
}

TEST(MeshCheck, FindsInvertedElements) {
  TetMesh mesh = box();
  std::swap(mesh.connectivity[4], mesh.connectivity[5]);
  expect_finding(check_mesh(mesh), "inverted_element", Severity::error, "element 2, nodes");
  // in the numbers of the file
  const FileNumbers numbers{{}, {100, 200, 300}};
  expect_finding(check_elements(mesh, numbers), "inverted_element", Severity::error,
                 "element 200,");
}

TEST(MeshCheck, CountsAllAndShowsTheFirstThree) {
  TetMesh mesh = box();
  for (std::size_t e = 0; e < 5; ++e)
    std::swap(mesh.connectivity[4 * e], mesh.connectivity[4 * e + 1]);
  const std::vector<Finding> findings = check_mesh(mesh);
  const Finding* finding = find(findings, "inverted_element");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->message.starts_with("5 elements")) << finding->message;
  EXPECT_TRUE(finding->where.ends_with("and 2 more")) << finding->where;
}

TEST(MeshCheck, FindsFlatElements) {
  TetMesh mesh = box();
  mesh.connectivity[1] = mesh.connectivity[0];
  expect_finding(check_mesh(mesh), "zero_volume_element", Severity::error, "element 1, nodes 1 1");
}

TEST(MeshCheck, FindsElementsThatCurvedEdgesFold) {
  TetMesh mesh = box(ElementType::tet10);
  // a mid-side node pulled beyond the quarter of its edge folds the corner
  const int middle = mesh.connectivity[4];
  const Vec3 a = mesh.nodes[uz(mesh.connectivity[0])];
  const Vec3 b = mesh.nodes[uz(mesh.connectivity[1])];
  mesh.nodes[uz(middle)] = a + 0.2 * (b - a);
  expect_finding(check_mesh(mesh), "folded_element", Severity::error, "element 1, nodes");
  mesh.nodes[uz(middle)] = a + 0.3 * (b - a);
  EXPECT_EQ(find(check_mesh(mesh), "folded_element"), nullptr);
}

TEST(Straighten, UnfoldsWhatIsFoldedAndNothingElse) {
  TetMesh mesh = box(ElementType::tet10);
  const TetMesh straight = mesh;
  const int middle = mesh.connectivity[4];
  const Vec3 a = mesh.nodes[uz(mesh.connectivity[0])];
  const Vec3 b = mesh.nodes[uz(mesh.connectivity[1])];
  mesh.nodes[uz(middle)] = a + 0.1 * (b - a);
  // one that is bent, in an element that is sound
  const int bent = mesh.connectivity[10 * 40 + 4];
  mesh.nodes[uz(bent)] += Vec3(1e-5, 0.0, 0.0);
  EXPECT_EQ(straighten_folded_elements(mesh), 1);
  EXPECT_TRUE(check_mesh(mesh).empty());
  EXPECT_EQ(mesh.nodes[uz(middle)], straight.nodes[uz(middle)]);
  EXPECT_NE(mesh.nodes[uz(bent)], straight.nodes[uz(bent)]);
}

TEST(MeshCheck, FindsIndicesOutOfRange) {
  for (const int bad : {-1, 27, std::numeric_limits<int>::max() - 1}) {
    TetMesh mesh = box();
    mesh.connectivity[6] = bad;
    expect_finding(check_mesh(mesh), "bad_index", Severity::error, "element 2, node");
  }
  TetMesh mesh = box();
  mesh.regions[0].nodes.push_back(1000);
  expect_finding(check_mesh(mesh), "bad_index", Severity::error, "region 'x0', node 1001");
}

TEST(MeshCheck, FindsCoordinatesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TetMesh mesh = box();
    mesh.nodes[3].y() = bad;
    expect_finding(check_mesh(mesh), "not_finite", Severity::error, "node 4");
  }
}

TEST(MeshCheck, FindsNumbersGivenTwice) {
  FileNumbers numbers;
  for (int i = 0; i < 27; ++i) numbers.nodes.push_back(i == 5 ? 4 : i);
  expect_finding(check_mesh(box(), numbers), "duplicate_node_number", Severity::error, "node 4");
}

TEST(MeshCheck, FindsElementsThatOverlap) {
  TetMesh mesh = box();
  for (std::size_t i = 0; i < 4; ++i) mesh.connectivity.push_back(mesh.connectivity[40 + i]);
  expect_finding(check_mesh(mesh), "overlapping_element", Severity::error, "element 49");
}

TEST(MeshCheck, RefusesAMeshWithoutElements) {
  expect_finding(check_mesh(TetMesh{}), "no_elements", Severity::error, "");
}

TEST(MeshCheck, FindsFloatingNodes) {
  TetMesh mesh = box();
  mesh.nodes.emplace_back(0.001, 0.002, 0.003);
  expect_finding(check_mesh(mesh), "floating_node", Severity::warning, "node 28");
}

TEST(MeshCheck, FindsNodesInTheSamePlace) {
  TetMesh mesh = box();
  append(mesh, box(), {0.02, 0.0, 0.0});
  const std::vector<Finding> findings = check_mesh(mesh);
  expect_finding(findings, "duplicate_node", Severity::warning, "nodes 3 and 28");
  EXPECT_TRUE(find(findings, "duplicate_node")->message.starts_with("9 nodes"));
}

TEST(MeshCheck, FindsSeparateParts) {
  TetMesh mesh = box();
  append(mesh, box(), {0.05, 0.0, 0.0});
  const std::vector<Finding> findings = check_mesh(mesh);
  expect_finding(findings, "several_components", Severity::warning, "48 elements around node 28");
  EXPECT_EQ(findings.size(), 1u);
}

TEST(MeshCheck, FindsPartsThatTouchInANodeOrAnEdge) {
  // two tetrahedra that share one corner
  TetMesh mesh;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  mesh.connectivity = {0, 1, 2, 3, 0, 5, 4, 6};
  ASSERT_TRUE(check_elements(mesh).empty());
  const auto by_node = check_mesh(mesh);
  expect_finding(by_node, "nonmanifold_point", Severity::warning, "at 1");
  EXPECT_EQ(find(by_node, "nonmanifold_surface"), nullptr);

  // and two that share an edge
  mesh.connectivity = {0, 1, 2, 3, 0, 1, 5, 6};
  std::swap(mesh.connectivity[6], mesh.connectivity[7]);
  if (!check_elements(mesh).empty()) std::swap(mesh.connectivity[6], mesh.connectivity[7]);
  mesh.nodes[4] = {0, 0, 0.5};
  expect_finding(check_mesh(mesh), "nonmanifold_surface", Severity::warning, "edge 1 2");
}

TEST(MeshCheck, FindsNeedles) {
  const TetMesh mesh = make_box({1.0, 0.001, 0.001}, {1, 1, 1}, ElementType::tet4);
  expect_finding(check_mesh(mesh), "poor_element", Severity::warning, "element 1");
}

TEST(MeshCheck, SmellsMillimetresAndDoubleScaling) {
  expect_finding(check_mesh(make_box({20, 10, 10}, {2, 1, 1}, ElementType::tet4)),
                 "suspicious_size", Severity::warning, "20 m");
  expect_finding(check_mesh(make_box({2e-8, 1e-8, 1e-8}, {2, 1, 1}, ElementType::tet4)),
                 "suspicious_size", Severity::warning, "2e-08 m");
  EXPECT_TRUE(check_mesh(make_box({2.5, 1, 1}, {2, 1, 1}, ElementType::tet4)).empty());
}

TEST(MeshCheck, FindsRegionsThatNameNothingOrTheSame) {
  TetMesh mesh = box();
  mesh.regions.push_back({"handle", 2, {}, {}, 3, {}});
  expect_finding(check_mesh(mesh), "empty_region", Severity::warning, "'handle'");
  mesh = box();
  mesh.regions[1].name = "x0";
  expect_finding(check_mesh(mesh), "ambiguous_region", Severity::warning, "'x0'");
}

Surface cube() {
  return extract_surface(make_box({0.1, 0.1, 0.1}, {2, 2, 2}, ElementType::tet4));
}

TEST(SurfaceCheck, FindsHoles) {
  Surface surface = cube();
  surface.triangles.pop_back();
  const auto findings = check_surface(surface);
  expect_finding(findings, "open_surface", Severity::warning, "edge");
  EXPECT_TRUE(find(findings, "open_surface")->message.starts_with("3 edges"));
}

TEST(SurfaceCheck, FindsEdgesOfThreeTriangles) {
  Surface surface = cube();
  surface.points.emplace_back(0.2, 0.2, 0.2);
  const auto [a, b, c] = surface.triangles[0];
  surface.triangles.push_back({a, b, surface.point_count() - 1});
  expect_finding(check_surface(surface), "nonmanifold_surface", Severity::warning, "edge");
}

TEST(SurfaceCheck, FindsSheetsThatTouchInAPoint) {
  Surface surface;
  surface.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  surface.triangles = {{0, 1, 2}, {0, 3, 4}};
  expect_finding(check_surface(surface), "nonmanifold_point", Severity::warning, "at 1");
}

TEST(SurfaceCheck, FindsContradictingAndInwardNormals) {
  Surface surface = cube();
  std::swap(surface.triangles[5][0], surface.triangles[5][1]);
  expect_finding(check_surface(surface), "contradicting_normals", Severity::warning, "edge");
  surface = cube();
  for (auto& triangle : surface.triangles) std::swap(triangle[0], triangle[1]);
  expect_finding(check_surface(surface), "inside_out", Severity::warning, "all");
}

TEST(SurfaceCheck, FindsTrianglesWithoutArea) {
  Surface surface = cube();
  surface.triangles.push_back({0, 1, 0});
  expect_finding(check_surface(surface), "zero_area_triangle", Severity::warning, "triangle 49");
}

TEST(SurfaceCheck, FindsBadIndicesAndCoordinates) {
  Surface surface = cube();
  surface.triangles[0][1] = 26;
  expect_finding(check_surface(surface), "bad_index", Severity::error, "point 27 of 26");
  surface = cube();
  surface.points[2].z() = std::numeric_limits<double>::quiet_NaN();
  expect_finding(check_surface(surface), "not_finite", Severity::error, "point 3");
  expect_finding(check_surface(Surface{}), "no_elements", Severity::error, "");
}

TEST(SurfaceCheck, FindsFloatingDoubleAndSeparatePoints) {
  Surface surface = cube();
  surface.points.push_back(surface.points[4]);
  const auto findings = check_surface(surface);
  expect_finding(findings, "floating_node", Severity::warning, "point 27");
  expect_finding(findings, "duplicate_node", Severity::warning, "points 5 and 27");
  surface = cube();
  const Surface other = cube();
  for (const Vec3& p : other.points) surface.points.push_back(p + Vec3(0.5, 0, 0));
  for (const auto& [a, b, c] : other.triangles)
    surface.triangles.push_back({a + 26, b + 26, c + 26});
  expect_finding(check_surface(surface), "several_components", Severity::warning, "point 27");
}

TEST(SurfaceCheck, SmellsMillimetres) {
  Surface surface = cube();
  for (Vec3& p : surface.points) p *= 1000.0;
  expect_finding(check_surface(surface), "suspicious_size", Severity::warning, "100 m");
}

}  // namespace
}  // namespace stickslip
