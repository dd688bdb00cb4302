#include <fmt/core.h>
#include <gtest/gtest.h>

#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_formats.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// An Abaqus file of a mesh, its numbers with gaps, its regions of nodes as sets.
std::string inp_of(const TetMesh& mesh) {
  std::string text = "** written by a test\n*Heading\nanything, goes\n*Node\n";
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3& p = mesh.nodes[uz(i)];
    text += fmt::format("{}, {}, {}, {}\n", 10 * i + 3, p.x(), p.y(), p.z());
  }
  const bool is_quadratic = mesh.type == ElementType::tet10;
  text += fmt::format("*Element, type={}, elset=Body\n", is_quadratic ? "C3D10" : "C3D4");
  for (int e = 0; e < mesh.element_count(); ++e) {
    text += fmt::format("{}", 7 * e + 1);
    const auto nodes = mesh.element(e);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      // the last two mid-side nodes in the other order, and lines that go on
      const std::size_t at = nodes.size() == 10 && k >= 8 ? 17 - k : k;
      text += fmt::format(",{}{}", k == 6 ? "\n " : " ", 10 * nodes[at] + 3);
    }
    text += "\n";
  }
  for (const Region& region : mesh.regions) {
    text += fmt::format("*NSET, NSET={}\n", region.name);
    for (const int node : region.nodes) text += fmt::format("{},\n", 10 * node + 3);
  }
  return text;
}

TEST(InpReader, KeepsNodesElementsAndSets) {
  const TestFolder folder;
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    const TetMesh mesh = make_box({0.02, 0.01, 0.03}, {2, 1, 3}, type);
    const TetMeshFile read = read_inp(folder.write("a.inp", inp_of(mesh)));
    EXPECT_EQ(read.mesh.type, type);
    EXPECT_EQ(read.mesh.nodes, mesh.nodes);
    EXPECT_EQ(read.mesh.connectivity, mesh.connectivity);
    for (const Region& region : mesh.regions) {
      const Region* found = read.mesh.find_region(region.name);
      ASSERT_NE(found, nullptr) << region.name;
      EXPECT_EQ(found->nodes, region.nodes);
      EXPECT_EQ(found->dimension, 0);
    }
    const Region* body = read.mesh.find_region("Body");
    ASSERT_NE(body, nullptr);
    EXPECT_EQ(body->elements.size(), uz(mesh.element_count()));
    // messages call nodes and elements by the file's numbers
    EXPECT_EQ(read.numbers.nodes[1], 13);
    EXPECT_EQ(read.numbers.elements[2], 15);
  }
}

const std::string tetrahedron =
    "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n5, 1, 1, 1\n"
    "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n";

TEST(InpReader, MakesSetsOfRangesAndOfOtherSetsWhateverTheirCase) {
  const TestFolder folder;
  const TetMeshFile file = read_inp(
      folder.write("a.inp", tetrahedron + "*NSET, NSET=Ends, GENERATE\n1, 4, 3\n"
                                          "*NSET, NSET=more\neNDS, 2\n"
                                          "*NSET, NSET=\"MORE\"\n3\n"
                                          "*NSET, NSET=far, GENERATE\n1, 900000000000000, 2\n"));
  EXPECT_EQ(file.mesh.find_region("Ends")->nodes, (std::vector<int>{0, 3}));
  EXPECT_EQ(file.mesh.find_region("more")->nodes, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(file.mesh.find_region("far")->nodes, (std::vector<int>{0, 2, 4}));
}

TEST(InpReader, RefusesHostileFilesInOneLineWithTheRemedy) {
  const TestFolder folder;
  const std::pair<std::string, const char*> cases[] = {
      {"1, 2, 3\n", "a.inp:1: expected a keyword"},
      {"*NODE\n1, 0, 0\n", "a.inp:2: a node is not: number, x, y, z"},
      {"*NODE\n1, 0, zero, 0\n", "a node is not: number, x, y, z"},
      {"*NODE\n-1, 0, 0, 0\n", "'-1' is not a number of a node"},
      {"*NODE\n1e3, 0, 0, 0\n", "'1e3' is not a number of a node"},
      {"*NODE\n9000000000000000000, 0, 0, 0\n", "is not a number of a node"},
      {"*NODE\n1, 0, 0, 0\n", "holds 1 nodes and 0 elements"},
      {"*NODE\n\n*ELEMENT, TYPE=C3D8\n", "a.inp:3: element type 'C3D8' is not read"},
      {"*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n*NODE\n", "element 1 has 3 nodes, not 4"},
      {"*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 5, 6\n", "element 1 has 6 nodes, not 4"},
      {"*INCLUDE, INPUT=other.inp\n", "*INCLUDE is not read"},
      {"*PART, NAME=a\n*PART, NAME=b\n", "holds several parts"},
      {"*NSET\n1, 2\n", "a set has no name"},
      {"*NSET, NSET=a, GENERATE\n1\n", "GENERATE needs: first, last, step"},
      {"*NSET, NSET=a, GENERATE\n1, 5, 0\n", "step 0 is not positive"},
      {"*NSET, NSET=a\nnobody\n", "'nobody' is neither a number nor a set"},
      {"*NSET, NSET=a\na\n", "'a' is neither a number nor a set"},
  };
  for (const auto& [contents, expected] : cases) {
    const auto path = folder.write("a.inp", contents);
    const std::string message = refusal<InputError>([&] { read_inp(path); });
    EXPECT_NE(message.find(expected), std::string::npos) << contents << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
    EXPECT_NE(message.find(';'), std::string::npos) << "no remedy: " << message;
  }
}

TEST(InpReader, RefusesSetsThatDoubleWithoutEnd) {
  // each set holds the one before twice: a bomb of forty lines
  std::string text = tetrahedron + "*NSET, NSET=s0\n1, 2, 3\n";
  for (int k = 1; k < 40; ++k) text += fmt::format("*NSET, NSET=s{}\ns{}, s{}\n", k, k - 1, k - 1);
  const TestFolder folder;
  const auto path = folder.write("a.inp", text);
  EXPECT_NE(refusal<InputError>([&] { read_inp(path); }).find("is too large"), std::string::npos);
}

TEST(InpReader, LeavesAnElementOnAMissingNodeToTheCheck) {
  const TestFolder folder;
  const auto path = folder.write("a.inp", tetrahedron + "2, 1, 2, 3, 77\n");
  const TetMeshFile file = read_inp(path);
  const std::vector<Finding> findings = check_elements(file.mesh, file.numbers);
  ASSERT_FALSE(findings.empty());
  EXPECT_TRUE(breaks_structure(findings.front()));
  EXPECT_NE(findings.front().where.find("77"), std::string::npos) << findings.front().where;
}

}  // namespace
}  // namespace stickslip
