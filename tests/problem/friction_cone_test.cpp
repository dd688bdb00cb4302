#include "stickslip/problem/friction_cone.hpp"

#include <gtest/gtest.h>

#include <random>

namespace stickslip {
namespace {

Vec3 random_force(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  const double n = uniform(random);
  const double t1 = uniform(random);
  return {n, t1, uniform(random)};
}

class Cone : public testing::TestWithParam<double> {};

TEST_P(Cone, ProjectionIsInsideAndRepeatingItChangesNothing) {
  const FrictionCone cone{GetParam()};
  std::mt19937 random(1);
  for (const double size : {1e-9, 1.0, 1e9}) {
    for (int trial = 0; trial < 2000; ++trial) {
      const Vec3 p = cone.project(random_force(random, size));
      EXPECT_TRUE(cone.contains(p)) << p.transpose();
      EXPECT_NEAR((cone.project(p) - p).norm(), 0.0, 1e-15 * size);
    }
  }
}

TEST_P(Cone, ProjectionOfWhatPullsIsZero) {
  const FrictionCone cone{GetParam()};
  EXPECT_EQ(cone.project({-1.0, 0.0, 0.0}), Vec3(0.0, 0.0, 0.0));
  EXPECT_EQ(cone.project({1.0, 0.0, 0.0}), Vec3(1.0, 0.0, 0.0));
}

TEST_P(Cone, ProjectionIsNearerThanAnyOtherForceOfTheCone) {
  const FrictionCone cone{GetParam()};
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const Vec3 x = random_force(random, 1.0);
    const Vec3 p = cone.project(x);
    // (x - p) . (y - p) <= 0 for all y of the cone
    for (int other = 0; other < 50; ++other) {
      const Vec3 y = cone.project(random_force(random, 3.0));
      EXPECT_LE((x - p).dot(y - p), 1e-14);
    }
    // and the rest lies in the polar cone, normal to the projection
    EXPECT_NEAR((x - p).dot(p), 0.0, 1e-14);
  }
}

TEST_P(Cone, LimitedFrictionKeepsTheNormalForceAndTheDirection) {
  const FrictionCone cone{GetParam()};
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    Vec3 x = random_force(random, 1.0);
    x[0] = std::abs(x[0]);
    const Vec3 p = cone.limit_friction(x);
    EXPECT_TRUE(cone.contains(p));
    EXPECT_EQ(p[0], x[0]);
    EXPECT_NEAR(p[1] * x[2] - p[2] * x[1], 0.0, 1e-15);
    EXPECT_GE(p[1] * x[1] + p[2] * x[2], 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFriction, Cone, testing::Values(0.0, 1e-6, 0.3, 1.0, 10.0));

TEST(FrictionCone, ContainsItsEdgeAndNothingBeyond) {
  const FrictionCone cone{0.5};
  EXPECT_TRUE(cone.contains({2.0, 0.6, 0.8}));
  EXPECT_TRUE(cone.contains(Vec3::Zero()));
  EXPECT_FALSE(cone.contains({2.0, 0.6, 0.8000001}));
  EXPECT_FALSE(cone.contains({-1e-300, 0.0, 0.0}));
}

}  // namespace
}  // namespace stickslip
