#include "stickslip/motion/thickness.hpp"

#include <algorithm>
#include <limits>

namespace stickslip {

double thickness(const Surface& surface) {
  constexpr int samples = 200;
  const int step = std::max(1, surface.triangle_count() / samples);
  double thinnest = std::numeric_limits<double>::infinity();
  for (int t = 0; t < surface.triangle_count(); t += step) {
    const auto corner = [&](int triangle, std::size_t k) {
      return surface.points[uz(surface.triangles[uz(triangle)][k])];
    };
    const Vec3 from = (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0;
    const Vec3 inward =
        (corner(t, 2) - corner(t, 0)).cross(corner(t, 1) - corner(t, 0)).normalized();
    for (int other = 0; other < surface.triangle_count(); ++other) {
      const Vec3 a = corner(other, 0);
      const Vec3 b = corner(other, 1);
      const Vec3 c = corner(other, 2);
      const Vec3 n = (b - a).cross(c - a);
      const double along = n.dot(inward);
      if (other == t || along <= 0.0) continue;
      const double way = n.dot(a - from) / along;
      const Vec3 x = from + way * inward;
      if (way > 0.0 && way < thinnest && n.dot((b - a).cross(x - a)) >= 0.0 &&
          n.dot((c - b).cross(x - b)) >= 0.0 && n.dot((a - c).cross(x - c)) >= 0.0) {
        thinnest = way;
      }
    }
  }
  return thinnest;
}

}  // namespace stickslip
