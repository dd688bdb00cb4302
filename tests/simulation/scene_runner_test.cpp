#include "stickslip/simulation/scene_runner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/simulation/state_numbers.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::at;
using testing_support::tool_scene;
using Clock = std::chrono::steady_clock;

const std::atomic<bool> never = false;

std::uint64_t hash_of(const State& state) {
  std::vector<double> numbers;
  write_numbers(state, numbers);
  return stickslip::hash_of(numbers);
}

/// A device that follows what it is told to, and remembers what it was given.
class RememberingDevice : public SimulatedDevice {
 public:
  using SimulatedDevice::SimulatedDevice;
  void write(const Vec6& wrench) override {
    last = wrench;
    largest = std::max(largest, wrench.head<3>().norm());
    SimulatedDevice::write(wrench);
  }
  void stop() override {
    last.setZero();
    SimulatedDevice::stop();
  }
  Vec6 last = Vec6::Zero();
  double largest = 0.0;
};

std::shared_ptr<RememberingDevice> pressing_device() {
  Intention intention(at(0.0, 0.0, 0.01));
  intention.hold(0.3).minimum_jerk_to(at(0.0, 0.0, 0.009), 0.2).hold(5.0);
  return std::make_shared<RememberingDevice>(find_device_model("phantom"),
                                             Operator{*find_hand_model("clamped"), intention});
}

HandSetup held(const std::shared_ptr<Device>& device) {
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  return setup;
}

/// A scene and what runs it.
struct Running {
  explicit Running(const Scene& of) : scene(of), runner(scene, state, data) {}
  Running(const Scene& of, const std::shared_ptr<Device>& device)
      : scene(of), runner(scene, state, data, {held(device)}, {}) {}
  Scene scene;
  State state = initial_state(scene);
  StepData data{scene};
  SceneRunner runner;
};

TEST(SceneRunner, WithoutHandsMakesPlainSteps) {
  const Scene scene = tool_scene(3e-3, 1e-3, 0.5, 0);
  Running running(scene);
  running.state.bodies[1].frame.velocity = Vec3(0.3, 0.0, -0.5);
  State state = running.state;
  StepData data(scene);
  int told = 0;
  running.runner.run(30, never, {[&](const StepReport&) { ++told; }, {}});
  for (int k = 0; k < 30; ++k) step(scene, state, data);
  EXPECT_EQ(told, 30);
  EXPECT_EQ(hash_of(running.state), hash_of(state));
}

TEST(SceneRunner, InHandsTicksUpToEachStep) {
  const Scene scene = tool_scene(3e-3, 0.0, 0.5);
  Running running(scene, pressing_device());
  int ticks = 0;
  int ticks_at_step = 0;
  running.runner.run(200, never,
                     {[&](const StepReport&) { ticks_at_step = ticks; },
                      [&](std::span<const TickRecord> records, const TickTimes&) {
                        ticks += records.empty() ? 0 : 1;
                      }});
  // the first step comes with the first tick
  EXPECT_EQ(ticks, 1 + 3 * 199);
  EXPECT_EQ(ticks_at_step, ticks);

  State state = initial_state(scene);
  StepData data(scene);
  HapticSession session(scene, state, data, {held(pressing_device())}, {});
  TurnTaking turns(session);
  for (int k = 0; k < ticks; ++k) turns.tick();
  EXPECT_EQ(hash_of(running.state), hash_of(state));
}

TEST(SceneRunner, ShortStepsShareATick) {
  Running running(tool_scene(0.25e-3, 0.0, 0.5), pressing_device());
  int ticks = 0;
  int steps = 0;
  running.runner.run(401, never,
                     {[&](const StepReport&) { ++steps; },
                      [&](std::span<const TickRecord>, const TickTimes&) { ++ticks; }});
  EXPECT_EQ(steps, 401);
  EXPECT_EQ(ticks, 101);
}

TEST(SceneRunner, EndsAfterTheStepInWhichItIsAskedTo) {
  for (const bool is_held : {false, true}) {
    const Scene scene = tool_scene(3e-3, 0.0, 0.5, is_held ? 1 : 0);
    const auto running = is_held ? std::make_unique<Running>(scene, pressing_device())
                                 : std::make_unique<Running>(scene);
    std::atomic<bool> stop = false;
    int steps = 0;
    const RunEvents events = {[&](const StepReport&) { stop = ++steps % 5 == 0; }, {}};
    running->runner.run(SceneRunner::for_ever, stop, events);
    EXPECT_EQ(steps, 5);
    // slowly, and then as fast as the clock goes
    for (const double speed : {0.5, 1.0}) {
      stop = false;
      running->runner.run_by_clock({.speed = speed}, SceneRunner::for_ever, stop, events);
      EXPECT_EQ(steps, speed == 0.5 ? 10 : 15);
    }
  }
}

/// Eight steps of 10 ms, the third of which takes 60 ms.
LiveReport run_with_a_late_step(const Pace& pace, std::vector<double>& ended_s) {
  Running running(tool_scene(0.02, 0.0, 0.5, 0));
  const Clock::time_point begin = Clock::now();
  return running.runner.run_by_clock(
      pace, 8, never,
      {[&](const StepReport&) {
         ended_s.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
         if (ended_s.size() == 3) std::this_thread::sleep_for(std::chrono::milliseconds(60));
       },
       {}});
}

TEST(SceneRunner, ByTheClockALateStepLeavesTheNextOnesTheirTime) {
  std::vector<double> ended_s;
  const LiveReport report = run_with_a_late_step({.speed = 2.0}, ended_s);
  EXPECT_GE(report.late_steps, 1);
  EXPECT_GE(report.lost_s, 0.05);
  // two before it, the late one, and four that take their time
  EXPECT_GE(ended_s.back(), 0.02 + 0.06 + 4 * 0.01);
}

TEST(SceneRunner, ByTheClockALateStepIsMadeUpForWhereAskedTo) {
  std::vector<double> ended_s;
  const LiveReport report = run_with_a_late_step({.speed = 2.0, .makes_up = true}, ended_s);
  EXPECT_GE(report.late_steps, 4);
  EXPECT_EQ(report.lost_s, 0.0);
  // no faster than the clock, and again as far as it
  EXPECT_GE(ended_s.back(), 0.07);
  EXPECT_LT(ended_s[6] - ended_s[3], 0.02);
}

TEST(SceneRunner, HandsFeelNothingAfterARunByTheClock) {
  for (const double speed : {1.0, 4.0}) {
    const auto device = pressing_device();
    Running running(tool_scene(3e-3, 0.0, 0.5), device);
    running.runner.run_by_clock({.speed = speed}, 250, never, {});
    EXPECT_GT(device->largest, 1.0) << speed;
    EXPECT_TRUE(device->last.isZero(0.0)) << speed;
  }
}

}  // namespace
}  // namespace stickslip
