#include "stickslip/body/surface_strain.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace stickslip {

SurfaceStrain surface_strain(const Body& body, const BodyState& state, std::vector<Vec3>& points) {
  SurfaceStrain worst;
  if (body.deformation() == nullptr) return worst;
  const Surface& rest = body.surface();
  points.resize(rest.points.size());
  body.deformed_points(state, points);
  for (const auto& [a, b, c] : rest.triangles) {
    // the triangle with its normals, before and after
    const auto edges = [a = a, b = b, c = c](std::span<const Vec3> p) {
      Mat3 columns;
      columns.col(0) = p[uz(b)] - p[uz(a)];
      columns.col(1) = p[uz(c)] - p[uz(a)];
      columns.col(2) = columns.col(0).cross(columns.col(1)).normalized();
      return columns;
    };
    const Mat3 before = edges(rest.points);
    const Mat3 F = edges(points) * before.inverse();

    // strain in the plane of the triangle
    Eigen::Matrix<double, 3, 2> plane;
    plane.col(0) = before.col(0).normalized();
    plane.col(1) = before.col(2).cross(plane.col(0));
    const Eigen::Matrix2d e =
        plane.transpose() * (0.5 * (F + F.transpose()) - Mat3::Identity()) * plane;
    const double mean = 0.5 * e.trace();
    const double radius = std::hypot(0.5 * (e(0, 0) - e(1, 1)), e(0, 1));
    worst.strain = std::max(worst.strain, std::abs(mean) + radius);

    const Mat3 turn = 0.5 * (F - F.transpose());
    worst.rotation_rad =
        std::max(worst.rotation_rad, Vec3(turn(2, 1), turn(0, 2), turn(1, 0)).norm());
  }
  return worst;
}

}  // namespace stickslip
