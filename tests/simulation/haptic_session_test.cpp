#include "stickslip/simulation/haptic_session.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <thread>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::at;
using testing_support::tool_gains;
using testing_support::tool_scene;
using testing_support::tool_size;

HandSetup held_by(const std::string& device, const std::string& hand, const Intention& intention) {
  auto simulated = std::make_shared<SimulatedDevice>(find_device_model(device),
                                                     Operator{*find_hand_model(hand), intention});
  SimulatedDevice::Truth truth;
  truth.pose = intention.pose(0.0);
  simulated->set_truth(truth);
  HandSetup setup;
  setup.device = simulated;
  setup.starts_holding = true;
  return setup;
}

/// A scene in hands, with what it needs.
struct Held {
  Held(const Scene& scene, std::vector<HandSetup> devices)
      : state(initial_state(scene)),
        data(scene),
        session(scene, state, data, std::move(devices), {}) {}
  State state;
  StepData data;
  HapticSession session;
};

/// What the loop renders while a clamped hand leads an ideal device.
std::vector<TickRecord> lead(HapticSession& session, double seconds,
                             const std::function<void(int, TurnTaking&)>& at_tick = {}) {
  TurnTaking turns(session);
  std::vector<TickRecord> records;
  const int ticks = static_cast<int>(std::lround(seconds / session.options().tick));
  for (int k = 0; k < ticks; ++k) {
    if (at_tick) at_tick(k, turns);
    turns.tick();
    records.push_back(session.loop().records()[0]);
  }
  return records;
}

TEST(HapticLoop, PressingAWallGivesStiffnessTimesDepthAtEveryRate) {
  for (const double dt : {1e-3, 3e-3, 1e-2, 2e-2}) {
    const Scene scene = tool_scene(dt, 5e-3, 0.5);
    Intention intention(at(0.0, 0.0, 0.02));
    intention.hold(0.4).minimum_jerk_to(at(0.0, 0.0, 0.0135), 0.3).hold(0.5);
    Held held(scene, {held_by("ideal", "clamped", intention)});
    const TickRecord last = lead(held.session, 1.2).back();
    EXPECT_NEAR(last.wrench[2], tool_gains.stiffness * 1.5e-3, 1e-5) << "dt " << dt;
    EXPECT_LT(last.wrench.head<2>().norm(), 1e-5);
  }
}

TEST(HapticLoop, SlipPointsAgainstTheMotionAtEveryTick) {
  const double mu = 0.3;
  for (const double dt : {1e-3, 2e-2}) {
    const Scene scene = tool_scene(dt, 0.0, mu);
    // pressed by 1 mm, then around in a circle
    Intention intention(at(0.0, 0.0, 0.01));
    intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(0.1);
    std::vector<Intention::Row> rows;
    for (int k = 0; k <= 5000; ++k) {
      const double t = 1e-3 * k;
      const double angle = 2.0 / 3.0 * std::numbers::pi * std::max(0.0, t - 0.6);
      const Pose before = intention.pose(std::min(t, 0.6));
      rows.push_back(
          {t, at(0.06 * std::sin(angle), 0.06 * (1.0 - std::cos(angle)), before.position.z())});
    }
    Held held(scene, {held_by("ideal", "clamped", Intention::from_rows(rows))});
    const std::vector<TickRecord> records = lead(held.session, 4.6);
    double worst = 0.0;
    for (std::size_t k = 1000; k < records.size(); ++k) {
      const Vec3 motion = records[k].device.position - records[k - 1].device.position;
      const Vec3 friction(records[k].wrench[0], records[k].wrench[1], 0.0);
      EXPECT_NEAR(friction.norm(), mu * tool_gains.stiffness * 1e-3, 0.02);
      worst = std::max(worst,
                       std::acos(std::min(1.0, -friction.normalized().dot(motion.normalized()))));
    }
    EXPECT_LT(worst * 180.0 / std::numbers::pi, 1.0) << "dt " << dt;
  }
}

TEST(HapticLoop, AStuckToolDoesNotCreep) {
  for (const double dt : {1e-3, 2e-2}) {
    const Scene scene = tool_scene(dt, 0.0, 0.5);
    // pressed by 2 N and pulled sideways by 0.8 N
    Intention intention(at(0.0, 0.0, 0.01));
    intention.hold(0.3).minimum_jerk_to(at(4e-4, 0.0, 0.009), 0.3).hold(30.0);
    Held held(scene, {held_by("ideal", "clamped", intention)});
    const std::vector<TickRecord> records = lead(held.session, 11.0);
    EXPECT_NEAR(records[1000].wrench[0], -0.8, 1e-3);
    // less than 1 nm/s
    const double moved =
        (records.back().wrench - records[1000].wrench).norm() / tool_gains.stiffness;
    EXPECT_LT(moved, 1e-9 * 10.0) << "dt " << dt;
  }
}

TEST(HapticLoop, AStallFadesTheForceAndComesBackWithoutAJump) {
  for (const double dt : {1e-3, 1e-2, 2e-2}) {
    const Scene scene = tool_scene(dt, 0.0, 0.5);
    Intention intention(at(0.0, 0.0, 0.01));
    intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(5.0);
    // a device with a limit, so that there is a slew limit
    Held held(scene, {held_by("touch-x", "clamped", intention)});
    const double slew = 7.9 / 15.0;
    const auto records = lead(held.session, 2.5, [](int k, TurnTaking& turns) {
      if (k == 1000) turns.stall(500);
    });
    EXPECT_NEAR(records[999].wrench[2], 2.0, 0.06);
    const int due = static_cast<int>(std::max(50.0, 3000.0 * dt));
    // the last step came within a period and a tick before the stall
    const std::size_t gone = 1000 + static_cast<std::size_t>(due) + 20;
    for (std::size_t k = gone; k < 1500; ++k) EXPECT_TRUE(records[k].wrench.isZero(0.0)) << k;
    for (std::size_t k = 1; k < records.size(); ++k) {
      EXPECT_LE((records[k].wrench - records[k - 1].wrench).head<3>().norm(), slew * (1 + 1e-9))
          << k;
    }
    // a new start, at zero force
    EXPECT_EQ(records.back().safety, SafetyState::running);
    EXPECT_LT(records.back().wrench.norm(), 1e-2);
  }
}

TEST(HapticLoop, RandomStallsNeverLeaveAForceNorStepIt) {
  std::mt19937 random(3);
  for (const double dt : {1e-3, 1e-2}) {
    const Scene scene = tool_scene(dt, 0.0, 0.5);
    std::vector<Intention::Row> rows;
    for (int k = 0; k <= 4000; ++k) {
      const double t = 5e-3 * k;
      rows.push_back({t, at(0.01 * std::sin(3.0 * t), 0.0, 0.0085 - 1e-3 * std::sin(11.0 * t))});
    }
    Held held(scene, {held_by("touch-x", "medium", Intention::from_rows(rows))});
    TurnTaking turns(held.session);
    const int due = static_cast<int>(std::max(50.0, 3000.0 * dt)) + 20;
    Vec6 before = Vec6::Zero();
    int since_step = 0;
    int pushed = 0;
    for (int k = 0; k < 20'000; ++k) {
      if (random() % 700 == 0) turns.stall(static_cast<int>(random() % 400));
      turns.tick();
      since_step = turns.step_report() != nullptr ? 0 : since_step + 1;
      const Vec6& wrench = held.session.loop().records()[0].wrench;
      // a step is known one tick after it was made
      if (since_step > due + 1) {
        EXPECT_TRUE(wrench.isZero(0.0)) << k;
      }
      EXPECT_LE((wrench - before).head<3>().norm(), 7.9 / 15.0 * (1.0 + 1e-9)) << k;
      pushed += wrench.isZero(0.0) ? 0 : 1;
      before = wrench;
    }
    EXPECT_GT(pushed, 2000);
  }
}

/// A clamped device that fails as it is told.
class FailingDevice : public Device {
 public:
  enum class Fault { none, lost, jumped, not_finite };
  const DeviceLimits& limits() const override { return limits_; }
  bool read(DeviceReading& reading) override {
    reading.position = {0.0, 0.0, 0.01 - depth};
    if (fault == Fault::jumped) reading.position.x() += 0.05;
    if (fault == Fault::not_finite) reading.position.x() = std::nan("");
    return fault != Fault::lost;
  }
  void write(const Vec6& wrench) override { sent = wrench; }
  void stop() override { sent.setZero(); }

  Fault fault = Fault::none;
  double depth = 0.0;  ///< below where it began [m]
  Vec6 sent = Vec6::Zero();

 private:
  DeviceLimits limits_ = [] {
    DeviceLimits limits;
    limits.peak_force = 10.0;
    return limits;
  }();
};

TEST(HapticLoop, AFailingDeviceFeelsNothingWithinTwoTicksAndStartsAnewWithoutAJump) {
  using Fault = FailingDevice::Fault;
  for (const Fault fault : {Fault::lost, Fault::jumped, Fault::not_finite}) {
    const Scene scene = tool_scene(3e-3, 0.0, 0.5);
    const auto device = std::make_shared<FailingDevice>();
    HandSetup setup;
    setup.device = device;
    setup.starts_holding = true;
    Held held(scene, {setup});
    TurnTaking turns(held.session);
    // pressed into the floor
    for (int k = 0; k < 1000; ++k) {
      device->depth = std::min(1.5e-3, 3e-6 * k);
      turns.tick();
    }
    EXPECT_GT(device->sent[2], 2.0);
    device->fault = fault;
    turns.tick();
    turns.tick();
    EXPECT_TRUE(device->sent.isZero(0.0));
    for (int k = 0; k < 50; ++k) turns.tick();
    EXPECT_TRUE(device->sent.isZero(0.0));
    device->fault = Fault::none;
    Vec6 before = device->sent;
    for (int k = 0; k < 1500; ++k) {
      turns.tick();
      EXPECT_LE((device->sent - before).norm(), 10.0 / 15.0);
      before = device->sent;
    }
    EXPECT_EQ(held.session.loop().records()[0].safety, SafetyState::running);
    EXPECT_LT(device->sent.norm(), 1e-6);
  }
}

TEST(HapticLoop, ASimulationThatStopsByTheClockLeavesNoForce) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Intention intention(at(0.0, 0.0, 0.01));
  intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(5.0);
  Held held(scene, {held_by("touch-x", "clamped", intention)});
  HapticLoop& loop = held.session.loop();
  // ticks since the loop found the simulation stalled, and what it still rendered then
  int stalled = 0;
  int longest_stall = 0;
  double force_before = 0.0;
  double force_left = 0.0;
  const auto after_tick = [&](const TickTimes&) {
    stalled = loop.is_stalled() ? stalled + 1 : 0;
    longest_stall = std::max(longest_stall, stalled);
    const double force = loop.records()[0].wrench.norm();
    if (stalled == 0) force_before = std::max(force_before, force);
    if (stalled > 20) force_left = std::max(force_left, force);
  };
  const auto after_step = [&](const StepReport&) {
    if (held.session.steps() == 300) std::this_thread::sleep_for(std::chrono::milliseconds(400));
  };
  const std::atomic<bool> never = false;
  run_live(held.session, 1.6, never, after_step, after_tick);
  EXPECT_GT(force_before, 1.5);
  EXPECT_GT(longest_stall, 50);
  EXPECT_EQ(force_left, 0.0);
}

TEST(HapticLoop, ASimulationThatStopsDiesOrSlowsAtRandomLeavesNoForceAndNoStep) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  std::vector<Intention::Row> rows;
  for (int k = 0; k <= 1600; ++k) {
    const double t = 5e-3 * k;
    rows.push_back({t, at(0.01 * std::sin(3.0 * t), 0.0, 0.0085 - 1e-3 * std::sin(11.0 * t))});
  }
  std::mt19937 random(11);
  const double slew = 7.9 / 0.015 * (1.0 + 1e-9);
  int stalls = 0;
  int pushed = 0;
  int slowed = 0;
  for (int round = 0; round < 6; ++round) {
    Held held(scene, {held_by("touch-x", "medium", Intention::from_rows(rows))});
    HapticLoop& loop = held.session.loop();
    // at every tick, in the thread of the loop
    Vec6 before = Vec6::Zero();
    std::uint64_t known = 0;
    double last_tick = 0.0;
    double last_step = 0.0;
    int stalled_ticks = 0;
    double fastest = 0.0;  // change of the force [N/s]
    double force_left = 0.0;
    const auto after_tick = [&](const TickTimes&) {
      const Vec6& wrench = loop.records()[0].wrench;
      const double now = loop.time_s();
      const double elapsed = now - std::exchange(last_tick, now);
      // what a pause of the loop has cut is no change
      if (!wrench.isZero(0.0)) {
        fastest = std::max(fastest, (wrench - before).head<3>().norm() / elapsed);
      }
      before = wrench;
      pushed += wrench.isZero(0.0) ? 0 : 1;
      const std::uint64_t number = loop.steps().value().number;
      if (std::exchange(known, number) != number) last_step = now;
      // due to be noticed after 50 ms, gone 20 ms later, by ticks that may be late
      const double due = 0.05 + 0.02 + 2.0 * elapsed;
      if (known > 0 && now - last_step > due) force_left = std::max(force_left, wrench.norm());
      stalled_ticks += loop.is_stalled() ? 1 : 0;
    };
    const auto after_step = [&](const StepReport&) {
      const auto chance = random() % 100;
      if (chance < 3) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 250));
      if (chance >= 70) std::this_thread::sleep_for(std::chrono::milliseconds(random() % 12));
      slowed += chance >= 70 ? 1 : 0;
    };
    // the last rounds: it never comes back
    HapticThread thread(loop, held.session.options().tick, after_tick);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(900);
    const auto dies = round < 3 ? end : end - std::chrono::milliseconds(100 + random() % 300);
    while (std::chrono::steady_clock::now() < dies) {
      after_step(held.session.step_scene());
      held.session.publish();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::this_thread::sleep_until(end);
    thread.stop();
    EXPECT_LE(fastest, slew) << round;
    EXPECT_EQ(force_left, 0.0) << round;
    stalls += stalled_ticks > 0 ? 1 : 0;
  }
  EXPECT_GT(stalls, 2);
  EXPECT_GT(pushed, 300);
  EXPECT_GT(slowed, 10);
}

TEST(HapticLoop, APressOutOfReachMayBeTriedAgain) {
  Scene scene = tool_scene(1e-3, 0.05, 0.5);
  scene.hands[0].reach = 0.01;
  // presses far away, comes near, presses again
  Intention intention(at(0.05, 0.0, 0.06));
  intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.06), 0.3).hold(1.0);
  intention.press(1, 0.1, 0.15).press(1, 0.8, 0.85);
  HandSetup setup = held_by("ideal", "clamped", intention);
  setup.starts_holding = false;
  Held held(scene, {setup});
  TurnTaking turns(held.session);
  for (int k = 0; k < 700; ++k) turns.tick();
  EXPECT_EQ(held.state.hands[0].body, -1);
  for (int k = 0; k < 300; ++k) turns.tick();
  EXPECT_EQ(held.state.hands[0].body, 1);
}

TEST(HapticLoop, TwoHandsOnOneBodyShareTheLoad) {
  Scene scene = tool_scene(1e-3, 0.0, 0.5, 2);
  scene.hands[0].handles = {{1, {{-0.01, 0.0, 0.0}, Quat::Identity()}}};
  scene.hands[1].handles = {{1, {{0.01, 0.0, 0.0}, Quat::Identity()}}};
  Intention left(at(-0.01, 0.0, 0.01));
  left.hold(0.3).minimum_jerk_to(at(-0.01, 0.0, 0.009), 0.2).hold(2.0);
  Intention right(at(0.01, 0.0, 0.01));
  right.hold(0.3).minimum_jerk_to(at(0.01, 0.0, 0.0085), 0.2).hold(2.0);
  Held held(scene, {held_by("ideal", "clamped", left), held_by("ideal", "clamped", right)});
  TurnTaking turns(held.session);
  for (int k = 0; k < 1500; ++k) turns.tick();
  EXPECT_NEAR(held.session.loop().records()[0].wrench[2], 2.0, 1e-3);
  EXPECT_NEAR(held.session.loop().records()[1].wrench[2], 3.0, 1e-3);
}

TEST(HapticLoop, AllocatesNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const Scene scene = tool_scene(3e-3, 1e-3, 0.5);
  std::vector<Intention::Row> rows;
  for (int k = 0; k <= 400; ++k) {
    const double t = 5e-3 * k;
    rows.push_back({t, at(0.01 * std::sin(9.0 * t), 0.0, 0.011 - 2e-3 * std::sin(20.0 * t))});
  }
  Held held(scene, {held_by("phantom", "medium", Intention::from_rows(rows))});
  TurnTaking turns(held.session);
  for (int k = 0; k < 800; ++k) turns.tick();
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 1200; ++k) turns.tick();
  EXPECT_EQ(testing_support::allocation_count() - before, 0U);
}

TEST(TurnTaking, AnswersComeWithinAStepOrAreRefused) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Intention intention(at(0.0, 0.0, 0.01));
  intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(2.0);
  for (const int latency : {1, 2, 3}) {
    Held held(scene, {held_by("ideal", "clamped", intention)});
    TurnTaking turns(held.session, latency);
    for (int k = 0; k < 1200; ++k) turns.tick();
    EXPECT_NEAR(held.session.loop().records()[0].wrench[2], 2.0, 1e-3) << latency;
  }
  for (const int latency : {-1, 0, 4, 100}) {
    Held held(scene, {held_by("ideal", "clamped", intention)});
    EXPECT_THROW(TurnTaking(held.session, latency), InputError) << latency;
  }
}

TEST(TurnTaking, SceneAndTicksKeepTheSameTimeWhateverTheStep) {
  Intention intention(at(0.0, 0.0, 0.01));
  intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(2.0);
  for (const double dt : {1e-4, 0.3e-3, 1e-3, 1.5e-3, 2.5e-3, 3e-3}) {
    const Scene scene = tool_scene(dt, 0.0, 0.5);
    Held held(scene, {held_by("ideal", "clamped", intention)});
    TurnTaking turns(held.session);
    int steps = 0;
    while (turns.time_s() < 0.8) {
      turns.tick();
      steps += turns.step_report() != nullptr ? 1 : 0;
      // a step belongs to the first tick at which its time has come
      ASSERT_LT((steps - 1) * dt, turns.time_s() - 1e-3 + 1e-8) << dt;
      ASSERT_GT(steps * dt, turns.time_s() - 2e-3 - 1e-8) << dt;
    }
    EXPECT_NEAR(held.session.loop().records()[0].wrench[2], 2.0, 1e-3) << dt;
  }
}

}  // namespace
}  // namespace stickslip
