#include "apps/viewer/surface_fields.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace stickslip::viewer {
namespace {

constexpr double young = 2e9;
constexpr double poisson = 0.3;

Surface box_surface() {
  return extract_surface(make_box({0.1, 0.05, 0.02}, {4, 2, 2}, ElementType::tet4));
}

std::vector<float> displacements(const Surface& surface, const Mat3& gradient) {
  std::vector<float> u;
  for (const Vec3& point : surface.points) {
    for (const double value : Vec3(gradient * point)) u.push_back(static_cast<float>(value));
  }
  return u;
}

/// At a point inside the top face, which nothing loads.
double stress_on_top(const Mat3& gradient) {
  const Surface surface = box_surface();
  std::vector<float> field(surface.points.size());
  const auto u = displacements(surface, gradient);
  stress_field(surface, young, poisson, u, point_areas(surface), field);
  for (std::size_t i = 0; i < field.size(); ++i) {
    if ((surface.points[i] - Vec3(0.05, 0.025, 0.02)).norm() < 1e-9) return field[i];
  }
  ADD_FAILURE() << "no such point";
  return 0.0;
}

TEST(StressField, OfAPulledBarIsItsTension) {
  const double tension = 3e6;
  const Vec3 strain = tension / young * Vec3(1.0, -poisson, -poisson);
  EXPECT_NEAR(stress_on_top(strain.asDiagonal()), tension, 1e-3 * tension);
}

TEST(StressField, OfShearIsTheRootOfThreeTimesIt) {
  const double shear = 1e6;
  const double modulus = young / (2.0 * (1.0 + poisson));
  Mat3 gradient = Mat3::Zero();
  gradient(0, 1) = shear / modulus;
  EXPECT_NEAR(stress_on_top(gradient), std::sqrt(3.0) * shear, 1e-3 * shear);
}

TEST(StressField, OfASmallTurnIsNone) {
  Mat3 gradient = Mat3::Zero();
  gradient(0, 1) = -1e-4;
  gradient(1, 0) = 1e-4;
  EXPECT_LT(stress_on_top(gradient), 1e-3 * young * 1e-4);
}

TEST(PressureField, TimesAreaIsTheForce) {
  const Surface surface = box_surface();
  const std::vector<double> areas = point_areas(surface);
  EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.0), area(surface), 1e-12);
  std::vector<float> field(surface.points.size(), 0.0F);
  add_pressure({surface.triangles[3], {0.2, 0.3, 0.5}}, 7.0, areas, field);
  double force = 0.0;
  for (std::size_t i = 0; i < field.size(); ++i) force += areas[i] * static_cast<double>(field[i]);
  EXPECT_NEAR(force, 7.0, 1e-5);
}

}  // namespace
}  // namespace stickslip::viewer
