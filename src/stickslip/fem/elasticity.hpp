#pragma once

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

/// A homogeneous isotropic linear elastic material.
struct Material {
  double young = 0.0;    ///< Young's modulus E [Pa], > 0
  double poisson = 0.0;  ///< Poisson's ratio nu, in (-1, 0.5)
  double density = 0.0;  ///< [kg/m^3], > 0
};

/// Throws InputError that names the first value out of its range.
void validate(const Material& material);

/// Nodes of one element, a column each.
using Tet4Nodes = Eigen::Matrix<double, 3, 4>;
using Tet10Nodes = Eigen::Matrix<double, 3, 10>;

/// Stiffness of one element, three directions per node: exact for four nodes and for straight
/// ten-node elements, by four integration points on curved ones. [N/m]
Eigen::Matrix<double, 12, 12> tet4_stiffness(const Tet4Nodes& X, const Material& material);
Eigen::Matrix<double, 30, 30> tet10_stiffness(const Tet10Nodes& X, const Material& material);

/// Consistent mass between the nodes of one element, the same in all directions. [kg]
Eigen::Matrix<double, 4, 4> tet4_mass(const Tet4Nodes& X, double density);
Eigen::Matrix<double, 10, 10> tet10_mass(const Tet10Nodes& X, double density);

/// Stiffness matrix K of the whole mesh; unknown 3 i + d is direction d of node i. Stored in
/// full.
SparseMatrix assemble_stiffness(const TetMesh& mesh, const Material& material);

enum class MassKind { consistent, lumped };

/// Mass matrix M. Lumped: diagonal, each element's mass shared in proportion to the diagonal of
/// its consistent matrix, which keeps every share positive.
SparseMatrix assemble_mass(const TetMesh& mesh, double density, MassKind kind);

/// Strain at the corners' centre of one element under nodal displacements, as a tensor.
Mat3 element_strain(const TetMesh& mesh, int element, const VecX& u);

}  // namespace stickslip
