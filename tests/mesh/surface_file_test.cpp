#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_formats.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

Surface box(double scale, const Vec3& shift = Vec3::Zero()) {
  Surface surface = extract_surface(make_box({1.0, 2.0, 3.0}, {2, 3, 4}, ElementType::tet4));
  for (Vec3& p : surface.points) p = scale * p + shift;
  return surface;
}

TEST(StlFile, WeldsItsCornersAtEveryScaleAndPlace) {
  const TestFolder folder;
  for (const double scale : {1e-6, 1e-3, 1.0, 1e4}) {
    for (const double distance : {0.0, 10.0}) {
      const Surface before = box(scale, distance * scale * Vec3(1.0, -1.0, 0.3));
      for (const bool binary : {false, true}) {
        const Surface after = read_stl(folder.write("a.stl", stl_text(before, binary)));
        EXPECT_EQ(after.point_count(), before.point_count()) << scale << binary;
        EXPECT_EQ(after.triangle_count(), before.triangle_count());
        const double volume = 6.0 * scale * scale * scale;
        EXPECT_NEAR(enclosed_volume(after), volume, (binary ? 1e-4 : 1e-12) * volume);
      }
    }
  }
}

TEST(StlFile, HasTheNormalOfEachTriangle) {
  const Surface surface = box(0.1);
  const std::string binary = stl_text(surface, true);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    float normal[3];
    std::memcpy(normal, binary.data() + 84 + 50 * t, sizeof normal);
    const auto& [a, b, c] = surface.triangles[t];
    const Vec3& p = surface.points[uz(a)];
    const Vec3 expected = (surface.points[uz(b)] - p).cross(surface.points[uz(c)] - p).normalized();
    EXPECT_LT((Vec3(normal[0], normal[1], normal[2]) - expected).norm(), 1e-6);
  }
}

TEST(StlFile, TakesSeveralSolidsAndLeavesOutTrianglesThatAreNone) {
  const TestFolder folder;
  const auto facet = [](const char* a, const char* b, const char* c) {
    return fmt::format(
        "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet\n", a,
        b, c);
  };
  const std::string text = "solid one\n" + facet("0 0 0", "1 0 0", "0 1 0") + "endsolid one\n" +
                           "solid\n" + facet("0 0 0", "1 0 0", "1 0 0") +
                           facet("0 0 0", "0 0 1", "1 0 0") + "endsolid\n";
  const Surface surface = read_stl(folder.write("a.stl", text));
  EXPECT_EQ(surface.triangle_count(), 2);
  EXPECT_EQ(surface.point_count(), 4);
}

TEST(StlFile, RefusesHostileFilesInOneLineWithTheRemedy) {
  const TestFolder folder;
  std::string promising = stl_text(box(1.0), true);
  const std::uint32_t many = 0xffffffff;
  std::memcpy(promising.data() + 80, &many, sizeof many);
  const std::pair<std::string, const char*> cases[] = {
      {"solid a\n", "the file ends before 'endsolid'"},
      {"solid a\nendsolid a\n", "holds no triangles"},
      {"solid a\nvertex 0 0 0\n", "expected 'facet', found 'vertex'"},
      {"solid a\nfacet normal 0 0 x\n", "a normal is 'x', not a number"},
      {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "the file ends before"},
      {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n", "expected 'vertex'"},
      {"liquid\n", "expected 'solid', found 'liquid"},
      {promising, "the header promises 4294967295 triangles"},
      {stl_text(box(1.0), true).substr(0, 500), "neither ASCII"},
  };
  for (const auto& [contents, expected] : cases) {
    const auto path = folder.write("a.stl", contents);
    const std::string message = refusal<InputError>([&] { read_stl(path); });
    EXPECT_NE(message.find(expected), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_NE(message.find(';'), std::string::npos) << "no remedy: " << message;
  }
}

TEST(ObjFile, KeepsEveryPointBitForBit) {
  const TestFolder folder;
  std::mt19937 random(8);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Surface surface = box(1.0);
  for (Vec3& p : surface.points) {
    for (double& x : p) x = uniform(random) * std::pow(10.0, 20.0 * uniform(random));
  }
  const Surface read = read_obj(folder.write("a.obj", obj_text(surface)));
  EXPECT_EQ(read.points, surface.points);
  EXPECT_EQ(read.triangles, surface.triangles);
}

TEST(ObjFile, CutsPolygonsIntoFansOfTheSameArea) {
  // a regular polygon of many corners
  const TestFolder folder;
  constexpr int corners = 37;
  std::string text;
  std::string face = "f";
  for (int k = 0; k < corners; ++k) {
    const double angle = 2.0 * 3.14159265358979323846 * k / corners;
    text += fmt::format("v {} {} 0\n", std::cos(angle), std::sin(angle));
    face += fmt::format(" {}", k + 1);
  }
  const Surface surface = read_obj(folder.write("a.obj", text + face + "\n"));
  EXPECT_EQ(surface.triangle_count(), corners - 2);
  EXPECT_NEAR(area(surface), 0.5 * corners * std::sin(2.0 * 3.14159265358979323846 / corners),
              1e-13);
}

TEST(SurfaceFiles, AreChosenByTheirExtensionInAnyCase) {
  const TestFolder folder;
  EXPECT_TRUE(is_surface_file("a.STL"));
  EXPECT_TRUE(is_surface_file("a.Obj"));
  EXPECT_FALSE(is_surface_file("a.msh"));
  write_surface(folder / "a.OBJ", box(1.0));
  EXPECT_EQ(read_surface(folder / "a.OBJ").points, box(1.0).points);
  EXPECT_NE(refusal<InputError>([&] {
              read_surface(folder.write("a.ply", "ply\n"));
            }).find("'.ply' is not one of .obj, .stl"),
            std::string::npos);
  EXPECT_NE(refusal<InputError>([&] { read_tet_mesh(folder / "a.OBJ"); }).find("mesh import"),
            std::string::npos);
  EXPECT_NE(refusal<InputError>([&] {
              write_surface(folder / "a.msh", box(1.0));
            }).find("'.msh' is not one of"),
            std::string::npos);
}

TEST(FloatingPoints, AreLeftOutAndTheRestKeepsItsShape) {
  const Surface before = box(1.0);
  Surface surface = before;
  surface.mesh_nodes.clear();
  // one at the front, one in the middle, one at the end
  surface.points.insert(surface.points.begin(), Vec3(9, 9, 9));
  surface.points.insert(surface.points.begin() + 5, Vec3(8, 8, 8));
  surface.points.emplace_back(7, 7, 7);
  for (auto& triangle : surface.triangles) {
    for (int& point : triangle) point += point + 1 >= 5 ? 2 : 1;
  }
  drop_floating_points(surface);
  EXPECT_EQ(surface.points, before.points);
  EXPECT_EQ(surface.triangles, before.triangles);
}

TEST(FloatingNodes, AreLeftOutWithTheCellsOfRegionsOnThem) {
  TetMesh mesh;
  mesh.nodes = {{5, 5, 5}, {0, 0, 0}, {1, 0, 0}, {6, 6, 6}, {0, 1, 0}, {0, 0, 1}};
  mesh.connectivity = {1, 2, 4, 5};
  mesh.regions.push_back({"face", 2, {}, {1, 2, 4, 0, 1, 2}, 3, {0, 1, 2, 4}});
  mesh.regions.push_back({"pins", 0, {}, {}, 0, {3, 5}});
  drop_floating_nodes(mesh);
  EXPECT_EQ(mesh.nodes, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}));
  EXPECT_EQ(mesh.connectivity, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(mesh.regions[0].cells, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.regions[0].nodes, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh.regions[1].nodes, (std::vector<int>{3}));
}

}  // namespace
}  // namespace stickslip
