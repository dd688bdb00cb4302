#pragma once

#include <span>
#include <vector>

#include "stickslip/mesh/surface.hpp"

namespace stickslip::viewer {

/// A third of the triangles around each point. [m^2]
std::vector<double> point_areas(const Surface& surface);

/// Amount of the displacement of each point.
void displacement_field(std::span<const float> u, std::span<float> field);

/// Von Mises stress of the surface at each point under displacements u (three a point), the mean of
/// the triangles around it. A triangle has the strain of its own stretch and the stress of a
/// surface on which no load stands: exact there, and off by the pressure where something touches.
/// [Pa]
void stress_field(const Surface& surface, double young, double poisson, std::span<const float> u,
                  std::span<const double> areas, std::span<float> field);

/// Adds the pressure of a force along the normal on a point of the surface. [Pa]
void add_pressure(const SurfacePoint& point, double normal_force, std::span<const double> areas,
                  std::span<float> field);

}  // namespace stickslip::viewer
