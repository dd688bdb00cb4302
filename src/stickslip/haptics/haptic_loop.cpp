#include "stickslip/haptics/haptic_loop.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// The rotation that one count of a position sensor stands for where a device states no other.
constexpr double lever = 0.04;  // [m]

Vec6 not_actuated_removed(Vec6 wrench, const DeviceLimits& limits) {
  if (limits.actuated_dofs < 6) wrench.tail<3>().setZero();
  return wrench;
}

/// A hand is led from one step of the simulation to the next in this share of its period.
constexpr double bridge_share = 0.5;
/// Where steps come at every tick, what they change is the motion itself.
constexpr double bridged_ticks = 1.5;

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
      earlier_(hands.size(), Vec6::Zero()),
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

bool HapticLoop::take_step() {
  newly_supplied_ = 0.0;
  if (!steps_.refresh()) {
    since_step_ += options_.tick;
    return false;
  }
  const PublishedStep& step = steps_.value();
  rendering_.take(step);
  newly_supplied_ = step.supplied - supplied_;
  supplied_ = step.supplied;
  since_step_ = 0.0;
  return true;
}

void HapticLoop::ask_simulation() {
  std::vector<HandInput>& inputs = inputs_.draft();
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    const Channel& channel = channels_[h];
    inputs[h] = {.pose = poses_[h],
                 .wants_hold = channel.wants_hold,
                 .is_clutched = channel.is_clutched(),
                 .restarts = channel.safety.wants_restart()};
  }
  inputs_.publish();
}

void HapticLoop::render() {
  // what the step known so far says about this tick
  const bool knew_step = steps_.value().number > 0;
  if (knew_step) rendering_.render(steps_.value(), poses_, velocities_, wrenches_);
  for (std::size_t h = 0; h < channels_.size(); ++h) earlier_[h] = wrenches_[h].wrench;

  // where a new one says otherwise, the hand is led over to it
  const bool is_new = take_step();
  PublishedStep& step = steps_.value();
  if (is_new) rendering_.render(step, poses_, velocities_, wrenches_);
  const bool is_bridged =
      options_.rendering.mode == RenderingMode::resolved && step.dt > bridged_ticks * options_.tick;
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    Vec6& bridge = channels_[h].bridge;
    records_[h].update_step = earlier_[h] - wrenches_[h].wrench;
    if (!is_bridged) continue;
    if (is_new && knew_step) bridge += records_[h].update_step;
    bridge *= std::exp(-options_.tick / (bridge_share * step.dt));
    wrenches_[h].wrench += bridge;
  }
  is_stalled_ = step.number > 0 && since_step_ > std::max(options_.stall_s, 3.0 * step.dt);
}

void HapticLoop::tick() {
  for (std::size_t h = 0; h < channels_.size(); ++h) read(h);
  ask_simulation();
  render();
  for (std::size_t h = 0; h < channels_.size(); ++h) write(h);
}

void HapticLoop::stop() {
  for (Channel& channel : channels_) {
    channel.setup.device->stop();
    channel.sent.setZero();
  }
}

}  // namespace stickslip
