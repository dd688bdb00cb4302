#include "stickslip/proximity/surface_distance.hpp"

#include <gtest/gtest.h>

#include "stickslip/proximity/box_distance.hpp"
#include "tests/proximity/example_shapes.hpp"

namespace stickslip {
namespace {

using namespace testing_support;

/// A surface with its tree.
struct Shape {
  explicit Shape(Surface given)
      : surface(std::move(given)), topology(surface), tree(topology, surface.points) {}
  FittedSurface fitted() const { return {topology, tree, surface.points}; }

  Surface surface;
  SurfaceTopology topology;
  SurfaceTree tree;
};

Placement turned(const Vec3& rotation, const Vec3& shift) {
  return {rotation_exp(rotation).toRotationMatrix(), shift};
}

double distance(const Shape& one, const Shape& two, const Placement& to_2, double reach = 1.0) {
  return SurfaceDistance().measure(one.fitted(), two.fitted(), to_2, reach, reach);
}

TEST(SurfaceDistance, IsThatOfFaceCornerAndEdges) {
  const Shape lower(block_surface({0.06, 0.06, 0.02}, {4, 4, 2}));
  const Shape upper(block_surface({0.02, 0.02, 0.02}, {3, 3, 3}));
  const double quarter = 0.25 * std::numbers::pi;

  // face over face, whichever way it is turned about the normal
  for (const double angle : {0.0, 0.4, 1.1}) {
    const Placement above = turned({0.0, 0.0, angle}, {0.004, -0.003, 0.0215});
    EXPECT_NEAR(distance(upper, lower, above), 0.0015, 1e-15);
  }

  // an edge and a corner down: half the diagonal of a face, and of the block
  const double half_face = 0.01 * std::sqrt(2.0);
  EXPECT_NEAR(distance(upper, lower, turned({quarter, 0.0, 0.0}, {0.0, 0.0, 0.03})),
              0.02 - half_face, 1e-15);
  const double lean = std::acos(1.0 / std::sqrt(3.0));
  const Vec3 axis = Vec3(1.0, -1.0, 0.0).normalized();
  EXPECT_NEAR(distance(upper, lower, turned(lean * axis, {0.0, 0.0, 0.04})),
              0.03 - 0.01 * std::sqrt(3.0), 1e-15);

  // two edges across each other
  const Shape beam(block_surface({0.02, 0.02, 0.1}, {1, 1, 2}));
  const Mat3 lying = rotation_exp(Vec3(0.0, quarter, 0.0)).toRotationMatrix();
  const Mat3 across = lying.transpose() * rotation_exp(Vec3(quarter, 0.0, 0.0)).toRotationMatrix() *
                      rotation_exp(Vec3(0.0, 2.0 * quarter, 0.0)).toRotationMatrix();
  const Shape ridge(block_surface({0.02, 0.1, 0.02}, {1, 2, 1}));
  EXPECT_NEAR(distance(beam, ridge, {across, lying.transpose() * Vec3(0.003, 0.002, 0.04)}),
              0.04 - 2.0 * half_face, 1e-15);
}

TEST(SurfaceDistance, EndsAtItsReachAndIsNothingWhereSurfacesCut) {
  const Shape lower(block_surface({0.06, 0.06, 0.02}, {2, 2, 1}));
  const Shape upper(block_surface({0.02, 0.02, 0.02}, {1, 1, 1}));
  EXPECT_EQ(distance(upper, lower, turned(Vec3::Zero(), {0.0, 0.0, 0.03}), 0.004), 0.004);
  // edges through the middle of a face, and an overlap of corners
  EXPECT_EQ(distance(upper, lower, turned(Vec3::Zero(), {0.011, 0.012, 0.015})), 0.0);
  EXPECT_EQ(distance(upper, lower, turned({0.3, 0.2, 0.1}, {0.032, 0.031, 0.013})), 0.0);
}

TEST(BoxDistance, IsNoMoreThanTheDistanceAndTellsFlatFacesApart) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Shape lower(block_surface({0.06, 0.06, 0.02}, {4, 4, 2}));
  std::vector<Shape> shapes;
  for (const auto& [name, surface] : model_surfaces()) shapes.emplace_back(surface);
  int told = 0;
  for (int k = 0; k < 200; ++k) {
    const Shape& shape = shapes[uz(k) % shapes.size()];
    const Vec3 turn(uniform(random), uniform(random), uniform(random));
    const Placement place =
        turned(3.0 * turn, 0.1 * Vec3(uniform(random), uniform(random), uniform(random)));
    const double exact = distance(shape, lower, place);
    const double wanted = 0.05;
    const double rough =
        SurfaceDistance().measure(shape.fitted(), lower.fitted(), place, wanted, 1.0);
    EXPECT_LE(rough, exact) << k;
    if (exact < wanted) {
      EXPECT_EQ(rough, exact) << k;
    } else {
      EXPECT_GE(rough, wanted) << k;
    }
    const double boxes = BoxDistance(shape.tree, lower.tree, place).of_all(0.0, 1.0);
    EXPECT_LE(boxes, exact) << k;
    if (exact > 0.02) told += boxes > 0.5 * exact ? 1 : 0;
  }
  EXPECT_GT(told, 25);

  const Shape upper(block_surface({0.02, 0.02, 0.02}, {3, 3, 3}));
  const BoxDistance flat(upper.tree, lower.tree, turned({0.0, 0.0, 0.4}, {0.0, 0.0, 0.021}));
  EXPECT_GT(flat.of_all(0.0, 1.0), 0.75e-3);
  EXPECT_EQ(flat.of_all(0.0, 0.5e-3), static_cast<double>(0.5e-3F));
  EXPECT_EQ(flat.of_all(2e-3, 1.0), 0.0);
}

}  // namespace
}  // namespace stickslip
