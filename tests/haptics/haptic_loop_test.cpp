#include "stickslip/haptics/loop/haptic_loop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "tests/haptics/standing_tool.hpp"

namespace stickslip {
namespace {

using testing_support::StandingTool;
using testing_support::ToldDevice;
using testing_support::ToldLoop;

constexpr double tick = 1e-3;
const CouplingGains gains{1000.0, 1.0, 1.0, 0.001};

/// A hand that has been pressing by 3 mm for long enough to feel all of it, 3 N.
ToldLoop pressing(const LoopOptions& options = StandingTool::options()) {
  return ToldLoop(gains, options);
}
const Vec3 pressed_at(0.003, 0.0, 0.0);
void press(ToldLoop& told) {
  for (int k = 0; k < 500; ++k) told.tick_at(std::min(1.0, k / 300.0) * pressed_at);
  ASSERT_NEAR(told.device->sent[0], -3.0, 1e-9);
}

/// Ticks until the loop is running again, all of them without a force worth the name: the coupling
/// has begun anew where the hand is.
void expect_restart_from_zero(ToldLoop& told, const Vec3& position) {
  double time = 0.0;
  while (told.record().safety != SafetyState::running && time < 1.0) {
    told.tick_at(position);
    time += tick;
    ASSERT_LT(told.device->sent.norm(), 1e-9) << time;
  }
  EXPECT_NEAR(time, 0.35, 0.01);
}

TEST(HapticLoopTime, AStallIsToldAfterFiftyMillisecondsHoweverLateTicksAre) {
  std::mt19937_64 random(3);
  for (const double latest : {1e-3, 5e-3, 19e-3}) {
    ToldLoop told = pressing();
    press(told);
    // the simulation stops; its last step comes now
    told.loop.tick();
    double time = 0.0;
    double stalled_at = 0.0;
    while (!told.device->sent.isZero(0.0) && time < 1.0) {
      const double elapsed = std::uniform_real_distribution(0.2e-3, latest)(random);
      ++told.device->reading.sequence;
      told.loop.tick(elapsed);
      time += elapsed;
      if (stalled_at == 0.0 && told.loop.is_stalled()) stalled_at = time;
    }
    EXPECT_GT(stalled_at, 0.05);
    EXPECT_LE(stalled_at, 0.05 + latest);
    EXPECT_LE(time, 0.05 + 0.015 + 2.0 * latest);
    told.tick_at(pressed_at);
    expect_restart_from_zero(told, pressed_at);
  }
}

TEST(HapticLoopTime, APauseOfTheLoopEndsAtZeroAndBeginsAnew) {
  for (const double pause : {0.021, 0.06, 0.15}) {
    ToldLoop told = pressing();
    press(told);
    // the hand has gone on meanwhile
    const Vec3 now(0.004, 0.001, 0.0);
    told.tick_at(now, pause);
    EXPECT_TRUE(told.device->sent.isZero(0.0)) << pause;
    expect_restart_from_zero(told, now);
  }
}

TEST(HapticLoopTime, APauseWithinATickEndsAtZero) {
  ToldLoop told = pressing();
  press(told);
  // stopped between what is read and what is written
  ++told.device->reading.sequence;
  told.loop.tick(tick, [] { return 0.08; });
  EXPECT_TRUE(told.device->sent.isZero(0.0));
  told.tick_at(pressed_at, 0.08);
  expect_restart_from_zero(told, pressed_at);
}

TEST(HapticLoopTime, SlewGoesByWhenWrenchesAreWritten) {
  ToldLoop told = pressing();
  press(told);
  // a tick that takes long, and one that does not: the wrenches are 0.3 ms apart
  const Vec6 slow = told.device->sent;
  ++told.device->reading.sequence;
  told.loop.tick(tick, [] { return 0.8e-3; });
  EXPECT_EQ(told.device->sent, slow);
  told.device->reading.position = {-0.002, 0.0, 0.0};
  ++told.device->reading.sequence;
  told.loop.tick(tick, [] { return 0.1e-3; });
  EXPECT_NEAR((told.device->sent - slow).norm(), 5.0 / 0.015 * 0.3e-3, 1e-9);
}

TEST(HapticLoopTime, ALateTickNeitherInflatesDampingNorIsAJump) {
  // spring and damper of a hand that goes along at 0.3 m/s, by any ticks
  std::mt19937_64 random(7);
  const CouplingGains damped{1.0, 10.0, 1.0, 0.001};
  ToldLoop told(damped);
  double time = 0.0;
  const double speed = 0.3;
  const auto position = [&] { return Vec3(-0.2 + speed * time, 0.0, 0.0); };
  for (int k = 0; k < 400; ++k) told.tick_at(position());
  for (int k = 0; k < 150; ++k) {
    const double elapsed = std::uniform_real_distribution(0.2e-3, 9e-3)(random);
    time += elapsed;
    told.tick_at(position(), elapsed);
    ASSERT_NE(told.record().safety, SafetyState::latched) << k;
    if (k > 20) {
      ASSERT_NEAR(told.record().wanted[0], -10.0 * speed - speed * time, 1e-6) << k;
    }
  }
}

TEST(HapticLoopTime, RepeatedAndDoubledSamplesLeaveTheVelocityAlone) {
  const CouplingGains damped{1.0, 10.0, 1.0, 0.001};
  ToldLoop told(damped);
  for (int k = 0; k < 400; ++k) told.tick_at({-0.2, 0.0, 0.0});
  const double speed = 0.3;
  for (int k = 1; k < 500; ++k) {
    const Vec3 position(-0.2 + speed * tick * k, 0.0, 0.0);
    // every seventh sample comes with the next one
    if (k % 7 == 3) {
      told.tick();
    } else {
      told.tick_at(position);
    }
    if (k > 5) {
      ASSERT_NEAR(told.record().wanted[0], -10.0 * speed - speed * tick * k, 1e-3) << k;
    }
  }
}

TEST(HapticLoopTime, AfterStopForcesBeginAnew) {
  ToldLoop told = pressing();
  press(told);
  told.loop.stop();
  EXPECT_TRUE(told.device->sent.isZero(0.0));
  told.tick_at(pressed_at);
  EXPECT_TRUE(told.device->sent.isZero(0.0));
  expect_restart_from_zero(told, pressed_at);
}

TEST(HapticLoopReadings, OneSampleFarAwayLeavesNoTrace) {
  for (const double far : {0.45, 10.0, 1e300}) {
    ToldLoop told = pressing();
    press(told);
    const double energy = told.record().energy;
    told.tick_at({far, 0.0, 0.0});
    EXPECT_TRUE(told.device->sent.isZero(0.0));
    EXPECT_EQ(told.record().energy, energy);
    // nothing of it is told to the simulation
    told.loop.inputs().refresh();
    EXPECT_EQ(told.loop.inputs().value().hands[0].pose.position, pressed_at);
    expect_restart_from_zero(told, pressed_at);
    EXPECT_GE(told.record().energy, 0.0);

    // lets go, and moves freely
    told.device->reading.buttons = 1;
    told.tick_at(pressed_at);
    double drag = 0.0;
    for (int k = 0; k < 300; ++k) {
      told.tick_at(pressed_at + Vec3(1e-4 * k, 0.0, 0.0));
      drag = std::max(drag, told.device->sent.norm());
    }
    EXPECT_EQ(drag, 0.0);
  }
}

TEST(HapticLoopReadings, ADeviceStuckOutOfReachStaysCut) {
  ToldLoop told = pressing();
  press(told);
  for (const double far : {0.6, 1e300}) {
    for (int k = 0; k < 1000; ++k) {
      told.tick_at({far, 1e-5 * k, 0.0});
      ASSERT_TRUE(told.device->sent.isZero(0.0)) << k;
      ASSERT_EQ(told.record().device.position, pressed_at);
    }
  }
  told.tick_at(pressed_at);
  expect_restart_from_zero(told, pressed_at);
}

TEST(HapticLoopReadings, ASimulatedDeviceGoesAnywhere) {
  const Intention intention({{0.8, 0.0, 0.0}, Quat::Identity()});
  HandSetup setup;
  setup.device = std::make_shared<SimulatedDevice>(find_device_model("touch-x"),
                                                   Operator{*find_hand_model("medium"), intention});
  HapticLoop loop(StandingTool::options(), {setup}, StandingTool::prototype(), 1);
  for (int k = 0; k < 400; ++k) loop.tick();
  EXPECT_EQ(loop.records()[0].safety, SafetyState::running);
}

TEST(HapticLoopReadings, ATeleportWithinReachBeginsAnewThere) {
  ToldLoop told = pressing();
  press(told);
  const Vec3 there(0.1, 0.0, 0.05);
  told.tick_at(there);
  EXPECT_TRUE(told.device->sent.isZero(0.0));
  expect_restart_from_zero(told, there);
  EXPECT_GE(told.record().energy, 0.0);
}

TEST(HapticLoopReadings, ADebtEndsWithTheForcesItComesFrom) {
  ToldLoop told = pressing();
  press(told);
  // drawn out faster than anything can follow, and lost
  told.tick_at(pressed_at - Vec3(0.004, 0.0, 0.0));
  EXPECT_LT(told.record().energy, -5e-3);
  told.device->is_there = false;
  told.tick();
  told.tick();
  EXPECT_EQ(told.record().energy, 0.0);
}

TEST(HapticLoopReadings, NoForceComesBackFromAStepThatKnowsNothingOfTheFault) {
  LoopOptions options = StandingTool::options();
  options.stall_s = 10.0;
  ToldLoop told = pressing(options);
  press(told);
  // elsewhere, and the simulation hangs
  const Vec3 there(0.1, 0.0, 0.05);
  for (int k = 0; k < 500; ++k) {
    told.device->reading.position = there;
    ++told.device->reading.sequence;
    told.loop.tick();
    ASSERT_TRUE(told.device->sent.isZero(0.0)) << k;
  }
  // its next step is of now
  told.tool.step(told.loop);
  told.tick_at(there);
  told.tick_at(there);
  EXPECT_EQ(told.record().safety, SafetyState::ramping);
  for (int k = 0; k < 400; ++k) {
    told.tick_at(there);
    ASSERT_LT(told.device->sent.norm(), 1e-9);
  }
}

TEST(HapticLoopReadings, ASilentDeviceIsCut) {
  ToldLoop told = pressing();
  press(told);
  double time = 0.0;
  while (!told.device->sent.isZero(0.0) && time < 1.0) {
    told.tick();
    time += tick;
  }
  EXPECT_NEAR(time, 0.0505, 0.6e-3);
  for (int k = 0; k < 1000; ++k) {
    told.tick();
    ASSERT_TRUE(told.device->sent.isZero(0.0));
  }
  told.tick_at(pressed_at);
  expect_restart_from_zero(told, pressed_at);
}

TEST(HapticLoopReadings, AHandTakesHoldOnlyOnceItsPlaceIsKnown) {
  ToldLoop told = pressing();
  told.device->is_there = false;
  for (int k = 0; k < 100; ++k) {
    told.tick();
    told.loop.inputs().refresh();
    EXPECT_FALSE(told.loop.inputs().value().hands[0].wants_hold);
  }
  told.device->is_there = true;
  told.tick_at(pressed_at);
  told.loop.inputs().refresh();
  EXPECT_TRUE(told.loop.inputs().value().hands[0].wants_hold);
  expect_restart_from_zero(told, pressed_at);
}

}  // namespace
}  // namespace stickslip
