// Loop and simulation by the clock on the wall.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/simulation/haptic_session.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::at;
using testing_support::tool_scene;
using Clock = std::chrono::steady_clock;

struct Held {
  Held(const Scene& scene, const std::shared_ptr<Device>& device)
      : state(initial_state(scene)),
        data(scene),
        session(scene, state, data, {setup(device)}, {}) {}
  static HandSetup setup(const std::shared_ptr<Device>& device) {
    HandSetup setup;
    setup.device = device;
    setup.starts_holding = true;
    return setup;
  }
  State state;
  StepData data;
  HapticSession session;
};

std::shared_ptr<SimulatedDevice> clamped_device(const Intention& intention) {
  return std::make_shared<SimulatedDevice>(find_device_model("phantom"),
                                           Operator{*find_hand_model("clamped"), intention});
}

Intention press() {
  Intention intention(at(0.0, 0.0, 0.01));
  return intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(5.0);
}

/// A loop that does nothing, a thousand times a second, with what the system grants to the haptic
/// loop.
class BareLoop {
 public:
  BareLoop() : thread_([this] { run(); }) {}
  ~BareLoop() { stop(); }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;
  void stop() {
    wants_stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::int64_t missed() const { return missed_; }  ///< once it has stopped

 private:
  void run() {
    request_real_time();
    constexpr std::int64_t period_ns = 1'000'000;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    std::int64_t due_ns = ns(now);
    while (!wants_stop_) {
      due_ns += period_ns;
      const timespec due{.tv_sec = due_ns / second_ns, .tv_nsec = due_ns % second_ns};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
      clock_gettime(CLOCK_MONOTONIC, &now);
      const std::int64_t late = (ns(now) - due_ns) / period_ns;
      missed_ += late;
      due_ns += late * period_ns;
    }
  }
  static constexpr std::int64_t second_ns = 1'000'000'000;
  static std::int64_t ns(const timespec& time) { return time.tv_sec * second_ns + time.tv_nsec; }

  std::int64_t missed_ = 0;
  std::atomic<bool> wants_stop_ = false;
  std::thread thread_;
};

/// A run beside a loop that does nothing.
struct Race {
  LiveReport report;
  double seconds = 0.0;
  std::int64_t due = 0;   ///< ticks
  std::int64_t most = 0;  ///< that it may miss: a twentieth for itself, the rest is the machine's
};

Race race(double seconds, const std::function<void(const TickTimes&)>& after_tick = {}) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Held held(scene, clamped_device(press()));
  const std::atomic<bool> never = false;
  Race race;
  BareLoop bare;
  const auto start = Clock::now();
  race.report = run_live(held.session, seconds, never, {}, after_tick);
  race.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  bare.stop();
  EXPECT_NEAR(held.session.scene_time_s(), seconds, 0.5 * scene.simulation.dt);
  race.due = race.report.ticks.ticks + race.report.ticks.missed;
  race.most = 3 * bare.missed() + race.due / 20;
  return race;
}

TEST(LiveRun, MissesHardlyMoreTicksThanALoopThatDoesNothing) {
  const Race run = race(1.5);
  // but for what it took to begin
  EXPECT_GT(static_cast<double>(run.due), 0.7e3 * run.seconds);
  EXPECT_LE(run.report.ticks.missed, run.most);
  EXPECT_FALSE(run.report.granted.empty());
}

TEST(LiveRun, TicksThatTakeTooLongMissMoreThanThat) {
  const Race run = race(
      0.6, [](const TickTimes&) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); });
  EXPECT_GT(run.report.ticks.missed, run.most);
}

TEST(LiveRun, ASimulatedOperatorIsAsLateAsTheScene) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  const auto device = clamped_device(press());
  Held held(scene, device);
  const std::atomic<bool> never = false;
  // takes three times as long as it lasts
  const LiveReport report = run_live(held.session, 0.3, never, [](const StepReport&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(9));
  });
  EXPECT_NEAR(held.session.scene_time_s(), 0.3, 1e-9);
  EXPECT_LT(device->operator_time_s(), 0.3 + 2.0 * (2.0 * scene.simulation.dt + 2e-3));
  EXPECT_GT(report.lost_s, 0.5);
  EXPECT_GT(report.late_steps, 90);

  // by counted ticks he lives by those again
  const double left = device->operator_time_s();
  TurnTaking turns(held.session);
  for (int k = 0; k < 300; ++k) turns.tick();
  EXPECT_NEAR(device->operator_time_s(), left + 0.3, 1e-9);
}

/// Stands 1 mm deep in the floor, after a while, and counts what it is told.
class CountingDevice : public Device {
 public:
  const DeviceLimits& limits() const override { return limits_; }
  bool read(DeviceReading& reading) override {
    reading.position.z() = 0.01 - std::min(1e-3, 4e-6 * static_cast<double>(writes));
    reading.sequence = ++sequence_;
    return true;
  }
  void write(const Vec6& wrench) override {
    ++writes;
    largest = std::max(largest, wrench.head<3>().norm());
    last = wrench;
  }
  void stop() override { last.setZero(); }

  std::int64_t writes = 0;
  double largest = 0.0;
  Vec6 last = Vec6::Zero();

 private:
  std::uint64_t sequence_ = 0;
  DeviceLimits limits_ = [] {
    DeviceLimits limits;
    limits.peak_force = 10.0;
    return limits;
  }();
};

TEST(LiveRun, WhatIsThrownAfterAStepLeavesTheHandAtZeroAndNobodyTicking) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  const auto device = std::make_shared<CountingDevice>();
  Held held(scene, device);
  const std::atomic<bool> never = false;
  const auto fail = [&](const StepReport&) {
    if (held.session.steps() == 250) throw std::runtime_error("the disk is full");
  };
  EXPECT_THROW(run_live(held.session, 5.0, never, fail), std::runtime_error);
  EXPECT_GT(device->largest, 1.0);
  EXPECT_TRUE(device->last.isZero(0.0));
  const std::int64_t writes = device->writes;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(device->writes, writes);
}

TEST(LiveRun, TheSceneBeginsWithTheFirstTick) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Held held(scene, clamped_device(press()));
  std::atomic<std::int64_t> ticks = 0;
  std::int64_t ticks_at_first_step = -1;
  const std::atomic<bool> never = false;
  run_live(
      held.session, 0.03, never,
      [&](const StepReport&) {
        if (ticks_at_first_step < 0) ticks_at_first_step = ticks;
      },
      [&](const TickTimes&) { ++ticks; });
  EXPECT_GE(ticks_at_first_step, 1);
}

TEST(LiveRun, EndsAfterTheStepInWhichItIsAskedTo) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Held held(scene, clamped_device(press()));
  std::atomic<bool> stop = false;
  run_live(held.session, 100.0, stop,
           [&](const StepReport&) { stop = held.session.steps() == 10; });
  EXPECT_EQ(held.session.steps(), 10U);
}

}  // namespace
}  // namespace stickslip
