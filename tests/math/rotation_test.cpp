#include "stickslip/math/rotation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>
#include <random>
#include <unsupported/Eigen/MatrixFunctions>

#include "stickslip/math/pose.hpp"

namespace stickslip {
namespace {

constexpr double pi = std::numbers::pi;

/// Directions all around, the axes among them.
std::vector<Vec3> directions() {
  std::vector<Vec3> all = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ(), -Vec3::UnitX()};
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 40; ++k) {
    all.push_back(Vec3(normal(random), normal(random), normal(random)).normalized());
  }
  return all;
}

/// From where squares vanish to beyond half a turn, both sides of the changes of formula among
/// them.
const std::vector<double> angles = {0.0,  1e-300, 1e-160, 1e-12, 1e-6,     0.99e-4, 1.01e-4,
                                    1e-3, 0.0099, 0.0101, 0.5,   0.5 * pi, 3.0,     pi - 1e-9};

TEST(Rotation, SkewIsTheCrossProduct) {
  const Vec3 a(1.0, -2.0, 3.0);
  const Vec3 b(0.5, 4.0, -1.0);
  EXPECT_EQ(skew(a) * b, a.cross(b));
  EXPECT_EQ(skew(a), -skew(a).transpose());
}

TEST(Rotation, ExpIsTheMatrixExponentialOfTheCrossProduct) {
  for (const Vec3& axis : directions()) {
    for (const double angle : {0.0, 1e-5, 0.99e-4, 1.01e-4, 0.1, 1.0, 3.0, pi, 5.0, 20.0}) {
      const Mat3 expected = skew(angle * axis).exp();
      const Quat q = rotation_exp(angle * axis);
      EXPECT_NEAR(q.norm(), 1.0, 4e-16) << angle;
      EXPECT_LT((q.toRotationMatrix() - expected).norm(), 1e-14 * (1.0 + angle)) << angle;
    }
  }
}

TEST(Rotation, LogUndoesExpUpToHalfATurnAndDownToNothing) {
  for (const Vec3& axis : directions()) {
    for (const double angle : angles) {
      const Vec3 v = angle * axis;
      EXPECT_LE((rotation_log(rotation_exp(v)) - v).norm(), 2e-15 * angle) << angle;
    }
  }
}

TEST(Rotation, LogTakesTheShorterWayWhicheverSignTheQuaternionHas) {
  for (const Vec3& axis : directions()) {
    for (const double angle : {0.3, 3.0, 3.3, 6.0}) {
      const Quat q = rotation_exp(angle * axis);
      const Vec3 shorter = (angle < pi ? angle : angle - 2.0 * pi) * axis;
      EXPECT_LT((rotation_log(q) - shorter).norm(), 3e-15) << angle;
      EXPECT_LT((rotation_log(Quat(-q.coeffs())) - shorter).norm(), 3e-15) << angle;
    }
    // at half a turn both ways are as long
    const Vec3 half = rotation_log(rotation_exp(pi * axis));
    EXPECT_NEAR(half.norm(), pi, 1e-15);
    EXPECT_LT(half.cross(axis).norm(), 1e-14);
  }
}

TEST(Rotation, SlopeIsHowExpChanges) {
  // a central difference over h errs by h^2 and by rounding over h
  constexpr double h = 1e-5;
  for (const Vec3& axis : directions()) {
    for (const double angle : {0.0, 1e-6, 0.0099, 0.0101, 0.7, 3.0, 4.0}) {
      const Vec3 v = angle * axis;
      Mat3 expected;
      for (int d = 0; d < 3; ++d) {
        const Quat back = rotation_exp(v).conjugate();
        expected.col(d) = (rotation_log(back * rotation_exp(v + h * Vec3::Unit(d))) -
                           rotation_log(back * rotation_exp(v - h * Vec3::Unit(d)))) /
                          (2.0 * h);
      }
      EXPECT_LT((rotation_slope(v) - expected).norm(), 2e-10) << angle;
    }
  }
}

TEST(Rotation, SlopeHasNoStepWhereItsFormulaChanges) {
  for (const Vec3& axis : directions()) {
    const double below = 0.01 * (1.0 - 1e-13);
    const double above = 0.01 * (1.0 + 1e-13);
    EXPECT_LT((rotation_slope(below * axis) - rotation_slope(above * axis)).norm(), 1e-12);
  }
}

TEST(Rotation, TurnBetweenLeadsFromOneToTheOtherInWorldAxes) {
  const auto all = directions();
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    const Quat from = rotation_exp(2.0 * all[k]);
    const Quat to = rotation_exp(3.0 * all[k + 1]);
    const Vec3 turn = turn_between(from, to);
    EXPECT_LE(turn.norm(), pi);
    const Mat3 reached = (rotation_exp(turn) * from).toRotationMatrix();
    EXPECT_LT((reached - to.toRotationMatrix()).norm(), 1e-14);
    EXPECT_LT((turn + turn_between(to, from)).norm(), 1e-13);
  }
}

TEST(Pose, MovedByUndoesDisplacementBetween) {
  const auto all = directions();
  for (std::size_t k = 0; k + 1 < all.size(); ++k) {
    const Pose from{all[k], rotation_exp(1.5 * all[k])};
    const Pose to{-2.0 * all[k + 1], rotation_exp(2.5 * all[k + 1])};
    const Pose reached = moved_by(from, displacement_between(from, to));
    EXPECT_LT((reached.position - to.position).norm(), 1e-15);
    EXPECT_LT(reached.orientation.angularDistance(to.orientation), 1e-7);
    EXPECT_LT((reached.orientation.toRotationMatrix() - to.orientation.toRotationMatrix()).norm(),
              1e-14);
  }
}

TEST(Pose, StaysARotationOverAMillionMoves) {
  Pose pose;
  Vec6 step;
  step << 1e-6, 0.0, 0.0, 1e-3, -2e-3, 3e-3;
  constexpr int steps = 1'000'000;
  for (int k = 0; k < steps; ++k) pose = moved_by(pose, step);
  EXPECT_NEAR(pose.orientation.norm(), 1.0, 1e-15);
  EXPECT_NEAR(pose.position.x(), 1.0, 1e-9);
  // moves about one axis add up
  const Mat3 expected = rotation_exp(steps * step.tail<3>()).toRotationMatrix();
  EXPECT_LT((pose.orientation.toRotationMatrix() - expected).norm(), 1e-9);
}

}  // namespace
}  // namespace stickslip
