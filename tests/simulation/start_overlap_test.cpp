#include "stickslip/simulation/start_overlap.hpp"

#include <gtest/gtest.h>

#include <numbers>

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

}  // namespace
}  // namespace stickslip
