#include "stickslip/body/surface_strain.hpp"

#include <gtest/gtest.h>

#include "stickslip/mesh/tet_mesh.hpp"

namespace stickslip {
namespace {

/// A box whose surface is displaced as told, from rest.
template <typename Displacement>
SurfaceStrain strain_of(const Displacement& displacement) {
  const TetMesh mesh = make_box({0.1, 0.02, 0.03}, {40, 8, 8}, ElementType::tet4);
  const Body body = make_corotational_body(make_elastic_model(mesh, {1e6, 0.3, 1000.0}), {}, {});
  BodyState state = body.initial_state();
  for (int i = 0; i < body.surface().point_count(); ++i) {
    state.deformation.u.own().segment<3>(3 * i) = displacement(body.surface().points[uz(i)]);
  }
  std::vector<Vec3> points;
  return surface_strain(body, state, points);
}

TEST(SurfaceStrain, OfAStretchIsTheStretch) {
  const SurfaceStrain strain = strain_of([](const Vec3& p) { return Vec3(0.01 * p.x(), 0, 0); });
  EXPECT_NEAR(strain.strain, 0.01, 1e-12);
  EXPECT_NEAR(strain.rotation_rad, 0.0, 1e-12);
}

TEST(SurfaceStrain, OfASmallTurnIsNone) {
  const SurfaceStrain strain =
      strain_of([](const Vec3& p) { return Vec3(Vec3(0, 0, 1e-4).cross(p)); });
  EXPECT_NEAR(strain.strain, 0.0, 1e-7);
  EXPECT_NEAR(strain.rotation_rad, 1e-4, 1e-7);
}

TEST(SurfaceStrain, OfABendIsLargestOnItsOutside) {
  // curvature 1/R about z: strain y / R, slope x / R
  constexpr double R = 2.0;
  const SurfaceStrain strain = strain_of(
      [](const Vec3& p) { return Vec3(-p.x() * p.y() / R, p.x() * p.x() / (2.0 * R), 0.0); });
  EXPECT_NEAR(strain.strain, 0.01 / R, 0.15 * 0.01 / R);
  EXPECT_NEAR(strain.rotation_rad, 0.05 / R, 0.15 * 0.05 / R);
}

}  // namespace
}  // namespace stickslip
