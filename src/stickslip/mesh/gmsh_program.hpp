#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip {

/// What gmsh is busy with.
struct ImportProgress {
  std::string stage;     ///< "Meshing 3D"
  int percent = -1;      ///< of the stage; -1 when gmsh does not tell
  double elapsed_s = 0;  ///< since gmsh was started
};

struct ImportOptions {
  double size_m = 0.0;           ///< largest element; 0 leaves it to gmsh
  std::optional<int> order;      ///< 1 or 2; unset: 2 for new meshes, as it is for old ones
  std::optional<double> unit_m;  ///< of the file's coordinates; unset: metres, or what STEP says
  std::string program = "gmsh";  ///< searched in PATH unless it has a slash
  std::function<void(const ImportProgress&)> progress;  ///< at every stage and twice a second
};

struct ImportedMesh {
  TetMesh mesh;
  int straightened_nodes = 0;  ///< mid-side nodes moved by straighten_folded_elements
};

/// Has the separate program gmsh make tetrahedra of a file that it can read, and reads them.
/// Geometry (.step, .iges, .brep, .geo) is meshed; a closed surface (.stl, .obj, or triangles
/// alone in any other file) is filled, and meshed anew when a size is given; tetrahedra
/// (.msh, .vtk, .mesh, .bdf, ...) are only converted. Each face of a CAD part becomes a region,
/// face_1, face_2, ..., or what a STEP file calls it. Abaqus files (.inp) need no gmsh. The result
/// is in metres, without floating nodes and folded elements, and otherwise not yet checked. Throws
/// InputError, with gmsh's own words where gmsh failed.
ImportedMesh import_mesh(const std::filesystem::path& path, const ImportOptions& options);

}  // namespace stickslip
