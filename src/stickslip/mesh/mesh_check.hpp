#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

enum class Severity {
  warning,  ///< it can be simulated, but a user should decide whether it is meant
  error     ///< it cannot be simulated
};

/// One kind of fault in a mesh, however often it occurs.
struct Finding {
  std::string code;  ///< stable, for programs: "inverted_element"
  Severity severity = Severity::error;
  std::string where;    ///< the first few places, in the numbers of the file
  std::string message;  ///< what is wrong, and how often
  std::string remedy;
};

/// The numbers by which a file calls its nodes and elements, for messages. Where a list is
/// too short an index is called by itself plus one. Entries beyond the mesh's own nodes name
/// nodes that elements ask for and the file lacks.
struct FileNumbers {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> elements;
};

/// What forbids to simulate the mesh: bad indices, coordinates that are not finite, elements
/// without volume or inverted. All findings are errors. Takes any mesh, however broken.
std::vector<Finding> check_elements(const TetMesh& mesh, const FileNumbers& numbers = {});

/// All of that, and what a user should decide on: floating and coincident nodes, touching and
/// separate parts, needles, a size that smells of millimetres, regions that name nothing.
std::vector<Finding> check_mesh(const TetMesh& mesh, const FileNumbers& numbers = {});

/// The same for a surface: bad indices and coordinates are errors; holes, edges of three or
/// more triangles, contradicting normals, triangles without area and the rest are warnings.
std::vector<Finding> check_surface(const Surface& surface);

/// True when nothing forbids to simulate.
bool can_be_simulated(const std::vector<Finding>& findings);

/// True for a fault of the file rather than of the shape: no elements, indices of nodes that do
/// not exist, coordinates that are not finite. Nothing but the check can work with those.
bool breaks_structure(const Finding& finding);

/// The least Jacobian determinant of a ten-node element, at its nodes and at the points where
/// stiffness and mass are integrated, relative to that of its straight corners: 1 when straight,
/// not positive when folded. Indices must be good.
double least_relative_jacobian(const TetMesh& mesh, int element);

/// Quality of a triangle: 4 sqrt(3) area / (sum of squared edges), 1 when equilateral.
double triangle_quality(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace stickslip
