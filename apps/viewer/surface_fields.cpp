#include "apps/viewer/surface_fields.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip::viewer {

namespace {

Vec3 displacement(std::span<const float> u, int point) {
  const auto at = 3 * uz(point);
  return {u[at], u[at + 1], u[at + 2]};
}

double triangle_area(const Surface& surface, const std::array<int, 3>& triangle) {
  const Vec3& a = surface.points[uz(triangle[0])];
  return 0.5 *
         (surface.points[uz(triangle[1])] - a).cross(surface.points[uz(triangle[2])] - a).norm();
}

/// Of plane stress, from the stretch of a triangle in its own plane.
double von_mises(const Surface& surface, const std::array<int, 3>& triangle, double young,
                 double poisson, std::span<const float> u) {
  // axes of the plane, and the edges along them
  const Vec3& a = surface.points[uz(triangle[0])];
  const Vec3 edge_1 = surface.points[uz(triangle[1])] - a;
  const Vec3 edge_2 = surface.points[uz(triangle[2])] - a;
  const double length = edge_1.norm();
  const Vec3 normal = edge_1.cross(edge_2);
  if (length == 0.0 || normal.norm() == 0.0) return 0.0;
  Eigen::Matrix<double, 2, 3> axes;
  axes.row(0) = edge_1.transpose() / length;
  axes.row(1) = normal.normalized().cross(edge_1 / length).transpose();
  Eigen::Matrix2d edges;
  edges << axes * edge_1, axes * edge_2;

  // strain by the gradient of the displacement in the plane
  const Vec3 u_a = displacement(u, triangle[0]);
  Eigen::Matrix2d moved;
  moved << axes * (displacement(u, triangle[1]) - u_a), axes * (displacement(u, triangle[2]) - u_a);
  const Eigen::Matrix2d gradient = moved * edges.inverse();
  const double e_11 = gradient(0, 0);
  const double e_22 = gradient(1, 1);
  const double g_12 = gradient(0, 1) + gradient(1, 0);

  const double plane = young / (1.0 - poisson * poisson);
  const double s_11 = plane * (e_11 + poisson * e_22);
  const double s_22 = plane * (e_22 + poisson * e_11);
  const double s_12 = 0.5 * young / (1.0 + poisson) * g_12;
  return std::sqrt(s_11 * s_11 - s_11 * s_22 + s_22 * s_22 + 3.0 * s_12 * s_12);
}

}  // namespace

std::vector<double> point_areas(const Surface& surface) {
  std::vector<double> areas(surface.points.size(), 0.0);
  for (const auto& triangle : surface.triangles) {
    const double share = triangle_area(surface, triangle) / 3.0;
    for (const int corner : triangle) areas[uz(corner)] += share;
  }
  return areas;
}

void displacement_field(std::span<const float> u, std::span<float> field) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    field[i] = static_cast<float>(displacement(u, static_cast<int>(i)).norm());
  }
}

void stress_field(const Surface& surface, double young, double poisson, std::span<const float> u,
                  std::span<const double> areas, std::span<float> field) {
  std::fill(field.begin(), field.end(), 0.0F);
  for (const auto& triangle : surface.triangles) {
    const double stress = von_mises(surface, triangle, young, poisson, u);
    const double area = triangle_area(surface, triangle) / 3.0;
    for (const int corner : triangle) {
      if (areas[uz(corner)] <= 0.0) continue;
      field[uz(corner)] += static_cast<float>(stress * area / areas[uz(corner)]);
    }
  }
}

void add_pressure(const SurfacePoint& point, double normal_force, std::span<const double> areas,
                  std::span<float> field) {
  for (std::size_t k = 0; k < 3; ++k) {
    const auto corner = uz(point.corner[k]);
    if (corner >= field.size() || areas[corner] <= 0.0) continue;
    field[corner] += static_cast<float>(point.weight[k] * normal_force / areas[corner]);
  }
}

}  // namespace stickslip::viewer
