#pragma once

#include <filesystem>
#include <string>

#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip {

// One reader and one writer per file format; mesh_file.hpp chooses between them. Readers
// throw InputError when a file is not well-formed and leave its contents to the check.

TetMeshFile read_msh(const std::filesystem::path& path);
std::string msh_text(const TetMesh& mesh, bool binary);

/// Abaqus: nodes, four-node and ten-node tetrahedra, triangles, and their named sets.
TetMeshFile read_inp(const std::filesystem::path& path);

std::string vtu_text(const TetMesh& mesh);

Surface read_obj(const std::filesystem::path& path);
std::string obj_text(const Surface& surface);

Surface read_stl(const std::filesystem::path& path);
std::string stl_text(const Surface& surface, bool binary);

}  // namespace stickslip
