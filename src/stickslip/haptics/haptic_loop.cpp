#include "stickslip/haptics/haptic_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

Vec6 not_actuated_removed(Vec6 wrench, const DeviceLimits& limits) {
  if (limits.actuated_dofs < 6) wrench.tail<3>().setZero();
  return wrench;
}

RenderingOptions with_tick(RenderingOptions rendering, double tick) {
  rendering.tick = tick;
  return rendering;
}

}  // namespace

LoopOptions loop_by_clock(double tick, RenderingMode mode) {
  constexpr double share_of_solves = 0.5;
  LoopOptions options;
  options.tick = tick;
  options.rendering.mode = mode;
  options.rendering.deadline_us = share_of_solves * tick * 1e6;
  return options;
}

HapticLoop::Channel::Channel(const HandSetup& from, const LoopOptions& options)
    : setup(from),
      safety(SafetyLimits::of(from.device->limits(), from.force_limit, from.torque_limit),
             options.tick),
      passivity(options.passivity, options.tick),
      motion(options.tick, from.device->limits().resolution),
      grip_motion(options.tick, from.device->limits().resolution * from.map.motion_scale),
      wants_hold(from.starts_holding) {}

HapticLoop::HapticLoop(const LoopOptions& options, std::vector<HandSetup> hands,
                       const PublishedStep& prototype, int max_contacts)
    : options_(options),
      rendering_(with_tick(options.rendering, options.tick), static_cast<int>(hands.size()),
                 max_contacts),
      steps_(prototype),
      inputs_(HandInputs{0, std::vector<HandInput>(hands.size())}),
      poses_(hands.size()),
      velocities_(hands.size(), Vec6::Zero()),
      grips_(hands.size()),
      at_last_tick_(hands.size()),
      before_update_(hands.size()),
      records_(hands.size()) {
  for (const HandSetup& hand : hands) channels_.emplace_back(hand, options);
}

void HapticLoop::read(std::size_t h) {
  Channel& channel = channels_[h];
  channel.is_there = channel.setup.device->read(channel.reading);
  const DeviceReading& reading = channel.reading;
  const bool is_finite = reading.position.allFinite() && reading.orientation.coeffs().allFinite();
  if (!channel.is_there || !is_finite) {
    channel.motion.reset();
    channel.passivity.restart();
    return;
  }
  const Pose pose{reading.position, reading.orientation.normalized()};

  const Vec6 velocity = channel.motion.add(records_[h].device, pose);
  const WorkspaceMap& map = channel.setup.map;
  const double felt_share = map.motion_scale * map.force_scale;
  channel.passivity.observe(pose, channel.sent,
                            felt_share * newly_supplied_ / static_cast<double>(channels_.size()));

  // into the world
  poses_[h] = map.to_world(pose);
  const Mat3 turn = map.turn.toRotationMatrix();
  velocities_[h].head<3>() = map.motion_scale * (turn * velocity.head<3>());
  velocities_[h].tail<3>() = turn * velocity.tail<3>();
  records_[h].device = pose;
  channel.device_velocity = velocity;

  // what the hand asks of the simulation
  const std::uint32_t pressed = reading.buttons & ~channel.buttons;
  channel.buttons = reading.buttons;
  if (pressed & channel.setup.grab_button) {
    channel.wants_hold = !channel.wants_hold;
    channel.wants_since = ticks_;
  }
}

void HapticLoop::write(std::size_t h) {
  Channel& channel = channels_[h];
  const DeviceLimits& limits = channel.setup.device->limits();
  Vec6 wanted = channel.setup.map.to_device(felt(h));
  if (channel.is_clutched()) wanted.setZero();
  // while nothing is sent, there is nothing to damp
  const bool is_cut = is_stalled_ || channel.safety.wants_restart();
  const Vec6 passive = channel.passivity.control(
      not_actuated_removed(wanted, limits), is_cut ? Vec6(Vec6::Zero()) : channel.device_velocity);
  const ForceSafety::Health health{.is_device_there = channel.is_there,
                                   .is_simulation_stalled = is_stalled_,
                                   .position = channel.reading.position,
                                   .orientation = channel.reading.orientation};
  channel.sent = channel.safety.guard(passive, health);
  channel.setup.device->write(channel.sent);

  TickRecord& record = records_[h];
  record.wanted = wanted;
  record.grip = grips_[h];
  record.update_step = channel.update_step;
  record.wrench = channel.sent;
  record.energy = channel.passivity.energy();
  record.removed = channel.passivity.removed();
  record.is_controlled = channel.passivity.is_acting();
  record.safety = channel.safety.state();
}

double HapticLoop::age() const {
  return static_cast<double>(ticks_ - steps_.value().tick) * options_.tick;
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
  HandInputs& inputs = inputs_.draft();
  inputs.tick = ticks_;
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    const Channel& channel = channels_[h];
    inputs.hands[h] = {.pose = poses_[h],
                       .wants_hold = channel.wants_hold,
                       .is_clutched = channel.is_clutched(),
                       .restarts = channel.safety.wants_restart(),
                       .rendered = channel.sent,
                       .energy = channel.passivity.energy()};
  }
  inputs_.publish();
}

void HapticLoop::find_grips() {
  // where the step known so far has them
  const bool is_resolved = options_.rendering.mode == RenderingMode::resolved;
  at_last_tick_ = grips_;
  rendering_.start_tick();
  if (steps_.value().number > 0) rendering_.render(steps_.value(), age(), poses_, grips_);
  before_update_ = grips_;

  // where a new one has them instead: the hand is led over to that
  const bool is_new = take_step();
  const PublishedStep& step = steps_.value();
  if (is_new) rendering_.render(steps_.value(), age(), poses_, grips_);
  const double left = bridge_left(options_.rendering.mode, step.dt, options_.tick);
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    Channel& channel = channels_[h];
    const bool was_holding = std::exchange(channel.is_holding, step.hands[h].tool >= 0);
    // who has found nothing within reach may try again
    if (!channel.is_holding && step.number > 0 && step.tick >= channel.wants_since) {
      channel.wants_hold = false;
    }
    channel.update_step.setZero();
    if (is_new && was_holding && channel.is_holding) {
      channel.update_step = displacement_between(before_update_[h], grips_[h]);
    }
    channel.bridge = left * (channel.bridge - channel.update_step);
    // a plain coupling knows no other motion of the grip than that from step to step
    const Pose& now = is_resolved ? before_update_[h] : grips_[h];
    channel.grip_velocity = channel.grip_motion.add(at_last_tick_[h], now);
  }
  is_stalled_ = step.number > 0 && since_step_ > std::max(options_.stall_s, 3.0 * step.dt);
}

Vec6 HapticLoop::felt(std::size_t h) const {
  const Channel& channel = channels_[h];
  const PublishedHand& hand = steps_.value().hands[h];
  if (hand.tool < 0) return Vec6::Zero();
  const Vec6 stretch =
      displacement_between(grips_[h], hand.state.target_of(poses_[h])) - channel.bridge;
  const Vec6 approach = velocities_[h] - channel.grip_velocity;
  return -wrench_of(hand.gains, stretch, approach);
}

void HapticLoop::tick() {
  ++ticks_;
  for (std::size_t h = 0; h < channels_.size(); ++h) read(h);
  ask_simulation();
  find_grips();
  for (std::size_t h = 0; h < channels_.size(); ++h) write(h);
}

void HapticLoop::stop() {
  for (Channel& channel : channels_) {
    channel.setup.device->stop();
    channel.sent.setZero();
  }
}

}  // namespace stickslip
