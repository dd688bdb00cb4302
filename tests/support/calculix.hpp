#pragma once

#include <fmt/core.h>
#include <fmt/os.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "stickslip/fem/elasticity.hpp"
#include "stickslip/mesh/tet_mesh.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip::testing_support {

// Statics of ten-node meshes by CalculiX, a finite-element program that shares nothing with ours.

enum class Displacements {
  small,  ///< linear statics
  large,  ///< equilibrium on the deformed body, under forces that keep their direction
};

enum class MaterialLaw { hooke, neo_hooke };

inline bool calculix_is_present() {
  return std::system("command -v ccx >/dev/null") == 0;
}

using NodeForces = std::map<int, Vec3>;  ///< by node of the mesh [N]
using NodeMoves = std::map<int, Vec3>;   ///< where nodes are taken to, the same way [m]

/// The input of CalculiX, which reads twenty characters of a number; its numbers of nodes are ours
/// plus one.
inline void write_calculix_input(const std::filesystem::path& path, const TetMesh& mesh,
                                 const Material& material, const std::vector<int>& held,
                                 const NodeForces& forces, Displacements displacements,
                                 MaterialLaw law, const NodeMoves& moved) {
  fmt::ostream file = fmt::output_file(path.string());
  file.print("*NODE, NSET=all\n");
  for (int n = 0; n < mesh.node_count(); ++n) {
    const Vec3& x = mesh.nodes[uz(n)];
    file.print("{}, {:.12e}, {:.12e}, {:.12e}\n", n + 1, x.x(), x.y(), x.z());
  }
  file.print("*ELEMENT, TYPE=C3D10, ELSET=body\n");
  for (int e = 0; e < mesh.element_count(); ++e) {
    file.print("{}", e + 1);
    // the mid-side nodes of the last two edges stand in the other order
    for (const int k : {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}) {
      file.print(", {}", mesh.element(e)[uz(k)] + 1);
    }
    file.print("\n");
  }
  if (law == MaterialLaw::hooke) {
    file.print("*MATERIAL, NAME=matter\n*ELASTIC\n{:.12e}, {:.12e}\n", material.young,
               material.poisson);
  } else {
    // C10 = G/2, D1 = 2/B
    file.print("*MATERIAL, NAME=matter\n*HYPERELASTIC, NEO HOOKE\n{:.12e}, {:.12e}\n",
               material.young / (4.0 * (1.0 + material.poisson)),
               6.0 * (1.0 - 2.0 * material.poisson) / material.young);
  }
  file.print("*SOLID SECTION, ELSET=body, MATERIAL=matter\n*BOUNDARY\n");
  for (const int n : held) file.print("{}, 1, 3\n", n + 1);
  for (const auto& [n, u] : moved) file.print("{}, 1, 3\n", n + 1);
  file.print("*STEP{}\n*STATIC\n", displacements == Displacements::large ? ", NLGEOM" : "");
  if (!moved.empty()) file.print("*BOUNDARY\n");
  for (const auto& [n, u] : moved) {
    for (int d = 0; d < 3; ++d) file.print("{}, {}, {}, {:.12e}\n", n + 1, d + 1, d + 1, u[d]);
  }
  if (!forces.empty()) file.print("*CLOAD\n");
  for (const auto& [n, force] : forces) {
    for (int d = 0; d < 3; ++d) file.print("{}, {}, {:.12e}\n", n + 1, d + 1, force[d]);
  }
  file.print("*NODE PRINT, NSET=all\nU\n*END STEP\n");
}

/// Displacements of all nodes under forces on some, the held ones fixed. [m]
inline std::vector<Vec3> solve_by_calculix(const TetMesh& mesh, const Material& material,
                                           const std::vector<int>& held, const NodeForces& forces,
                                           Displacements displacements,
                                           MaterialLaw law = MaterialLaw::hooke,
                                           const NodeMoves& moved = {}) {
  const TestFolder folder;
  write_calculix_input(folder / "statics.inp", mesh, material, held, forces, displacements, law,
                       moved);
  const std::string command =
      fmt::format("cd '{}' && ccx statics >log 2>&1", folder.path().string());
  EXPECT_EQ(std::system(command.c_str()), 0) << folder.read("log");

  // the last increment stands last
  std::vector<Vec3> u(mesh.nodes.size(), Vec3::Zero());
  std::ifstream table(folder / "statics.dat");
  std::string line;
  int rows = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    int node = 0;
    Vec3 value;
    if (!(row >> node >> value.x() >> value.y() >> value.z())) continue;
    u.at(uz(node - 1)) = value;
    ++rows;
  }
  EXPECT_GE(rows, mesh.node_count()) << folder.read("log");
  return u;
}

}  // namespace stickslip::testing_support
