#include "stickslip/fem/elastic_law.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <array>
#include <cmath>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

constexpr std::array laws = {ElasticLaw::neo_hooke, ElasticLaw::corotated,
                             ElasticLaw::st_venant_kirchhoff};
const Material gel{1000.0, 0.4, 1000.0};
const double G = gel.young / (2.0 * (1.0 + gel.poisson));
const double B = gel.young / (3.0 * (1.0 - 2.0 * gel.poisson));

Mat3 random_matrix(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> range(-size, size);
  return Mat3::NullaryExpr([&] { return range(random); });
}

Mat3 random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const Quat q(normal(random), normal(random), normal(random), normal(random));
  return q.normalized().toRotationMatrix();
}

/// True stress from the stress by areas at rest.
Mat3 cauchy(const ElasticResponse& response, const Mat3& F) {
  return response.answer(F).stress * F.transpose() / F.determinant();
}

TEST(NeoHooke, UniaxialTensionHasTheClosedForm) {
  // principal stretches (a, b, b): sigma_1 = 2/3 G J^(-5/3) (a^2 - b^2) + B (J - 1), and the sides
  // are free: 0 = -1/3 G J^(-5/3) (a^2 - b^2) + B (J - 1), so that sigma_1 = 3 B (J - 1)
  const ElasticResponse response(ElasticLaw::neo_hooke, gel);
  for (const double a : {0.4, 0.7, 0.95, 1.0, 1.2, 2.0, 3.0}) {
    // the width by bisection
    const auto side_stress = [&](double b) {
      const double J = a * b * b;
      return -G / 3.0 * std::pow(J, -5.0 / 3.0) * (a * a - b * b) + B * (J - 1.0);
    };
    double low = 0.3;
    double high = 3.0;
    for (int k = 0; k < 200; ++k)
      (side_stress(0.5 * (low + high)) > 0.0 ? high : low) = 0.5 * (low + high);
    const double b = 0.5 * (low + high);
    const Mat3 F = Vec3(a, b, b).asDiagonal();
    const Mat3 stress = cauchy(response, F);
    const Vec3 expected(3.0 * B * (a * b * b - 1.0), 0.0, 0.0);
    EXPECT_LT((stress - Mat3(expected.asDiagonal())).norm(), 1e-8 * G) << a;
  }
}

TEST(NeoHooke, EqualBiaxialTensionHasTheClosedForm) {
  // stretches (a, a, b), free across: sigma = 3/2 B (J - 1) within the sheet
  const ElasticResponse response(ElasticLaw::neo_hooke, gel);
  for (const double a : {0.6, 0.9, 1.3, 2.0}) {
    const auto across = [&](double b) {
      const double J = a * a * b;
      return -2.0 * G / 3.0 * std::pow(J, -5.0 / 3.0) * (a * a - b * b) + B * (J - 1.0);
    };
    double low = 0.05;
    double high = 4.0;
    for (int k = 0; k < 200; ++k)
      (across(0.5 * (low + high)) > 0.0 ? high : low) = 0.5 * (low + high);
    const double b = 0.5 * (low + high);
    const double sigma = 1.5 * B * (a * a * b - 1.0);
    const Mat3 stress = cauchy(response, Vec3(a, a, b).asDiagonal());
    EXPECT_LT((stress - Mat3(Vec3(sigma, sigma, 0.0).asDiagonal())).norm(), 1e-8 * G) << a;
  }
}

TEST(NeoHooke, SimpleShearHasTheClosedForm) {
  // F = 1 + k e1 e2^T keeps the volume: sigma_12 = G k, normal stresses G k^2 (2, -1, -1) / 3
  const ElasticResponse response(ElasticLaw::neo_hooke, gel);
  for (const double k : {-1.5, 0.1, 0.5, 2.0}) {
    Mat3 F = Mat3::Identity();
    F(0, 1) = k;
    Mat3 expected = (G * k * k / 3.0) * Vec3(2.0, -1.0, -1.0).asDiagonal().toDenseMatrix();
    expected(0, 1) = expected(1, 0) = G * k;
    EXPECT_LT((cauchy(response, F) - expected).norm(), 1e-8 * G) << k;
    EXPECT_NEAR(response.energy(F), 0.5 * G * k * k, 1e-8 * G);
  }
}

TEST(ElasticLaws, AgreeWithLinearElasticityAtSmallStrains) {
  std::mt19937 random(1);
  for (const ElasticLaw law : laws) {
    const ElasticResponse response(law, gel);
    const Mat3 gradient = random_matrix(random, 1e-6);
    const Mat3 strain = 0.5 * (gradient + gradient.transpose());
    const Mat3 expected =
        2.0 * G * strain + (B - 2.0 / 3.0 * G) * strain.trace() * Mat3::Identity();
    const Mat3 stress = response.answer(Mat3::Identity() + gradient).stress;
    EXPECT_LT((stress - expected).norm(), 1e-5 * expected.norm()) << to_string(law);
  }
}

TEST(ElasticLaws, RotationsCauseNoStressAndTurnStressAlong) {
  std::mt19937 random(2);
  for (const ElasticLaw law : laws) {
    const ElasticResponse response(law, gel);
    for (int k = 0; k < 100; ++k) {
      const Mat3 Q = random_rotation(random);
      EXPECT_LT(response.answer(Q).stress.norm(), 1e-10 * G) << to_string(law);
      const Mat3 F = Mat3::Identity() + random_matrix(random, 0.3);
      const LawAnswer plain = response.answer(F);
      const LawAnswer turned = response.answer(Q * F);
      EXPECT_LT((turned.stress - Q * plain.stress).norm(), 1e-10 * G) << to_string(law);
      EXPECT_NEAR(turned.energy, plain.energy, 1e-10 * G) << to_string(law);
    }
  }
}

TEST(ElasticLaws, StressIsTheSlopeOfEnergyAndSlopeThatOfStress) {
  std::mt19937 random(3);
  for (const ElasticLaw law : laws) {
    const ElasticResponse response(law, gel);
    for (int pose = 0; pose < 300; ++pose) {
      Mat3 F = Mat3::Identity() + random_matrix(random, 0.45);
      // neo-Hooke through its floor and inverted, too
      if (law == ElasticLaw::neo_hooke && pose % 3 == 0)
        F.col(pose % 2) *= pose % 2 == 0 ? 0.03 : -0.2;
      if (law == ElasticLaw::corotated && F.determinant() < 0.05) continue;
      Mat9 slope;
      const LawAnswer answer = response.answer(F, slope);
      EXPECT_LT((slope - slope.transpose()).norm(), 1e-12 * slope.norm());
      constexpr double h = 1e-5;
      const double scale = std::max(1.0, slope.norm() / G);
      for (int k = 0; k < 9; ++k) {
        Mat3 plus = F;
        Mat3 minus = F;
        plus.data()[k] += h;
        minus.data()[k] -= h;
        const double by_energy = (response.energy(plus) - response.energy(minus)) / (2.0 * h);
        EXPECT_NEAR(answer.stress.data()[k], by_energy, 1e-5 * scale * G) << to_string(law);
        const Mat3 by_stress =
            (response.answer(plus).stress - response.answer(minus).stress) / (2.0 * h);
        const Mat3 column = Eigen::Map<const Mat3>(slope.col(k).data());
        EXPECT_LT((column - by_stress).norm(), 1e-4 * scale * G) << to_string(law) << "\n" << F;
      }
    }
  }
}

TEST(NeoHooke, InvertedCubesPushBackToTheirVolume) {
  // down the energy, by steps that lower it, from any pose
  std::mt19937 random(4);
  const ElasticResponse response(ElasticLaw::neo_hooke, gel);
  int inverted = 0;
  for (int pose = 0; pose < 500; ++pose) {
    Mat3 F = random_matrix(random, 1.0);
    inverted += F.determinant() < 0.0 ? 1 : 0;
    double energy = response.energy(F);
    double pace = 1e-4;
    for (int k = 0; k < 20000 && energy > 1e-8 * G; ++k) {
      const Mat3 next = F - pace / G * response.answer(F).stress;
      const double there = response.energy(next);
      if (there < energy) {
        F = next;
        energy = there;
        pace *= 1.3;
      } else {
        pace *= 0.3;
      }
    }
    EXPECT_LT(energy, 1e-6 * G) << F;
    EXPECT_GT(F.determinant(), 0.99);
  }
  EXPECT_GT(inverted, 200);
}

TEST(ElasticLaws, AreFiniteInTenThousandPosesInvertedOnesIncluded) {
  std::mt19937 random(5);
  for (const ElasticLaw law : laws) {
    const ElasticResponse response(law, gel);
    int inverted = 0;
    for (int pose = 0; pose < 10000; ++pose) {
      Mat3 F = random_matrix(random, pose % 2 == 0 ? 2.0 : 0.1);
      if (pose % 7 == 0) F.col(2) = F.col(1);
      if (pose % 11 == 0) F.setZero();
      if (pose % 13 == 0) F = Vec3(1.0, 1.0, -1.0).asDiagonal();
      inverted += F.determinant() < 0.0 ? 1 : 0;
      Mat9 slope;
      const LawAnswer answer = response.answer(F, slope);
      ASSERT_TRUE(std::isfinite(answer.energy) && answer.stress.allFinite() && slope.allFinite())
          << to_string(law) << "\n"
          << F;
    }
    EXPECT_GT(inverted, 3000);
  }
}

TEST(ElasticLaws, RefuseWhatHasNoVolumeChange) {
  EXPECT_THROW(ElasticResponse(ElasticLaw::neo_hooke, {1000.0, 0.5, 1000.0}), InputError);
}

TEST(NearestRotation, IsProperAndNearest) {
  std::mt19937 random(6);
  for (int k = 0; k < 1000; ++k) {
    const Mat3 F = random_matrix(random, 1.0);
    const Mat3 R = nearest_rotation(F);
    EXPECT_NEAR(R.determinant(), 1.0, 1e-10);
    EXPECT_LT((R.transpose() * R - Mat3::Identity()).norm(), 1e-9);
    for (int other = 0; other < 10; ++other) {
      EXPECT_GT((F - random_rotation(random)).norm(), (F - R).norm() - 1e-9);
    }
  }
}

}  // namespace
}  // namespace stickslip
