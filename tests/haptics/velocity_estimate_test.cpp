#include "stickslip/haptics/loop/velocity_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace stickslip {
namespace {

constexpr double tick = 1e-3;

TEST(VelocityEstimate, IsExactOnStraightMotionAndQuietAtRest) {
  VelocityEstimate estimate(tick, 30e-6);
  Vec3 velocity;
  for (int k = 0; k < 100; ++k) velocity = estimate.add(k * Vec3(1e-4, 0.0, -2e-4), tick);
  EXPECT_LT((velocity - Vec3(0.1, 0.0, -0.2)).norm(), 1e-12);

  // one count up and down is no motion
  for (int k = 0; k < 100; ++k) velocity = estimate.add(Vec3(k % 2 ? 30e-6 : 0.0, 0.0, 0.0), tick);
  EXPECT_LT(velocity.norm(), 3e-3);
}

TEST(VelocityEstimate, SlowMotionIsFourTimesQuieterThanDifferences) {
  constexpr double resolution = 30e-6;
  const double omega = 2.0 * std::numbers::pi * 0.5;
  VelocityEstimate estimate(tick, resolution);
  double squares = 0.0;
  double squares_of_differences = 0.0;
  double before = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double x = 0.01 * std::sin(omega * k * tick);
    const double rounded = resolution * std::round(x / resolution);
    const double velocity = estimate.add({rounded, 0.0, 0.0}, tick)[0];
    const double truth = 0.01 * omega * std::cos(omega * k * tick);
    if (k > 20) {
      squares += std::pow(velocity - truth, 2);
      squares_of_differences += std::pow((rounded - before) / tick - truth, 2);
    }
    before = rounded;
  }
  EXPECT_LT(std::sqrt(squares), 0.25 * std::sqrt(squares_of_differences));
}

TEST(VelocityEstimate, IsExactOnStraightMotionAtUnevenTimes) {
  const Vec3 truth(0.1, 0.0, -0.2);
  for (const double resolution : {0.0, 30e-6}) {
    std::mt19937_64 random(2);
    VelocityEstimate estimate(tick, resolution);
    double time = 0.0;
    for (int k = 0; k < 1000; ++k) {
      const double elapsed = 1e-3 * std::uniform_real_distribution(0.2, 20.0)(random);
      time += elapsed;
      const Vec3 velocity = estimate.add(time * truth, elapsed);
      if (k > 0) {
        ASSERT_LT((velocity - truth).norm(), 1e-9) << k;
      }
    }
  }
}

TEST(VelocityEstimate, ASampleThatCameTooSoonIsNoHaste) {
  // 0.1 m/s, sampled every millisecond; one message is 0.8 ms late
  VelocityEstimate estimate(tick, 0.0);
  double fastest = 0.0;
  for (int k = 0; k < 10; ++k) {
    const double elapsed = k == 5 ? 1.8e-3 : (k == 6 ? 0.2e-3 : 1e-3);
    fastest = std::max(fastest, estimate.add({1e-4 * k, 0.0, 0.0}, elapsed).norm());
  }
  EXPECT_LT(fastest, 0.11);
}

}  // namespace
}  // namespace stickslip
