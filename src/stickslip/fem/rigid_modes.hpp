#pragma once

#include <array>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/mass_properties.hpp"

namespace stickslip {

/// Six vectors over all unknowns. (3n x 6)
using RigidModes = Eigen::Matrix<double, Eigen::Dynamic, 6>;

/// The six rigid displacements of the nodes: three translations, three rotations about the
/// origin.
RigidModes rigid_modes(const std::vector<Vec3>& nodes);

/// Mass, centre and inertia that a mass matrix gives its nodes.
MassProperties mass_properties(const std::vector<Vec3>& nodes, const SparseMatrix& M);

/// Six unknowns whose fixing stops every rigid motion and strains nothing, chosen far apart.
std::array<int, 6> isostatic_unknowns(const RigidModes& modes);

/// The rows and columns of A whose new_index is not negative, renumbered by it.
SparseMatrix restricted(const SparseMatrix& A, const std::vector<int>& new_index);

}  // namespace stickslip
