#include "stickslip/haptics/haptic_loop.hpp"

#include <algorithm>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// The rotation that one count of a position sensor stands for where a device states no other.
constexpr double lever = 0.04;  // [m]

Vec6 not_actuated_removed(Vec6 wrench, const DeviceLimits& limits) {
  if (limits.actuated_dofs < 6) wrench.tail<3>().setZero();
  return wrench;
}

RenderingOptions with_tick(RenderingOptions rendering, double tick) {
  rendering.tick = tick;
  return rendering;
}

}  // namespace

HapticLoop::Channel::Channel(const HandSetup& from, const LoopOptions& options)
    : setup(from),
      safety(SafetyLimits::of(from.device->limits(), from.force_limit, from.torque_limit),
             options.tick),
      passivity(options.passivity, options.tick),
      velocity(options.tick, from.device->limits().resolution),
      turning(options.tick, from.device->limits().resolution / lever),
      wants_hold(from.starts_holding) {}

HapticLoop::HapticLoop(const LoopOptions& options, std::vector<HandSetup> hands,
                       const PublishedStep& prototype, int max_contacts)
    : options_(options),
      rendering_(with_tick(options.rendering, options.tick), static_cast<int>(hands.size()),
                 max_contacts),
      steps_(prototype),
      inputs_(std::vector<HandInput>(hands.size())),
      poses_(hands.size()),
      velocities_(hands.size(), Vec6::Zero()),
      wrenches_(hands.size()),
      records_(hands.size()) {
  for (const HandSetup& hand : hands) channels_.emplace_back(hand, options);
}

void HapticLoop::read(std::size_t h) {
  Channel& channel = channels_[h];
  channel.is_there = channel.setup.device->read(channel.reading);
  const DeviceReading& reading = channel.reading;
  const bool is_finite = reading.position.allFinite() && reading.orientation.coeffs().allFinite();
  if (!channel.is_there || !is_finite) {
    channel.velocity.reset();
    channel.turning.reset();
    channel.passivity.restart();
    return;
  }
  const Pose pose{reading.position, reading.orientation.normalized()};

  // velocities, in the axes of the device
  channel.turned += turn_between(channel.orientation, pose.orientation);
  channel.orientation = pose.orientation;
  Vec6 velocity;
  velocity.head<3>() = channel.velocity.add(pose.position);
  velocity.tail<3>() = channel.turning.add(channel.turned);
  channel.passivity.observe(pose, channel.sent,
                            newly_supplied_ / static_cast<double>(channels_.size()));

  // into the world
  const WorkspaceMap& map = channel.setup.map;
  poses_[h] = map.to_world(pose);
  const Mat3 turn = map.turn.toRotationMatrix();
  velocities_[h].head<3>() = map.motion_scale * (turn * velocity.head<3>());
  velocities_[h].tail<3>() = turn * velocity.tail<3>();
  records_[h].device = pose;
  channel.device_velocity = velocity;

  // what the hand asks of the simulation
  const std::uint32_t pressed = reading.buttons & ~channel.buttons;
  channel.buttons = reading.buttons;
  if (pressed & channel.setup.grab_button) channel.wants_hold = !channel.wants_hold;
}

void HapticLoop::write(std::size_t h) {
  Channel& channel = channels_[h];
  const DeviceLimits& limits = channel.setup.device->limits();
  Vec6 felt = channel.setup.map.to_device(wrenches_[h].wrench);
  if (channel.is_clutched()) felt.setZero();
  const Vec6 passive =
      channel.passivity.control(not_actuated_removed(felt, limits), channel.device_velocity);
  const ForceSafety::Health health{.is_device_there = channel.is_there,
                                   .is_simulation_stalled = is_stalled_,
                                   .position = channel.reading.position,
                                   .orientation = channel.reading.orientation};
  channel.sent = channel.safety.guard(passive, health);
  channel.setup.device->write(channel.sent);

  TickRecord& record = records_[h];
  record.wanted = felt;
  record.wrench = channel.sent;
  record.energy = channel.passivity.energy();
  record.removed = channel.passivity.removed();
  record.is_controlled = channel.passivity.is_acting();
  record.safety = channel.safety.state();
}

void HapticLoop::tick() {
  // a newer step of the simulation
  const bool is_new = steps_.refresh();
  PublishedStep& step = steps_.value();
  newly_supplied_ = 0.0;
  if (is_new) {
    rendering_.take(step);
    newly_supplied_ = step.supplied - supplied_;
    supplied_ = step.supplied;
    since_step_ = 0.0;
  } else {
    since_step_ += options_.tick;
  }
  is_stalled_ = step.number > 0 && since_step_ > std::max(options_.stall_s, 3.0 * step.dt);

  // where the hands are
  for (std::size_t h = 0; h < channels_.size(); ++h) read(h);
  std::vector<HandInput>& inputs = inputs_.draft();
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    const Channel& channel = channels_[h];
    inputs[h] = {.pose = poses_[h],
                 .wants_hold = channel.wants_hold,
                 .is_clutched = channel.is_clutched(),
                 .restarts = channel.safety.wants_restart()};
  }
  inputs_.publish();

  // what they feel
  if (step.number > 0) {
    rendering_.render(step, poses_, velocities_, wrenches_);
  }
  for (std::size_t h = 0; h < channels_.size(); ++h) write(h);
}

void HapticLoop::stop() {
  for (Channel& channel : channels_) {
    channel.setup.device->stop();
    channel.sent.setZero();
  }
}

}  // namespace stickslip
