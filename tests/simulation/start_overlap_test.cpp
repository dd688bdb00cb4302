#include "stickslip/simulation/start_overlap.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <random>

#include "stickslip/mesh/round_mesh.hpp"

namespace stickslip {
namespace {

Surface unit_box() {
  return extract_surface(make_box({1.0, 1.0, 1.0}, {2, 2, 2}, ElementType::tet4));
}

SceneBody rigid_box(const Vec3& position) {
  const Surface box = unit_box();
  SceneBody body{.name = "box", .body = make_rigid_body(box, mass_properties(box, 1.0))};
  body.position = position;
  return body;
}

SceneBody floor() {
  Surface plane;
  plane.points = {{-5.0, -5.0, 0.0}, {5.0, -5.0, 0.0}, {5.0, 5.0, 0.0}, {-5.0, 5.0, 0.0}};
  plane.triangles = {{0, 1, 2}, {0, 2, 3}};
  return {.name = "floor", .body = make_fixed_body(plane)};
}

TEST(StartOverlap, OfTwoBoxesIsHowFarTheyShare) {
  for (const double depth : {1e-6, 0.01, 0.3}) {
    Scene scene;
    scene.bodies.push_back(rigid_box({0.0, 0.0, 0.0}));
    scene.bodies.push_back(rigid_box({1.0 - depth, 0.2, 0.1}));
    const auto overlaps = find_start_overlaps(scene);
    ASSERT_EQ(overlaps.size(), 1U);
    EXPECT_NEAR(overlaps[0].depth, depth, 1e-12);
    EXPECT_NEAR((overlaps[0].normal + Vec3::UnitX()).norm(), 0.0, 1e-9);
  }
}

TEST(StartOverlap, OneBodyWithinAnotherIsFoundHoweverDeep) {
  Scene scene;
  const Surface small = extract_surface(make_box({0.1, 0.1, 0.1}, {1, 1, 1}, ElementType::tet4));
  scene.bodies.push_back(rigid_box(Vec3::Zero()));
  scene.bodies.push_back(
      {.name = "small", .body = make_rigid_body(small, mass_properties(small, 1.0))});
  scene.bodies[1].position = {0.45, 0.45, 0.45};
  const auto overlaps = find_start_overlaps(scene);
  ASSERT_EQ(overlaps.size(), 1U);
  EXPECT_NEAR(overlaps[0].depth, 0.45, 1e-9);
}

TEST(StartOverlap, OpenSurfacesAreGoneThroughOrNot) {
  Scene scene;
  scene.bodies.push_back(floor());
  scene.bodies.push_back(rigid_box({0.0, 0.0, -0.25}));
  ASSERT_EQ(find_start_overlaps(scene).size(), 1U);
  EXPECT_NEAR(find_start_overlaps(scene)[0].depth, 0.25, 1e-12);
  // below it is no overlap, nor on it, nor beside it
  for (const Vec3& position : {Vec3(0.0, 0.0, -2.0), Vec3(0.0, 0.0, 0.0), Vec3(7.0, 0.0, -0.2)}) {
    scene.bodies[1].position = position;
    for (const StartOverlap& overlap : find_start_overlaps(scene)) {
      EXPECT_LT(overlap.depth, 1e-12) << position.transpose();
    }
  }
}

TEST(StartOverlap, StiffBodiesMayShareTheirPlace) {
  Scene scene;
  scene.bodies.push_back({.name = "a", .body = make_fixed_body(unit_box())});
  scene.bodies.push_back({.name = "b", .body = make_fixed_body(unit_box())});
  EXPECT_TRUE(find_start_overlaps(scene).empty());
}

TEST(StartOverlap, FreeBodiesArePulledApartAndTheOthersStay) {
  Scene scene;
  scene.bodies.push_back(floor());
  for (int k = 0; k < 4; ++k) scene.bodies.push_back(rigid_box({0.1 * k, 0.0, 0.8 * k - 0.1}));
  scene.bodies[2].orientation = Quat(Eigen::AngleAxisd(std::numbers::pi / 7.0, Vec3::UnitZ()));
  ASSERT_TRUE(resolve_start_overlaps(scene, 1e-6));
  for (const StartOverlap& overlap : find_start_overlaps(scene)) {
    EXPECT_LT(overlap.depth, 1e-6);
  }
  EXPECT_EQ(scene.bodies[0].position, Vec3(Vec3::Zero()));
  EXPECT_LT(scene.bodies[4].position.z(), 3.5);
}

// shapes: what stands for them is much coarser than what is measured

SceneBody rigid_shape(const ExactShape& shape, const Vec3& position, const Quat& orientation) {
  const Surface facets = extract_surface(make_round_mesh(shape, 6, ElementType::tet4, 1.0));
  SceneBody body{.name = "shape", .body = make_rigid_body(facets, mass_properties(shape, 1.0))};
  body.position = position;
  body.orientation = orientation;
  body.exact = shape;
  return body;
}

constexpr ExactShape ball{0.5, 0.0, true};
constexpr ExactShape can{0.4, 0.3, false};
constexpr ExactShape pill{0.2, 0.6, true};

Quat random_turn_about_z(std::mt19937& random) {
  return Quat(Eigen::AngleAxisd(std::uniform_real_distribution(0.0, 7.0)(random), Vec3::UnitZ()));
}

Quat random_turn(std::mt19937& random) {
  std::normal_distribution<double> number;
  return Quat(number(random), number(random), number(random), number(random)).normalized();
}

/// How far a shape reaches along a direction from its centre.
double reach_along(const ExactShape& shape, const Quat& turn, const Vec3& direction) {
  const Vec3 local = turn.conjugate() * direction;
  return std::max(local.dot(shape.support(0, local)),
                  local.dot(shape.support(shape.end_count() - 1, local)));
}

double depth_of(const SceneBody& one, const SceneBody& other, Vec3* normal = nullptr) {
  Scene scene;
  scene.bodies = {one, other};
  const auto overlaps = find_start_overlaps(scene);
  if (!overlaps.empty() && normal != nullptr) *normal = overlaps[0].normal;
  return overlaps.empty() ? 0.0 : overlaps[0].depth;
}

TEST(StartOverlap, OfAShapeInAFaceIsThatOfTheShapeNotOfItsFacets) {
  std::mt19937 random(3);
  const SceneBody open = floor();
  SceneBody closed{.name = "block",
                   .body = make_fixed_body(
                       extract_surface(make_box({4.0, 4.0, 2.0}, {2, 2, 2}, ElementType::tet4)))};
  closed.position = {-2.0, -2.0, -2.0};
  for (const ExactShape& shape : {ball, can, pill}) {
    for (int k = 0; k < 40; ++k) {
      const Quat turn = random_turn(random);
      const double below = reach_along(shape, turn, -Vec3::UnitZ());
      for (const double depth : {-1e-6, 1e-6, 1e-3, 0.02}) {
        const SceneBody body = rigid_shape(shape, {0.02, 0.01, below - depth}, turn);
        Vec3 normal;
        EXPECT_NEAR(depth_of(body, open, &normal), std::max(0.0, depth), 1e-9) << k;
        if (depth > 0.0) {
          EXPECT_NEAR(normal.z(), 1.0, 1e-9);
        }
        EXPECT_NEAR(depth_of(closed, body, &normal), std::max(0.0, depth), 1e-9) << k;
        if (depth > 0.0) {
          EXPECT_NEAR(normal.z(), -1.0, 1e-9);
        }
      }
    }
  }
}

TEST(StartOverlap, OfAnEdgeAndACornerInAShapeIsHowFarTheyAreInside) {
  std::mt19937 random(4);
  const SceneBody box = rigid_box({0.0, 0.0, 0.0});
  const Vec3 diagonal = Vec3(1.0, 1.0, 1.0).normalized();
  const Vec3 beside = Vec3(1.0, 0.0, 1.0).normalized();
  for (const double depth : {1e-6, 0.01}) {
    const Quat turn = random_turn(random);
    const Vec3 at_corner = Vec3(1.0, 1.0, 1.0) + (ball.radius - depth) * diagonal;
    EXPECT_NEAR(depth_of(rigid_shape(ball, at_corner, turn), box), depth, 1e-9);
    const Vec3 at_edge = Vec3(1.0, 0.37, 1.0) + (ball.radius - depth) * beside;
    EXPECT_NEAR(depth_of(rigid_shape(ball, at_edge, turn), box), depth, 1e-9);
    // lying across the edge
    for (const ExactShape& shape : {can, pill}) {
      const Vec3 over_edge = Vec3(1.0, 0.37, 1.0) + (shape.radius - depth) * beside;
      const SceneBody lying =
          rigid_shape(shape, over_edge,
                      Quat(Eigen::AngleAxisd(0.75 * std::numbers::pi, Vec3::UnitY())) *
                          random_turn_about_z(random));
      EXPECT_NEAR(depth_of(lying, box), depth, 1e-9);
    }
  }
}

TEST(StartOverlap, OfTwoShapesIsHowFarTheyShare) {
  std::mt19937 random(5);
  for (const double depth : {-1e-6, 1e-6, 0.02}) {
    const double wanted = std::max(0.0, depth);
    for (int k = 0; k < 20; ++k) {
      // balls, anywhere
      const Vec3 way = random_turn(random) * Vec3::UnitX();
      EXPECT_NEAR(
          depth_of(rigid_shape(ball, Vec3::Zero(), random_turn(random)),
                   rigid_shape(ball, (2.0 * ball.radius - depth) * way, random_turn(random))),
          wanted, 1e-9);
      // a ball and a side, two sides that cross, all turned about their axes
      const auto spin = [&] { return random_turn_about_z(random); };
      const Quat along_x(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitY()));
      const Quat along_y(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitX()));
      for (const ExactShape& lying : {can, pill}) {
        const SceneBody below = rigid_shape(lying, Vec3::Zero(), along_x * spin());
        EXPECT_NEAR(depth_of(rigid_shape(ball, {0.1, 0.0, ball.radius + lying.radius - depth},
                                         random_turn(random)),
                             below),
                    wanted, 1e-9);
        for (const ExactShape& crossing : {can, pill}) {
          const double height = crossing.radius + lying.radius - depth;
          EXPECT_NEAR(depth_of(below, rigid_shape(crossing, {0.1, 0.05, height}, along_y * spin())),
                      wanted, 1e-9);
        }
      }
      // one end on another, and a rim on a side
      const SceneBody standing = rigid_shape(can, Vec3::Zero(), spin());
      EXPECT_NEAR(
          depth_of(standing, rigid_shape(can, {0.1, 0.0, 2.0 * can.half_length - depth}, spin())),
          wanted, 1e-9);
      const double tilt = 0.3;
      const Quat tilted(Eigen::AngleAxisd(tilt, Vec3::UnitY()));
      const double reach = can.radius * std::sin(tilt) + can.half_length * std::cos(tilt);
      EXPECT_NEAR(depth_of(standing, rigid_shape(can, {-0.3, 0.0, can.half_length + reach - depth},
                                                 tilted * spin())),
                  wanted, 1e-9);
    }
  }
}

TEST(StartOverlap, ShapesArePulledApartUntilTheyTouch) {
  Scene scene;
  scene.bodies.push_back(floor());
  std::mt19937 random(6);
  for (int k = 0; k < 4; ++k) {
    const ExactShape shape = std::array{ball, can, pill, ball}[uz(k)];
    scene.bodies.push_back(
        rigid_shape(shape, {0.05 * k, 0.02 * k, 0.6 * k + 0.1}, random_turn(random)));
  }
  ASSERT_TRUE(resolve_start_overlaps(scene, 1e-6));
  for (const StartOverlap& overlap : find_start_overlaps(scene)) EXPECT_LT(overlap.depth, 1e-6);
}

}  // namespace
}  // namespace stickslip
