#include <fmt/core.h>
#include <gtest/gtest.h>

#include <random>

#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/mesh/mesh_formats.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// Reads and checks a file as `stickslip mesh check` does. True when it was read.
bool survives(const std::filesystem::path& path) {
  try {
    if (path.extension() == ".inp") {
      const TetMeshFile file = read_inp(path);
      check_mesh(file.mesh, file.numbers);
    } else if (is_surface_file(path)) {
      check_surface(read_surface_unchecked(path));
    } else {
      const TetMeshFile file = read_tet_mesh_unchecked(path);
      check_mesh(file.mesh, file.numbers);
    }
    return true;
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return false;
  }
}

struct Kind {
  const char* name;
  const char* extension;
  std::string contents;
};

/// A version 2.2 file of a mesh, which the library itself does not write.
std::string msh22(const TetMesh& mesh, bool binary) {
  std::string text = fmt::format("$MeshFormat\n2.2 {} 8\n", binary ? 1 : 0);
  const auto raw = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  if (binary) raw(1);
  text += fmt::format("{}$EndMeshFormat\n$PhysicalNames\n1\n3 4 \"body\"\n$EndPhysicalNames\n",
                      binary ? "\n" : "");
  text += fmt::format("$Nodes\n{}\n", mesh.node_count());
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3& p = mesh.nodes[uz(i)];
    if (binary) {
      raw(i + 1);
      for (const double x : p) raw(x);
    } else {
      text += fmt::format("{} {} {} {}\n", i + 1, p.x(), p.y(), p.z());
    }
  }
  text += fmt::format("{}$EndNodes\n$Elements\n{}\n", binary ? "\n" : "", mesh.element_count());
  const int type = mesh.type == ElementType::tet4 ? 4 : 11;
  if (binary) {
    for (const int value : {type, mesh.element_count(), 2}) raw(value);
  }
  for (int e = 0; e < mesh.element_count(); ++e) {
    if (binary) {
      for (const int value : {e + 1, 4, 1}) raw(value);
    } else {
      text += fmt::format("{} {} 2 4 1", e + 1, type);
    }
    for (const int node : mesh.element(e)) {
      if (binary) {
        raw(node + 1);
      } else {
        text += fmt::format(" {}", node + 1);
      }
    }
    if (!binary) text += "\n";
  }
  return text + (binary ? "\n" : "") + "$EndElements\n";
}

std::string inp(const TetMesh& mesh) {
  std::string text = "*NODE, NSET=all\n";
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3& p = mesh.nodes[uz(i)];
    text += fmt::format("{}, {}, {}, {}\n", i + 1, p.x(), p.y(), p.z());
  }
  text += "*ELEMENT, TYPE=C3D4, ELSET=body\n";
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto n = mesh.element(e);
    text += fmt::format("{}, {}, {}, {}, {}\n", e + 1, n[0] + 1, n[1] + 1, n[2] + 1, n[3] + 1);
  }
  return text + "*NSET, NSET=odd, GENERATE\n1, 7, 2\n*ELSET, ELSET=more\nbody, 1\n";
}

std::vector<Kind> all_kinds() {
  TetMesh small = make_box({0.1, 0.2, 0.3}, {1, 1, 1}, ElementType::tet4);
  small.regions.push_back({"pins", 0, {}, {}, 0, {0, 3}});
  small.regions.push_back({"half", 3, {0, 1, 2}, {}, 0, {0, 1, 2, 3, 4, 5, 6, 7}});
  const TetMesh large = to_ten_node(small);
  const Surface surface = extract_surface(small);
  return {{"4.1 text", "msh", msh_text(small, false)},
          {"4.1 binary", "msh", msh_text(large, true)},
          {"2.2 text", "msh", msh22(large, false)},
          {"2.2 binary", "msh", msh22(small, true)},
          {"inp", "inp", inp(small)},
          {"obj", "obj", obj_text(surface)},
          {"stl text", "stl", stl_text(surface, false)},
          {"stl binary", "stl", stl_text(surface, true)}};
}

class DamagedFile : public testing::TestWithParam<Kind> {};

TEST_P(DamagedFile, IsWholeAtFirst) {
  const TestFolder folder;
  const auto path = folder.write(std::string("whole.") + GetParam().extension, GetParam().contents);
  EXPECT_TRUE(survives(path));
}

TEST_P(DamagedFile, CutAnywhereIsRefusedOrHarmless) {
  const Kind& kind = GetParam();
  const TestFolder folder;
  const std::string name = std::string("cut.") + kind.extension;
  const std::size_t size = kind.contents.size();
  std::size_t refused = 0;
  for (std::size_t length = 0; length < size; ++length) {
    if (!survives(folder.write(name, kind.contents.substr(0, length)))) ++refused;
  }
  // only the last line's end is dispensable; .obj and .inp have no end mark
  if (std::string(kind.extension) == "obj" || std::string(kind.extension) == "inp") {
    EXPECT_GT(refused, size / 4);
  } else {
    EXPECT_GE(refused + 20, size) << kind.name;
    EXPECT_FALSE(survives(folder.write(name, kind.contents.substr(0, size - 20)))) << kind.name;
  }
}

TEST_P(DamagedFile, FlippedBytesNeverCrash) {
  const Kind& kind = GetParam();
  const TestFolder folder;
  const std::string name = std::string("flipped.") + kind.extension;
  std::mt19937 random(20261115);
  std::size_t refused = 0;
  constexpr std::size_t rounds = 1500;
  for (std::size_t round = 0; round < rounds; ++round) {
    std::string contents = kind.contents;
    const std::size_t flips = 1 + random() % 4;
    for (std::size_t i = 0; i < flips; ++i) {
      contents[random() % contents.size()] = static_cast<char>(random() % 256);
    }
    if (!survives(folder.write(name, contents))) ++refused;
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, rounds);
}

INSTANTIATE_TEST_SUITE_P(AllKinds, DamagedFile, testing::ValuesIn(all_kinds()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           for (char& c : name) {
                             if (c == ' ' || c == '.') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace stickslip
