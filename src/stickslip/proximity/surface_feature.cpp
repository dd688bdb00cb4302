#include "stickslip/proximity/surface_feature.hpp"

namespace stickslip {

SurfaceFeature feature_at(const SurfaceTopology& topology, int triangle,
                          const std::array<double, 3>& weight) {
  // weights below this are on the border of the triangle
  constexpr double border_weight = 1e-9;
  int zeros = 0;
  std::size_t zero = 0;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (weight[k] <= border_weight) {
      ++zeros;
      zero = k;
    }
    if (weight[k] > weight[largest]) largest = k;
  }
  if (zeros >= 2) return {topology.triangles()[uz(triangle)][largest], -1};
  if (zeros == 1) return {-1, topology.triangle_edges(triangle)[zero]};
  return {};
}

Vec3 outward_at(const SurfaceShape& surface, int triangle, const SurfaceFeature& feature) {
  if (feature.corner >= 0) return surface.point_normal(feature.corner).normalized();
  if (feature.edge >= 0) return surface.edge(feature.edge).outward;
  return surface.face_normal(triangle);
}

}  // namespace stickslip
