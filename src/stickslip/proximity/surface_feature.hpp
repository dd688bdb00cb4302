#pragma once

#include <array>

#include "stickslip/proximity/surface_shape.hpp"

namespace stickslip {

/// The corner of a triangle where a place on its border lies, or the edge, or neither.
struct SurfaceFeature {
  int corner = -1;
  int edge = -1;
};

SurfaceFeature feature_at(const SurfaceTopology& topology, int triangle,
                          const std::array<double, 3>& weight);

/// The direction in which the surface looks at a place of a triangle that lies on a feature.
Vec3 outward_at(const SurfaceShape& surface, int triangle, const SurfaceFeature& feature);

}  // namespace stickslip
