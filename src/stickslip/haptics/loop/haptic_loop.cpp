#include "stickslip/haptics/loop/haptic_loop.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// Ticks that are nominally as long as a pause are none.
constexpr double longest_late_ticks = 2.0;

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
      judge(options.readings, from.device->limits(), options.tick),
      safety(SafetyLimits::of(from.device->limits(), from.force_limit, from.torque_limit)),
      passivity(options.passivity, options.tick),
      oscillation(options.oscillation, safety.limits().force, safety.limits().torque,
                  from.device->limits().resolution),
      motion(options.tick, from.device->limits().resolution),
      grip_motion(options.tick, from.device->limits().resolution * from.map.motion_scale),
      wants_hold(from.starts_holding) {}

void HapticLoop::Channel::forget_motion() {
  motion.reset();
  grip_motion.reset();
  passivity.restart();
  device_velocity.setZero();
  grip_velocity.setZero();
  bridge.setZero();
}

HapticLoop::HapticLoop(const LoopOptions& options, std::vector<HandSetup> hands,
                       const PublishedStep& prototype, int max_contacts)
    : options_(options),
      rendering_(with_tick(options.rendering, options.tick), static_cast<int>(hands.size()),
                 max_contacts),
      steps_(prototype),
      inputs_(HandInputs{0.0, std::vector<HandInput>(hands.size())}),
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
  const bool is_there = channel.setup.device->read(channel.reading);
  channel.verdict = channel.judge.judge(is_there, channel.reading, elapsed_s_);
  const WorkspaceMap& map = channel.setup.map;
  const double felt_share = map.motion_scale * map.force_scale * channel.oscillation.scale();
  channel.passivity.hold(channel.sent,
                         felt_share * newly_supplied_ / static_cast<double>(channels_.size()),
                         elapsed_s_);
  if (has_paused_ || channel.verdict == ReadingJudge::Verdict::bad) {
    channel.forget_motion();
    velocities_[h].setZero();
  }
  if (channel.verdict == ReadingJudge::Verdict::fresh) take_reading(h);
}

void HapticLoop::take_reading(std::size_t h) {
  Channel& channel = channels_[h];
  const DeviceReading& reading = channel.reading;
  const Pose pose{reading.position, reading.orientation.normalized()};
  channel.motion.move(records_[h].device, pose);
  channel.device_velocity = channel.motion.sample(channel.judge.interval_s());
  channel.passivity.observe(pose);
  records_[h].device = pose;

  // into the world
  const WorkspaceMap& map = channel.setup.map;
  poses_[h] = map.to_world(pose);
  const Mat3 turn = map.turn.toRotationMatrix();
  velocities_[h].head<3>() = map.motion_scale * (turn * channel.device_velocity.head<3>());
  velocities_[h].tail<3>() = turn * channel.device_velocity.tail<3>();

  // what the hand asks of the simulation
  channel.wants_since_s = std::min(channel.wants_since_s, time_s_);
  const std::uint32_t pressed = reading.buttons & ~channel.buttons;
  channel.buttons = reading.buttons;
  if (pressed & channel.setup.grab_button) {
    channel.wants_hold = !channel.wants_hold;
    channel.wants_since_s = time_s_;
  }
}

double HapticLoop::held_by_coupling(std::size_t h, const Vec6& wrench) const {
  const Channel& channel = channels_[h];
  const CouplingGains& gains = steps_.value().hands[h].gains;
  const WorkspaceMap& map = channel.setup.map;
  const double share = map.motion_scale * map.force_scale * channel.oscillation.scale();
  const auto held = [share](const Vec3& force, double largest, double stiffness) {
    const double felt = std::min(force.norm(), largest);
    return stiffness > 0.0 ? 0.5 * felt * felt / (share * stiffness) : 0.0;
  };
  const SafetyLimits& limits = channel.safety.limits();
  return held(wrench.head<3>(), limits.force, gains.stiffness) +
         held(wrench.tail<3>(), limits.torque, gains.rotational_stiffness / map.motion_scale);
}

void HapticLoop::write(std::size_t h) {
  Channel& channel = channels_[h];
  const bool is_reading_good = channel.verdict != ReadingJudge::Verdict::bad;
  if (!is_reading_good || is_stalled_ || has_paused_) channel.failed_at_s = time_s_;

  // what the hand is to feel, with gains that it bears
  const bool swings = channel.oscillation.add(channel.sent, channel.motion.way(), elapsed_s_);
  Vec6 wanted = channel.oscillation.scale() * channel.setup.map.to_device(felt(h));
  if (channel.is_clutched()) wanted.setZero();
  wanted = not_actuated_removed(wanted, channel.setup.device->limits());
  // while nothing is sent, there is nothing to damp, and nothing is owed
  const bool is_cut = is_stalled_ || channel.safety.wants_restart();
  if (is_cut) channel.passivity.forgive();
  // a swing has been paid out what the coupling holds, which would be withheld from now on
  if (swings && !is_cut) channel.passivity.forgive(held_by_coupling(h, wanted));
  const Vec6 passive = channel.passivity.control(
      wanted, is_cut ? Vec6(Vec6::Zero()) : channel.device_velocity, elapsed_s_);

  const PublishedStep& step = steps_.value();
  const ForceSafety::Health health{
      .is_reading_good = is_reading_good,
      .is_simulation_stalled = is_stalled_,
      .has_paused = has_paused_,
      .is_coupling_new = step.number == 0 || step.time_s > channel.failed_at_s};
  channel.sent = channel.safety.guard(passive, health, held_s_);
  channel.setup.device->write(channel.sent);

  TickRecord& record = records_[h];
  record.wanted = wanted;
  record.grip = grips_[h];
  record.update_step = channel.update_step;
  record.wrench = channel.sent;
  record.energy = channel.passivity.energy();
  record.removed = channel.passivity.removed();
  record.is_controlled = channel.passivity.is_acting();
  record.gain_scale = channel.oscillation.scale();
  record.safety = channel.safety.state();
}

bool HapticLoop::is_pause(double seconds) const {
  return seconds > std::max(options_.pause_s, longest_late_ticks * options_.tick);
}

double HapticLoop::age() const {
  return time_s_ - steps_.value().time_s;
}

bool HapticLoop::take_step() {
  newly_supplied_ = 0.0;
  if (!steps_.refresh()) {
    since_step_ += elapsed_s_;
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
  inputs.time_s = time_s_;
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    const Channel& channel = channels_[h];
    inputs.hands[h] = {.pose = poses_[h],
                       .wants_hold = channel.wants_hold && channel.wants_since_s <= time_s_,
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
  const double left = std::pow(bridge_left(options_.rendering.mode, step.dt, options_.tick),
                               elapsed_s_ / options_.tick);
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    Channel& channel = channels_[h];
    const bool was_holding = std::exchange(channel.is_holding, step.hands[h].tool >= 0);
    // who has found nothing within reach may try again
    if (!channel.is_holding && step.number > 0 && step.time_s >= channel.wants_since_s) {
      channel.wants_hold = false;
    }
    channel.update_step.setZero();
    if (is_new && was_holding && channel.is_holding) {
      channel.update_step = displacement_between(before_update_[h], grips_[h]);
    }
    channel.bridge = left * (channel.bridge - channel.update_step);
    // a plain coupling knows no other motion of the grip than that from step to step
    const Pose& now = is_resolved ? before_update_[h] : grips_[h];
    channel.grip_motion.move(at_last_tick_[h], now);
    // where the hand was not read anew, it goes on as before, and so does the grip
    if (channel.verdict == ReadingJudge::Verdict::fresh) {
      channel.grip_velocity = channel.grip_motion.sample(channel.judge.interval_s());
    }
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

void HapticLoop::tick(double elapsed_s, const std::function<double()>& since_beginning) {
  // shorter ones are not worth a division
  constexpr double shortest_share = 1e-3;
  elapsed_s_ = std::max(shortest_share * options_.tick, elapsed_s);
  time_s_ += elapsed_s_;
  has_paused_ = is_pause(elapsed_s_);
  for (std::size_t h = 0; h < channels_.size(); ++h) read(h);
  ask_simulation();
  find_grips();
  const double after_s = since_beginning ? since_beginning() : 0.0;
  has_paused_ |= is_pause(after_s);
  held_s_ = elapsed_s_ + std::min(0.0, after_s - std::exchange(written_s_, after_s));
  for (std::size_t h = 0; h < channels_.size(); ++h) write(h);
}

void HapticLoop::stop() {
  for (std::size_t h = 0; h < channels_.size(); ++h) {
    Channel& channel = channels_[h];
    channel.setup.device->stop();
    velocities_[h].setZero();
    channel.safety.drop();
    channel.forget_motion();
    channel.sent.setZero();
    channel.failed_at_s = time_s_;
  }
}

}  // namespace stickslip
