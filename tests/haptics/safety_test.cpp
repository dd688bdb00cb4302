#include "stickslip/haptics/loop/safety.hpp"

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
  ForceSafety safety(limits());
  for (int k = 0; k < 1000; ++k) safety.guard(push(force), {}, tick);
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
  ForceSafety safety(limits());
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
    const Vec6 got = safety.guard(wanted, health, tick);
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
  ForceSafety safety(limits());
  double before = 0.0;
  for (int k = 0; k < 400; ++k) {
    const double force = safety.guard(push(5.0), {}, tick)[2];
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
    const double force = safety.guard(push(peak_force), {.is_simulation_stalled = true}, tick)[2];
    EXPECT_LE(before - force, peak_force / 15.0 * (1.0 + 1e-12));
    before = force;
  }
  EXPECT_EQ(before, 0.0);
  EXPECT_EQ(safety.state(), SafetyState::stalled);
  EXPECT_TRUE(safety.wants_restart());
}

TEST(ForceSafety, WhatIsBrokenIsCutAtOnceAndComesBackSlowly) {
  const auto cuts = [](const Vec6& wanted, const ForceSafety::Health& health) {
    ForceSafety safety = warmed_up(5.0);
    EXPECT_TRUE(safety.guard(wanted, health, tick).isZero(0.0));
    EXPECT_EQ(safety.state(), SafetyState::latched);

    // all is well again, but for less than the time it takes to trust it
    const int wait = static_cast<int>(limits().recovery_s / tick);
    for (int k = 0; k < wait - 2; ++k) {
      EXPECT_TRUE(safety.guard(push(5.0), {}, tick).isZero(0.0));
      EXPECT_TRUE(safety.wants_restart());
    }
    for (int k = 0; k < 1000; ++k) safety.guard(push(5.0), {}, tick);
    EXPECT_NEAR(safety.guard(push(5.0), {}, tick)[2], 5.0, 1e-12);
  };
  cuts(push(5.0), {.is_reading_good = false});
  cuts(push(std::numeric_limits<double>::infinity()), {});
  cuts(push(std::nan("")), {});
}

TEST(ForceSafety, SlewAndRampGoByTimeHoweverTicksFall) {
  std::mt19937_64 random(5);
  ForceSafety safety(limits());
  double time = 0.0;
  double before = 0.0;
  for (int k = 0; k < 2000; ++k) {
    const double elapsed = 1e-3 * std::uniform_real_distribution(0.2, 20.0)(random);
    const double wanted = random() % 2 ? peak_force : -peak_force;
    const double force = safety.guard(push(wanted), {}, elapsed)[2];
    time += elapsed;
    ASSERT_LE(std::abs(force - before), peak_force * elapsed / 0.015 * (1.0 + 1e-12));
    ASSERT_LE(std::abs(force), peak_force * std::min(1.0, time / 0.25) * (1.0 + 1e-12));
    before = force;
  }
  EXPECT_EQ(safety.state(), SafetyState::running);

  // late ticks fade a stall no later
  time = 0.0;
  while (before != 0.0) {
    before = safety.guard(push(peak_force), {.is_simulation_stalled = true}, 6e-3)[2];
    time += 6e-3;
  }
  EXPECT_LE(time, 0.02);
}

TEST(ForceSafety, AfterAPauseTheForceBeginsAtZero) {
  ForceSafety safety = warmed_up(5.0);
  // nothing to fade: the device has dropped it
  EXPECT_TRUE(safety.guard(push(5.0), {.has_paused = true}, 0.1).isZero(0.0));
  EXPECT_TRUE(safety.wants_restart());
  double time = 0.0;
  for (int k = 0; k < 400; ++k) {
    const double force = safety.guard(push(5.0), {}, tick)[2];
    time += tick;
    EXPECT_LE(force, 5.0 * std::max(0.0, time - limits().recovery_s) / limits().ramp_s + 1e-9);
  }
  EXPECT_NEAR(safety.guard(push(5.0), {}, tick)[2], 5.0, 1e-9);
}

TEST(ForceSafety, NoForceComesBackFromACouplingThatHasNotBegunAnew) {
  ForceSafety safety = warmed_up(5.0);
  safety.guard(push(5.0), {.is_reading_good = false}, tick);
  for (int k = 0; k < 1000; ++k) {
    EXPECT_TRUE(safety.guard(push(5.0), {.is_coupling_new = false}, tick).isZero(0.0));
  }
  EXPECT_TRUE(safety.wants_restart());
  safety.guard(push(5.0), {}, tick);
  EXPECT_FALSE(safety.wants_restart());
}

TEST(ForceSafety, TheUsersLimitIsKept) {
  ForceSafety safety(SafetyLimits::of(device(), 2.0, 0.01));
  Vec6 got;
  for (int k = 0; k < 1000; ++k) got = safety.guard(Vec6::Constant(30.0), {}, tick);
  EXPECT_NEAR(got.head<3>().norm(), 2.0, 1e-12);
  EXPECT_NEAR(got.tail<3>().norm(), 0.01, 1e-12);
  EXPECT_NEAR(got[0], got[2], 1e-12);
}

}  // namespace
}  // namespace stickslip
