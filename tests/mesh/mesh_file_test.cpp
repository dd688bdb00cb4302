#include "stickslip/mesh/mesh_file.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "stickslip/error.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// The cells of a region as sets of nodes, so that order does not matter.
std::set<std::set<int>> cell_sets(const Region& region) {
  std::set<std::set<int>> sets;
  for (std::size_t i = 0; i < region.cells.size(); i += uz(region.nodes_per_cell)) {
    const auto begin = region.cells.begin() + static_cast<std::ptrdiff_t>(i);
    sets.emplace(begin, begin + region.nodes_per_cell);
  }
  return sets;
}

void expect_same_regions(const TetMesh& a, const TetMesh& b) {
  ASSERT_EQ(a.regions.size(), b.regions.size());
  for (std::size_t r = 0; r < a.regions.size(); ++r) {
    const Region& p = a.regions[r];
    const Region& q = b.regions[r];
    EXPECT_EQ(p.name, q.name);
    EXPECT_EQ(p.dimension, q.dimension) << p.name;
    EXPECT_EQ(p.elements, q.elements) << p.name;
    EXPECT_EQ(p.nodes_per_cell, q.nodes_per_cell) << p.name;
    EXPECT_EQ(cell_sets(p), cell_sets(q)) << p.name;
    EXPECT_EQ(p.nodes, q.nodes) << p.name;
  }
}

void expect_same(const TetMesh& a, const TetMesh& b) {
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.nodes, b.nodes);
  EXPECT_EQ(a.connectivity, b.connectivity);
  expect_same_regions(a, b);
}

/// A box with regions of every dimension, some of which overlap.
TetMesh box_with_regions(ElementType type) {
  TetMesh mesh = make_box({0.02, 0.01, 0.01}, {3, 2, 2}, ElementType::tet4);
  const auto nodes_of = [&](const std::vector<int>& elements) {
    std::set<int> nodes;
    for (const int e : elements) nodes.insert(mesh.element(e).begin(), mesh.element(e).end());
    return std::vector<int>(nodes.begin(), nodes.end());
  };
  mesh.regions.push_back({"left half", 3, {0, 1, 2, 3, 7}, {}, 0, nodes_of({0, 1, 2, 3, 7})});
  mesh.regions.push_back({"core", 3, {3, 7, 20}, {}, 0, nodes_of({3, 7, 20})});
  mesh.regions.push_back({"rim", 1, {}, {0, 1, 1, 2}, 2, {0, 1, 2}});
  mesh.regions.push_back({"pins", 0, {}, {}, 0, {0, 5, 11}});
  mesh.regions.push_back({"first pin", 0, {}, {}, 0, {0}});
  const Region side = *mesh.find_region("x0");
  mesh.regions.push_back(side);
  mesh.regions.back().name = "also x0";
  return type == ElementType::tet10 ? to_ten_node(mesh) : mesh;
}

class RoundTrip : public testing::TestWithParam<std::tuple<ElementType, bool>> {};

TEST_P(RoundTrip, MshKeepsNodesElementsAndRegionsBitForBit) {
  const auto [type, binary] = GetParam();
  const TestFolder folder;
  const TetMesh mesh = box_with_regions(type);
  write_tet_mesh(folder / "box.msh", mesh, {binary});
  EXPECT_EQ(
      folder.read("box.msh").starts_with(binary ? "$MeshFormat\n4.1 1 8" : "$MeshFormat\n4.1 0 8"),
      true);
  expect_same(read_tet_mesh(folder / "box.msh"), mesh);
}

TEST_P(RoundTrip, GmshUnderstandsWhatIsWritten) {
  if (!gmsh_is_present()) GTEST_SKIP() << "gmsh is not installed";
  const auto [type, binary] = GetParam();
  const TestFolder folder;
  TetMesh mesh = box_with_regions(type);
  write_tet_mesh(folder / "box.msh", mesh, {binary});
  const std::string command =
      fmt::format("gmsh {0}/box.msh -save -save_all -format msh41 -o {0}/again.msh >{0}/log 2>&1",
                  folder.path().string());
  ASSERT_EQ(std::system(command.c_str()), 0) << folder.read("log");
  EXPECT_EQ(folder.read("log").find("Warning"), std::string::npos) << folder.read("log");
  const TetMesh again = read_tet_mesh(folder / "again.msh");
  EXPECT_EQ(again.node_count(), mesh.node_count());
  EXPECT_EQ(again.element_count(), mesh.element_count());
  EXPECT_NEAR(volume(again), volume(mesh), 1e-15);
  for (const Region& region : mesh.regions) {
    const Region* same = again.find_region(region.name);
    ASSERT_NE(same, nullptr) << region.name;
    EXPECT_EQ(same->nodes.size(), region.nodes.size()) << region.name;
    EXPECT_EQ(same->elements.size(), region.elements.size()) << region.name;
    EXPECT_EQ(same->cells.size(), region.cells.size()) << region.name;
  }
}

INSTANTIATE_TEST_SUITE_P(AllKinds, RoundTrip,
                         testing::Combine(testing::Values(ElementType::tet4, ElementType::tet10),
                                          testing::Bool()));

class GmshFormats : public testing::TestWithParam<int> {};

TEST_P(GmshFormats, OldNewTextAndBinaryGiveTheSameMesh) {
  if (!gmsh_is_present()) GTEST_SKIP() << "gmsh is not installed";
  const int order = GetParam();
  const TestFolder folder;
  folder.write("box.geo", box_script);
  std::vector<TetMesh> meshes;
  for (const std::string format : {"msh22", "msh41", "msh22 -bin", "msh41 -bin",
                                   "msh41 -setnumber Mesh.SaveParametric 1", "msh41 -save_all"}) {
    const std::string command =
        fmt::format("gmsh {0}/box.geo -3 -order {1} -format {2} -o {0}/box.msh >{0}/log 2>&1",
                    folder.path().string(), order, format);
    ASSERT_EQ(std::system(command.c_str()), 0) << folder.read("log");
    meshes.push_back(read_tet_mesh(folder / "box.msh"));
  }

  // the first is right
  const TetMesh& mesh = meshes[0];
  EXPECT_EQ(mesh.type, order == 1 ? ElementType::tet4 : ElementType::tet10);
  EXPECT_NEAR(volume(mesh), 2e-6, 1e-15);
  ASSERT_EQ(mesh.regions.size(), 7u);
  const auto region = [&](const char* name) { return *mesh.find_region(name); };
  EXPECT_EQ(region("body").elements.size(), uz(mesh.element_count()));
  EXPECT_EQ(region("everything").elements.size(), uz(mesh.element_count()));
  EXPECT_EQ(region("group_2_7").dimension, 2);
  for (const int node : region("handle").nodes) EXPECT_EQ(mesh.nodes[uz(node)].x(), 0.0);
  for (const int node : region("ends").nodes) {
    const double x = mesh.nodes[uz(node)].x();
    EXPECT_TRUE(x == 0.0 || x == 0.02) << x;
  }
  EXPECT_LT(region("handle").nodes.size(), region("ends").nodes.size());
  EXPECT_EQ(region("edge").dimension, 1);
  EXPECT_EQ(region("edge").nodes_per_cell, order + 1);
  ASSERT_EQ(region("corner").nodes.size(), 1u);
  EXPECT_EQ(mesh.nodes[uz(region("corner").nodes[0])], Vec3(0.0, 0.0, 0.01));

  // and the others are the same; text has fewer digits
  for (std::size_t i = 1; i < meshes.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(meshes[i].node_count(), mesh.node_count());
    for (std::size_t n = 0; n < mesh.nodes.size(); ++n) {
      EXPECT_LT((meshes[i].nodes[n] - mesh.nodes[n]).norm(), 1e-15);
    }
    EXPECT_EQ(meshes[i].connectivity, mesh.connectivity);
    expect_same_regions(meshes[i], mesh);
  }
}

INSTANTIATE_TEST_SUITE_P(BothOrders, GmshFormats, testing::Values(1, 2));

/// A .msh 2.2 file of five nodes, number 40 at the given place, with lines of elements.
std::string msh22(const std::string& elements, int count, const std::string& node_40 = "0 0 1") {
  return fmt::format(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n40 {}\n10 0 0 0\n7 5 5 5\n20 1 0 0\n"
      "30 0 1 0\n$EndNodes\n$Elements\n{}\n{}$EndElements\n",
      node_40, count, elements);
}

TEST(MshReader, TakesSparseUnorderedTagsAndLeavesOutFloatingNodes) {
  const TestFolder folder;
  const auto path = folder.write("a.msh", msh22("9 15 2 3 1 20\n5 4 2 8 1 10 20 30 40\n", 2));
  const TetMesh mesh = read_tet_mesh(path);
  ASSERT_EQ(mesh.node_count(), 4);
  EXPECT_EQ(mesh.nodes[1], Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(mesh.connectivity, (std::vector<int>{0, 1, 2, 3}));
  ASSERT_NE(mesh.find_region("group_3_8"), nullptr);
  ASSERT_NE(mesh.find_region("group_0_3"), nullptr);
  EXPECT_EQ(mesh.find_region("group_0_3")->nodes, std::vector<int>{1});
  EXPECT_EQ(read_tet_mesh_unchecked(path).mesh.node_count(), 5);
}

TEST(MshReader, ReadsTheOtherByteOrder) {
  const TestFolder folder;
  std::string text = "$MeshFormat\n4.1 1 8\n";
  const auto raw = [&](auto value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    text.append(bytes.rbegin(), bytes.rend());
  };
  const auto sizes = [&](std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t value : values) raw(value);
  };
  raw(1);
  text += "\n$EndMeshFormat\n$Nodes\n";
  sizes({1, 4, 1, 4});
  for (const int value : {3, 1, 0}) raw(value);
  sizes({4, 1, 2, 3, 4});
  for (const double x : {0., 0., 0., 2., 0., 0., 0., 2., 0., 0., 0., 2.}) raw(x);
  text += "\n$EndNodes\n$Elements\n";
  sizes({1, 1, 1, 1});
  for (const int value : {3, 1, 4}) raw(value);
  sizes({1, 1, 1, 2, 3, 4});
  text += "\n$EndElements\n";
  EXPECT_DOUBLE_EQ(volume(read_tet_mesh(folder.write("big.msh", text))), 8.0 / 6.0);
}

TEST(MshReader, RefusesWhatItCannotSimulateInOneLineWithTheRemedy) {
  const TestFolder folder;
  struct Case {
    std::string name;
    std::string contents;
    std::vector<std::string> words;
  };
  const std::string start = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
  const std::vector<Case> cases = {
      {"hexahedra", msh22("1 5 2 0 1 10 20 30 40 10 20 30 40\n", 1), {"8-node hexahedron", ":14:"}},
      {"prisms", msh22("1 6 2 0 1 10 20 30 40 10 20\n", 1), {"6-node prism"}},
      {"order 3", msh22("1 29 0 1\n", 1), {"20-node tetrahedron", "-order"}},
      {"quads", msh22("1 3 2 9 1 10 20 30 40\n2 4 2 0 1 10 20 30 40\n", 2), {"4-node quadrangle"}},
      {"mixed",
       msh22("1 4 2 0 1 10 20 30 40\n2 11 2 0 1 10 20 30 40 7 7 7 7 7 7\n", 2),
       {"mixes", "4-node tetrahedron", "10-node tetrahedron"}},
      {"partitions", msh22("1 4 4 0 1 1 2 10 20 30 40\n", 1), {"partitioned"}},
      {"only triangles", msh22("1 2 2 0 1 10 20 30\n", 1), {"no tetrahedra", "gmsh -3"}},
      {"missing node", msh22("1 4 2 0 1 10 20 30 99\n", 1), {"node 99", "element 1"}},
      {"not a number", msh22("1 4 2 0 1 10 20 30 40\n", 1, "0 0 nan"), {"node 40", "nan"}},
      {"inverted", msh22("1 4 2 0 1 10 30 20 40\n", 1), {"element 1", "negative volume"}},
      {"word", msh22("1 4 2 0 1 10 20 apple 40\n", 1), {":14:", "apple"}},
      {"old format", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", {":2:", "4.0", "msh41"}},
      {"lying count", start + "$Nodes\n999999999999\n1 0 0 0\n", {"999999999999", ":5:"}},
      {"negative count", start + "$Nodes\n-5\n", {"-5"}},
      {"no elements", start + "$Nodes\n1\n1 0 0 0\n$EndNodes\n", {"$Elements"}},
      {"html", "\n<!DOCTYPE html><html></html>", {"HTML", ":1:"}},
      {"gzip", "\x1f\x8b\x08zzzz", {"gzip", "gunzip"}},
      {"text", "hello world\n", {"$MeshFormat", "hello", ":1:"}},
      {"empty", "", {"empty"}},
  };
  for (const Case& c : cases) {
    const auto path = folder.write("broken.msh", c.contents);
    const std::string message = refusal<InputError>([&] { read_tet_mesh(path); });
    EXPECT_TRUE(message.starts_with(path.string())) << c.name << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << c.name;
    EXPECT_NE(message.find(';'), std::string::npos) << c.name << " has no remedy: " << message;
    for (const std::string& word : c.words) {
      EXPECT_NE(message.find(word), std::string::npos) << c.name << ": " << message;
    }
  }
  EXPECT_THROW(read_tet_mesh(folder / "missing.msh"), InputError);
  EXPECT_THROW(read_tet_mesh(folder.path()), InputError);
  EXPECT_THROW(read_tet_mesh(folder.write("a.step", "x")), InputError);
}

TEST(MshReader, SkipsSectionsThatItDoesNotNeed) {
  const TestFolder folder;
  const std::string tetrahedron = msh22("1 4 2 0 1 10 20 30 40\n", 1);
  const auto path = folder.write(
      "a.msh", "$Comments\nanything at all\n$EndComments\n" + tetrahedron +
                   "$Periodic\n1\n0 1 2\n$EndPeriodic\n$NodeData\n1\n\"T\"\n$EndNodeData\n");
  EXPECT_EQ(read_tet_mesh(path).element_count(), 1);
}

TEST(VtuWriter, SwapsTheLastTwoMidSideNodes) {
  const TestFolder folder;
  const TetMesh mesh = make_box({1.0, 1.0, 1.0}, {1, 1, 1}, ElementType::tet10);
  write_tet_mesh(folder / "box.vtu", mesh);
  const std::string text = folder.read("box.vtu");
  EXPECT_NE(text.find("NumberOfPoints=\"27\" NumberOfCells=\"6\""), std::string::npos);

  // the array behind the XML element of that name: its size, then its values
  const std::size_t raw = text.find("<AppendedData encoding=\"raw\">\n_") + 31;
  const auto array_at = [&](const std::string& name, std::size_t& size) {
    const std::size_t element = text.find("Name=\"" + name + "\"");
    const std::size_t offset = text.find("offset=\"", element) + 8;
    const std::size_t at = raw + std::stoul(text.substr(offset));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    size = bytes;
    return text.data() + at + sizeof bytes;
  };
  std::size_t size = 0;
  const char* data = array_at("Points", size);
  ASSERT_EQ(size, 27 * 3 * sizeof(double));
  std::vector<Vec3> points(27);
  std::memcpy(points[0].data(), data, size);
  EXPECT_EQ(points, mesh.nodes);
  data = array_at("connectivity", size);
  ASSERT_EQ(size, 60 * sizeof(std::int64_t));
  std::vector<std::int64_t> connectivity(60);
  std::memcpy(connectivity.data(), data, size);

  // VTK: mid-side nodes on edges 01 12 20 03 13 23
  constexpr int vtk_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  for (std::size_t e = 0; e < 6; ++e) {
    const std::int64_t* cell = connectivity.data() + 10 * e;
    for (std::size_t k = 0; k < 6; ++k) {
      const Vec3 middle =
          0.5 * (points[uz(cell[vtk_edges[k][0]])] + points[uz(cell[vtk_edges[k][1]])]);
      EXPECT_EQ(points[uz(cell[4 + k])], middle) << "element " << e << " edge " << k;
    }
  }
  data = array_at("types", size);
  EXPECT_EQ(std::string(data, size), std::string(6, '\x18'));
  data = array_at("x1", size);
  EXPECT_EQ(std::count(data, data + size, '\1'), 9);
}

TEST(SurfaceFiles, KeepTheSurface) {
  const TestFolder folder;
  const Surface surface =
      extract_surface(make_box({0.02, 0.01, 0.01}, {3, 2, 2}, ElementType::tet4));
  write_surface(folder / "box.obj", surface);
  write_surface(folder / "ascii.stl", surface);
  write_surface(folder / "binary.stl", surface, {true});
  const Surface obj = read_surface(folder / "box.obj");
  EXPECT_EQ(obj.points, surface.points);
  EXPECT_EQ(obj.triangles, surface.triangles);
  EXPECT_EQ(folder.read("binary.stl").size(), 84 + 50 * surface.triangles.size());
  for (const char* name : {"ascii.stl", "binary.stl"}) {
    const Surface stl = read_surface(folder / name);
    EXPECT_EQ(stl.point_count(), surface.point_count()) << name;
    EXPECT_EQ(stl.triangle_count(), surface.triangle_count()) << name;
    EXPECT_NEAR(enclosed_volume(stl), 2e-6, 1e-12) << name;
  }
}

TEST(SurfaceFiles, BoundaryOfAMeshIsASurfaceToo) {
  const TestFolder folder;
  write_tet_mesh(folder / "box.msh", make_box({1.0, 1.0, 2.0}, {2, 2, 2}, ElementType::tet10));
  EXPECT_NEAR(enclosed_volume(read_surface(folder / "box.msh")), 2.0, 1e-14);
}

TEST(ObjReader, TakesPolygonsNegativeNumbersTexturesAndContinuedLines) {
  const TestFolder folder;
  const auto path = folder.write("a.obj",
                                 "# a square and a triangle\r\nmtllib x.mtl\r\no thing\r\n"
                                 "v 0 0 0 1 0 0\r\nv 1e0 0 0\r\nv +1 1 0\r\nv 0 1 0\r\n"
                                 "vt 0 0\r\nf 1/1 2/1/1 \\\r\n 3//1 4\r\nv 0 0 -1\r\n"
                                 "s off\r\nf -1 -4 1 # last\r\n");
  const Surface surface = read_surface(path);
  EXPECT_EQ(surface.point_count(), 5);
  const std::vector<std::array<int, 3>> expected = {{0, 1, 2}, {0, 2, 3}, {4, 1, 0}};
  EXPECT_EQ(surface.triangles, expected);
  EXPECT_EQ(surface.points[2], Vec3(1.0, 1.0, 0.0));
}

TEST(ObjReader, RefusesWithTheLine) {
  const TestFolder folder;
  const auto message = [&](const std::string& contents) {
    const auto path = folder.write("a.obj", contents);
    return refusal<InputError>([&] { read_surface(path); });
  };
  EXPECT_NE(message("v 0 0 zero\n").find("a.obj:1: coordinate 'zero'"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf 1 x 1\n").find("a.obj:2: corner 'x'"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf 1 0 1\n").find("a.obj:2: corner '0'"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf -1 -2 -1\n").find("corner '-2'"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf 1 1\n").find("2 corners"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\nf 1 2 3\n").find("point 2 of 1"), std::string::npos);
  EXPECT_NE(message("v 0 0 0\n").find("no faces"), std::string::npos);
}

TEST(StlReader, ReadsABinaryFileThatCallsItselfSolid) {
  const TestFolder folder;
  write_surface(folder / "a.stl",
                extract_surface(make_box({1, 1, 1}, {1, 1, 1}, ElementType::tet4)), {true});
  std::string contents = folder.read("a.stl");
  contents.replace(0, 6, "solid ");
  EXPECT_EQ(read_surface(folder.write("b.stl", contents)).point_count(), 8);
  const std::string cut = contents.substr(0, contents.size() - 1);
  EXPECT_THROW(read_surface(folder.write("c.stl", cut)), InputError);
}

TEST(AtomicFile, LeavesTheOldFileAndNothingElseWhenItFails) {
  const TestFolder folder;
  const TetMesh mesh = make_box({1, 1, 1}, {1, 1, 1}, ElementType::tet4);
  write_tet_mesh(folder / "a.msh", mesh);
  const std::string before = folder.read("a.msh");
  EXPECT_THROW(write_tet_mesh(folder / "missing/a.msh", mesh), InputError);
  EXPECT_THROW(write_tet_mesh(folder / "a.xyz", mesh), InputError);
  std::filesystem::create_directory(folder / "taken.msh");
  EXPECT_THROW(write_tet_mesh(folder / "taken.msh", mesh), InputError);
  EXPECT_EQ(folder.read("a.msh"), before);
  const auto entries = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 2);
}

}  // namespace
}  // namespace stickslip
