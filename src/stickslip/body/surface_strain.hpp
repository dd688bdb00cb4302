#pragma once

#include "stickslip/body/body.hpp"

namespace stickslip {

/// How far a deformed body is from where linear elasticity holds.
struct SurfaceStrain {
  double strain = 0.0;        ///< largest principal strain along the surface, by its size
  double rotation_rad = 0.0;  ///< largest turn of a triangle against the frame
};

/// Of all triangles of the surface, by the linear measures of the elastic model. Bending strains
/// are largest there. `points` is scratch.
SurfaceStrain surface_strain(const Body& body, const BodyState& state, std::vector<Vec3>& points);

}  // namespace stickslip
