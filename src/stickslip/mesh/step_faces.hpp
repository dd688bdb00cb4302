#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// A face of a CAD part (STEP's advanced face).
struct StepFace {
  std::string name;            ///< that the file gives it; often empty
  std::vector<Vec3> vertices;  ///< of its bounds, in the file's coordinates and unit
};

/// The faces of all shells of a STEP file (ISO 10303-21), in its order. None where the text is not
/// understood: gmsh judges the file, this only looks for names.
std::vector<StepFace> parse_step_faces(std::string_view text);

/// Gives the names of the faces to the surface regions that gmsh made of them, one a face and in
/// the order of the file. A name counts only where the vertices of its face are nodes of the
/// region, in metres or by the usual units; a name that several faces share becomes one region.
/// How many regions were named.
int name_faces(const std::vector<StepFace>& faces, TetMesh& mesh);

}  // namespace stickslip
