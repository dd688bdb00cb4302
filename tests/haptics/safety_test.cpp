#include "stickslip/haptics/safety.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace stickslip {
namespace {

constexpr double tick = 1e-3;
constexpr double peak_force = 7.9;
constexpr double peak_torque = 0.2;

DeviceLimits device() {
  DeviceLimits limits;
  limits.actuated_dofs = 6;
  limits.peak_force = peak_force;
  limits.peak_torque = peak_torque;
  return limits;
}

SafetyLimits limits() {
  constexpr double any = std::numeric_limits<double>::infinity();
  return SafetyLimits::of(device(), any, any);
}

Vec6 push(double force) {
  Vec6 wrench = Vec6::Zero();
  wrench[2] = force;
  return wrench;
}

/// A stage that has been running for long enough to give full strength.
ForceSafety warmed_up(double force) {
  ForceSafety safety(limits(), tick);
  for (int k = 0; k < 1000; ++k) safety.guard(push(force), {});
  return safety;
}

// numbers as bad inputs have them: huge, tiny, of either sign, not finite
double nasty_number(std::mt19937_64& random) {
  switch (random() % 8) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return random() % 2 ? std::numeric_limits<double>::infinity()
                          : -std::numeric_limits<double>::infinity();
    case 2:
      return random() % 2 ? std::numeric_limits<double>::max()
                          : std::numeric_limits<double>::lowest();
    case 3:
      return std::numeric_limits<double>::denorm_min();
    default:
      return std::uniform_real_distribution(-20.0, 20.0)(random);
  }
}

TEST(ForceSafety, TenMillionAdversarialWrenchesNeverPassTheLimits) {
  std::mt19937_64 random(1);
  ForceSafety safety(limits(), tick);
  const double slack = 1.0 + 1e-12;
  Vec6 before = Vec6::Zero();
  int sent = 0;
  for (int k = 0; k < 10'000'000; ++k) {
    // stretches of sane numbers in between, so that forces do come back
    const bool is_nasty = (k / 1000) % 2 == 0 && random() % 64 == 0;
    Vec6 wanted;
    for (double& value : wanted) {
      value = is_nasty ? nasty_number(random)
                       : (random() % 4096 == 0 ? 1e300
                                               : 40.0 * std::ldexp(double(random()), -64) - 20.0);
    }
    ForceSafety::Health health;
    health.is_simulation_stalled = random() % 50'000 == 0;
    const Vec6 got = safety.guard(wanted, health);
    const bool is_cut = got.isZero(0.0) && safety.state() == SafetyState::latched;
    sent += got.isZero(0.0) ? 0 : 1;
    if (!(got.head<3>().norm() <= slack * peak_force &&
          got.tail<3>().norm() <= slack * peak_torque)) {
      FAIL() << "limit passed at tick " << k;
    }
    if (!is_cut && !((got - before).head<3>().norm() <= slack * peak_force / 15.0 &&
                     (got - before).tail<3>().norm() <= slack * peak_torque / 15.0)) {
      FAIL() << "slew limit passed at tick " << k;
    }
    before = got;
  }
  EXPECT_GT(sent, 1'000'000);
}

TEST(ForceSafety, ForceRampsUpFromNothing) {
  ForceSafety safety(limits(), tick);
  double before = 0.0;
  for (int k = 0; k < 400; ++k) {
    const double force = safety.guard(push(5.0), {})[2];
    EXPECT_GE(force, before - 1e-12);
    EXPECT_LE(force, 5.0 * (k + 1) * tick / limits().ramp_s + 1e-12);
    before = force;
  }
  EXPECT_NEAR(before, 5.0, 1e-12);
  EXPECT_EQ(safety.state(), SafetyState::running);
}

TEST(ForceSafety, AStalledSimulationFadesWithinTwentyMilliseconds) {
  ForceSafety safety = warmed_up(peak_force);
  double before = peak_force;
  for (int k = 0; k < 20; ++k) {
    const double force = safety.guard(push(peak_force), {.is_simulation_stalled = true})[2];
    EXPECT_LE(before - force, peak_force / 15.0 * (1.0 + 1e-12));
    before = force;
  }
  EXPECT_EQ(before, 0.0);
  EXPECT_EQ(safety.state(), SafetyState::stalled);
  EXPECT_TRUE(safety.wants_restart());
}

TEST(ForceSafety, WhatIsBrokenIsCutAtOnceAndComesBackSlowly) {
  const ForceSafety::Health lost{.is_device_there = false};
  const ForceSafety::Health jumped{.position = {0.02, 0.0, 0.0}};
  const ForceSafety::Health nowhere{
      .position = {0.0, std::numeric_limits<double>::quiet_NaN(), 0.0}};
  for (const ForceSafety::Health& health : {lost, jumped, nowhere}) {
    ForceSafety safety = warmed_up(5.0);
    EXPECT_TRUE(safety.guard(push(5.0), health).isZero(0.0));
    EXPECT_EQ(safety.state(), SafetyState::latched);

    // all is well again, but for less than the time it takes to trust it
    const int wait = static_cast<int>(limits().recovery_s / tick);
    for (int k = 0; k < wait - 2; ++k) {
      EXPECT_TRUE(
          safety
              .guard(push(5.0), {.position = health.position.allFinite() ? health.position
                                                                         : Vec3(Vec3::Zero())})
              .isZero(0.0));
      EXPECT_TRUE(safety.wants_restart());
    }
  }
  ForceSafety safety = warmed_up(5.0);
  EXPECT_TRUE(safety.guard(push(std::numeric_limits<double>::infinity()), {}).isZero(0.0));
  EXPECT_EQ(safety.state(), SafetyState::latched);
  for (int k = 0; k < 1000; ++k) safety.guard(push(5.0), {});
  EXPECT_NEAR(safety.guard(push(5.0), {})[2], 5.0, 1e-12);
}

TEST(ForceSafety, TheUsersLimitIsKept) {
  ForceSafety safety(SafetyLimits::of(device(), 2.0, 0.01), tick);
  Vec6 got;
  for (int k = 0; k < 1000; ++k) got = safety.guard(Vec6::Constant(30.0), {});
  EXPECT_NEAR(got.head<3>().norm(), 2.0, 1e-12);
  EXPECT_NEAR(got.tail<3>().norm(), 0.01, 1e-12);
  EXPECT_NEAR(got[0], got[2], 1e-12);
}

}  // namespace
}  // namespace stickslip
