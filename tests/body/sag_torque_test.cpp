#include "stickslip/body/sag_torque.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

class SagTorque : public testing::Test {
 protected:
  Vec3 direction() {
    return Vec3(normal_(random_), normal_(random_), normal_(random_)).normalized();
  }
  /// A frame of any shape: how it answers to a torque, at most by `strength`.
  Mat3 answer(double strength) {
    Vec3 shares(normal_(random_), normal_(random_), normal_(random_));
    shares = shares.array().exp();
    const Mat3 axes = rotation_exp(3.0 * direction()).toRotationMatrix();
    return strength / shares.maxCoeff() * axes * shares.asDiagonal() * axes.transpose();
  }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

TEST_F(SagTorque, DoesTheWorkOfWhatFallsOverAnyTurn) {
  for (const double angle : {0.0, 1e-9, 1e-4, 0.3, 3.0, 6.3, 20.0}) {
    for (int i = 0; i < 100; ++i) {
      const Sag sag{0.3 * direction(), 9.81 * direction()};
      const Vec3 turn = angle * direction();
      EXPECT_NEAR(sag.mean_torque(turn).dot(turn), sag.work(turn), 1e-13);
    }
  }
}

TEST_F(SagTorque, SlopeIsItsDerivative) {
  for (const double angle : {0.0, 1e-5, 0.02, 0.7, 4.0}) {
    const Sag sag{direction(), direction()};
    const Vec3 turn = angle * direction();
    for (int d = 0; d < 3; ++d) {
      const Vec3 there = 1e-5 * Vec3::Unit(d);
      const Vec3 change = (sag.mean_torque(turn + there) - sag.mean_torque(turn - there)) / 2e-5;
      EXPECT_LT((sag.torque_slope(turn).col(d) - change).norm(), 1e-9) << angle;
    }
  }
}

TEST_F(SagTorque, IsFoundHoweverStrong) {
  // strength 1: what answers most would turn by a radian under the largest torque
  for (const double strength : {1e-3, 0.1, 1.0, 2.0, 10.0, 100.0, 1000.0}) {
    int missed = 0;
    for (int i = 0; i < 1000; ++i) {
      const Sag sag{direction(), direction()};
      const Mat3 C = answer(strength);
      const Vec3 without = (i % 4) * direction();
      const Vec3 torque = find_sag_torque(sag, C, without);
      if (torque.isZero(0.0)) {
        ++missed;
        continue;
      }
      const Vec3 turn = without + C * torque;
      EXPECT_LT(std::abs(torque.dot(turn) - sag.work(turn)), 1e-11);
    }
    EXPECT_LE(missed, strength <= 2.0 ? 0 : 10) << strength;
  }
}

TEST_F(SagTorque, IsZeroWithoutWeight) {
  EXPECT_EQ(find_sag_torque({}, answer(1.0), direction()), Vec3::Zero());
  EXPECT_EQ(find_sag_torque({Vec3::Zero(), direction()}, answer(1.0), direction()), Vec3::Zero());
}

}  // namespace
}  // namespace stickslip
