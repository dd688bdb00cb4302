#pragma once

#include "stickslip/mesh/surface.hpp"
#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {

struct MassProperties {
  double mass = 0.0;            ///< [kg]
  Vec3 centre = Vec3::Zero();   ///< centre of mass [m]
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass, axes of the mesh [kg m^2]
};

/// Of a homogeneous solid; curved ten-node elements are integrated.
MassProperties mass_properties(const TetMesh& mesh, double density);

/// Of the homogeneous solid inside a closed surface.
MassProperties mass_properties(const Surface& surface, double density);

}  // namespace stickslip
