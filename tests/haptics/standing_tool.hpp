#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include "stickslip/haptics/loop/haptic_loop.hpp"

namespace stickslip::testing_support {

/// A simulation whose one tool stands still at the origin, whatever the hand does: the loop is
/// then a spring and a damper between the hand and that place.
class StandingTool {
 public:
  explicit StandingTool(const CouplingGains& gains) : gains_(gains) {}

  static PublishedStep prototype() {
    PublishedStep step;
    step.hands.resize(1);
    step.tools.resize(1);
    step.groups.resize(1);
    return step;
  }

  static LoopOptions options() {
    LoopOptions options;
    options.rendering.mode = RenderingMode::plain;
    return options;
  }

  /// Takes hold and begins anew as the hand asks, and publishes a step.
  void step(HapticLoop& loop) {
    loop.inputs().refresh();
    const HandInputs& inputs = loop.inputs().value();
    const HandInput& input = inputs.hands[0];
    const bool is_pressed = input.wants_hold && hand_.body < 0;
    hand_.body = input.wants_hold ? 0 : -1;
    if (is_pressed || input.restarts || input.is_clutched) hand_.settle(input.pose, Pose());
    PublishedStep& draft = loop.steps().draft();
    draft.number = ++number_;
    draft.time_s = inputs.time_s;
    draft.dt = 1e-3;
    draft.tools[0].body = 0;
    draft.hands[0].tool = hand_.body;
    draft.hands[0].state = hand_;
    draft.hands[0].gains = gains_;
    loop.steps().publish();
  }

 private:
  CouplingGains gains_;
  HandState hand_;
  std::uint64_t number_ = 0;
};

/// A device that says what it is told to say.
class ToldDevice : public Device {
 public:
  const DeviceLimits& limits() const override { return limits_; }
  bool read(DeviceReading& to) override {
    to = reading;
    return is_there;
  }
  void write(const Vec6& wrench) override { sent = wrench; }
  void stop() override { sent.setZero(); }

  DeviceReading reading;
  bool is_there = true;
  Vec6 sent = Vec6::Zero();

 private:
  DeviceLimits limits_ = [] {
    DeviceLimits limits;
    limits.name = "told";
    limits.actuated_dofs = 6;
    limits.peak_force = 5.0;
    limits.peak_torque = 0.2;
    limits.workspace_radius = 0.1;
    return limits;
  }();
};

/// A loop with one hand of a told device on a standing tool.
struct ToldLoop {
  explicit ToldLoop(const CouplingGains& gains, LoopOptions options = StandingTool::options())
      : device(std::make_shared<ToldDevice>()),
        tool(gains),
        loop(options, {hand()}, StandingTool::prototype(), 1) {}

  /// A tick at a place, with a new sample, and a step of the simulation after it.
  void tick_at(const Vec3& position, double elapsed_s = 1e-3) {
    device->reading.position = position;
    ++device->reading.sequence;
    tick(elapsed_s);
  }
  void tick(double elapsed_s = 1e-3) {
    loop.tick(elapsed_s);
    tool.step(loop);
  }
  const TickRecord& record() const { return loop.records()[0]; }

  std::shared_ptr<ToldDevice> device;
  StandingTool tool;
  HapticLoop loop;

 private:
  HandSetup hand() const {
    HandSetup setup;
    setup.device = device;
    setup.starts_holding = true;
    return setup;
  }
};

}  // namespace stickslip::testing_support
