#include "stickslip/solver/contact_block.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/problem/friction_cone.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

class Block : public testing::TestWithParam<double> {};

// the error of the block's own force on its own problem
double error_of(const ContactBlock& block, const Vec3& b, double mu, const Vec3& f) {
  return natural_map_error(single_contact(block.matrix(), b, mu), f).rescaled;
}

TEST_P(Block, IsSolvedExactlyWhetherSymmetricOrNot) {
  const double mu = GetParam();
  std::mt19937 random(9);
  std::normal_distribution<double> normal;
  int slips = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Mat3 B;
    Mat3 skew = Mat3::Zero();
    Vec3 b;
    for (int i = 0; i < 3; ++i) {
      b[i] = normal(random);
      for (int j = 0; j < 3; ++j) B(i, j) = normal(random);
    }
    if (trial % 2 == 1) {
      skew(0, 1) = 0.2 * normal(random);
      skew(0, 2) = 0.2 * normal(random);
      skew(1, 2) = 0.2 * normal(random);
    }
    const Mat3 W = B * B.transpose() + 0.1 * Mat3::Identity() + skew - skew.transpose();
    const ContactBlock block(W, mu);
    ASSERT_EQ(block.matrix(), W);
    const Vec3 f = block.solve(b);
    EXPECT_TRUE(FrictionCone{mu}.contains(f));
    EXPECT_LE(error_of(block, b, mu, f), 1e-12) << W << "\n" << b << "\n" << f;
    slips += f[0] > 0.0 && std::hypot(f[1], f[2]) > 0.999 * mu * f[0] ? 1 : 0;
  }
  EXPECT_GT(slips, mu > 0.0 ? 100 : -1);
}

TEST_P(Block, StiffOnesOfConditionTenToTheTwelveKeepTheirForceInTheCone) {
  const double mu = GetParam();
  std::mt19937 random(10);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 5000; ++trial) {
    Mat3 B;
    Vec3 b;
    for (int i = 0; i < 3; ++i) {
      b[i] = normal(random);
      for (int j = 0; j < 3; ++j) B(i, j) = normal(random);
    }
    const Mat3 Q = Eigen::Quaterniond::UnitRandom().toRotationMatrix();
    const Mat3 W = Q * Vec3(1.0, 1e-6, 1e-12).asDiagonal() * Q.transpose();
    const Vec3 f = ContactBlock(W, mu).solve(b);
    EXPECT_TRUE(f.allFinite());
    EXPECT_TRUE(FrictionCone{mu}.contains(f)) << f.transpose();
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFriction, Block, testing::Values(0.0, 1e-6, 0.3, 1.0, 10.0));

TEST(ContactBlock, WithoutNormalComplianceCarriesNothing) {
  for (const double w_n : {0.0, -1.0}) {
    Mat3 W = Mat3::Identity();
    W(0, 0) = w_n;
    EXPECT_EQ(ContactBlock(W, 0.3).solve({-1.0, 2.0, 3.0}), Vec3::Zero());
  }
}

TEST(ContactBlock, WithoutTangentialComplianceRubsAgainstTheSlip) {
  Mat3 W = Mat3::Zero();
  W(0, 0) = 2.0;
  const Vec3 f = ContactBlock(W, 0.5).solve({-4.0, 30.0, 40.0});
  EXPECT_NEAR((f - Vec3(2.0, -0.6, -0.8)).norm(), 0.0, 1e-12);
}

}  // namespace
}  // namespace stickslip
