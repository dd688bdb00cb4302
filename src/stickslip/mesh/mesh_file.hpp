#pragma once

#include <filesystem>

#include "stickslip/mesh/mesh_check.hpp"
#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// A tetrahedral mesh from a gmsh file (.msh 2.2 or 4.1, ASCII or binary) that can be
/// simulated. Physical groups become regions; one without a name is called
/// group_<dimension>_<tag>. Nodes and elements stand in the order of their tags, nodes that
/// no element uses are left out. Throws InputError.
TetMesh read_tet_mesh(const std::filesystem::path& path);

/// A surface from an .obj or .stl file (points of .stl welded), or the boundary of the
/// tetrahedra of a .msh file. Throws InputError.
Surface read_surface(const std::filesystem::path& path);

/// What a mesh file says, sound or not.
struct TetMeshFile {
  TetMesh mesh;  ///< a node that the file lacks has an index beyond the mesh's nodes
  FileNumbers numbers;
};

/// Reads a well-formed file whatever its contents, for check_mesh to judge. Throws InputError
/// when the file is not well-formed.
TetMeshFile read_tet_mesh_unchecked(const std::filesystem::path& path);

/// The same for .obj and .stl, for check_surface to judge.
Surface read_surface_unchecked(const std::filesystem::path& path);

/// True for the extensions of files that hold only a surface.
bool is_surface_file(const std::filesystem::path& path);

/// Throws InputError, with the first finding in the text, when one of them is an error.
void refuse_errors(const std::filesystem::path& path, const std::vector<Finding>& findings);

/// Leaves out the nodes that no element uses, with the cells of regions on them.
/// Indices must be good.
void drop_floating_nodes(TetMesh& mesh);
void drop_floating_points(Surface& surface);

struct MeshWriteOptions {
  bool binary = false;  ///< .msh and .stl; .vtu is always binary, .obj never
};

/// Writes .msh (format 4.1) or .vtu by the extension, whole or not at all. Throws InputError.
void write_tet_mesh(const std::filesystem::path& path, const TetMesh& mesh,
                    const MeshWriteOptions& options = {});

/// Writes .obj or .stl by the extension, whole or not at all. Throws InputError.
void write_surface(const std::filesystem::path& path, const Surface& surface,
                   const MeshWriteOptions& options = {});

}  // namespace stickslip
