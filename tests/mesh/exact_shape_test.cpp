#include "stickslip/mesh/exact_shape.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/mesh/mesh_check.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::array<ExactShape, 5> shapes = {{{0.02, 0.0, true},
                                               {0.01, 0.03, true},
                                               {0.01, 0.03, false},
                                               {0.03, 0.002, false},
                                               {0.004, 0.03, false}}};

TEST(ExactShape, DistanceIsThatToTheNearestOfManyPlaces) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  for (const ExactShape& shape : shapes) {
    const Surface fine = extract_surface(make_round_mesh(shape, 36, ElementType::tet4, 1.0));
    const double top = shape.half_length + (shape.has_round_ends ? shape.radius : 0.0);
    for (int k = 0; k < 200; ++k) {
      const Vec3 p(2.0 * shape.radius * share(random), 2.0 * shape.radius * share(random),
                   2.0 * top * share(random));
      const auto nearest = shape.nearest(p);
      EXPECT_NEAR(nearest.normal.norm(), 1.0, 1e-12);
      EXPECT_LT((p - nearest.point - nearest.distance * nearest.normal).norm(), 1e-15);
      EXPECT_NEAR(shape.nearest(nearest.point).distance, 0.0, 1e-15);
      double least = 1.0;
      for (const Vec3& q : fine.points) least = std::min(least, (p - q).norm());
      // corners of the mesh lie on the shape, one within a fifth of the radius of any place
      EXPECT_LE(std::abs(nearest.distance), least + 1e-12);
      EXPECT_GE(std::abs(nearest.distance) + 0.2 * shape.radius, least);
    }
  }
}

TEST(ExactShape, SupportIsTheFarthestPlaceOfItsEnds) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ExactShape& shape : shapes) {
    const Surface fine = extract_surface(make_round_mesh(shape, 36, ElementType::tet4, 1.0));
    for (int k = 0; k < 50; ++k) {
      const Vec3 d = Vec3(normal(random), normal(random), normal(random)).normalized();
      double farthest = -1.0;
      for (const Vec3& q : fine.points) farthest = std::max(farthest, d.dot(q));
      const double found = std::max(d.dot(shape.support(0, d)), d.dot(shape.support(1, d)));
      EXPECT_GE(found, farthest - 1e-12);
      EXPECT_LE(found, farthest + 0.03 * shape.radius);
    }
  }
}

TEST(ExactShape, MassAndInertiaAreThoseOfTheBooks) {
  const double rho = 2000.0;
  const MassProperties ball = mass_properties(ExactShape{0.02, 0.0, true}, rho);
  EXPECT_NEAR(ball.mass, rho * 4.0 / 3.0 * pi * 8e-6, 1e-15);
  EXPECT_LT((ball.inertia - 0.4 * ball.mass * 4e-4 * Mat3::Identity()).norm(), 1e-18);
  const MassProperties can = mass_properties(ExactShape{0.02, 0.03, false}, rho);
  EXPECT_NEAR(can.mass, rho * pi * 4e-4 * 0.06, 1e-15);
  EXPECT_NEAR(can.inertia(2, 2), 0.5 * can.mass * 4e-4, 1e-18);
  EXPECT_NEAR(can.inertia(0, 0), can.mass * (3.0 * 4e-4 + 0.06 * 0.06) / 12.0, 1e-18);
}

TEST(ExactShape, MeshesAreSoundAndComeToTheShapeBySecondOrder) {
  for (const ExactShape& shape : shapes) {
    const MassProperties exact = mass_properties(shape, 1000.0);
    std::array<double, 3> missing{};
    std::array<double, 3> stiller{};
    for (std::size_t k = 0; k < 3; ++k) {
      const TetMesh mesh = make_round_mesh(shape, 12 << k, ElementType::tet4, 1.0);
      EXPECT_TRUE(check_elements(mesh).empty());
      const Surface surface = extract_surface(mesh);
      EXPECT_TRUE(check_surface(surface).empty());
      for (const Vec3& p : surface.points) EXPECT_NEAR(shape.nearest(p).distance, 0.0, 1e-15);
      for (int e = 0; e < mesh.element_count(); ++e) {
        const auto at = [&](std::size_t c) { return mesh.nodes[uz(mesh.element(e)[c])]; };
        // a coin has one layer of flat elements
        const double least = shape.half_length == 0.002 ? 0.1 : 0.45;
        EXPECT_GT(tet_quality(at(0), at(1), at(2), at(3)), least);
      }
      const MassProperties meshed = mass_properties(mesh, 1000.0);
      EXPECT_LT(meshed.centre.norm(), 1e-12);
      missing[k] = 1.0 - meshed.mass / exact.mass;
      stiller[k] = 1.0 - meshed.inertia.trace() / exact.inertia.trace();
    }
    EXPECT_GT(missing[2], 0.0);
    EXPECT_LT(missing[2], 0.02);
    for (std::size_t k = 1; k < 3; ++k) {
      EXPECT_NEAR(missing[k - 1] / missing[k], 4.0, 0.6);
      EXPECT_NEAR(stiller[k - 1] / stiller[k], 4.0, 0.8);
    }
  }
}

TEST(ExactShape, TenNodeMeshHasTheSameVolumeAndItsRegions) {
  const ExactShape capsule{0.01, 0.02, true};
  const TetMesh mesh = make_round_mesh(capsule, 12, ElementType::tet10, 1.0);
  EXPECT_NEAR(volume(mesh), volume(make_round_mesh(capsule, 12, ElementType::tet4, 1.0)), 1e-17);
  ASSERT_NE(mesh.find_region("z0"), nullptr);
  ASSERT_NE(mesh.find_region("z1"), nullptr);
  ASSERT_NE(mesh.find_region("side"), nullptr);
  for (const int node : mesh.find_region("z1")->nodes) {
    EXPECT_GE(mesh.nodes[uz(node)].z(), 0.02 - 1e-12);
  }
}

}  // namespace
}  // namespace stickslip
