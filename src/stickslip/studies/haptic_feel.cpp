#include "stickslip/studies/haptic_feel.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/studies/haptic_stiffness.hpp"

namespace stickslip {

namespace {

Pose at(double x, double y, double z) {
  return {{x, y, z}, Quat::Identity()};
}

HapticTrial start(const TrialSetup& setup, const Intention& intention) {
  return {make_tool_scene(setup.ticks_per_step * bench_tick, setup.gains), setup, intention};
}

/// Of the strokes in exercise(), the first begins then. [s]
constexpr double stroke_at_s = bench_wait_s + 3 * 0.4 + 0.4;

Intention exercise_script(const TrialSetup& setup, bool is_weight) {
  const double pressing = bench_touching - press_way(setup.hand, setup.gains.stiffness);
  Intention intention(at(0.0, 0.0, bench_resting));
  intention.hold(bench_wait_s);
  if (is_weight) return intention.minimum_jerk_to(at(0.0, 0.0, pressing), 0.15).hold(2.0);
  for (int tap = 0; tap < 3; ++tap) {
    intention.minimum_jerk_to(at(0.0, 0.0, pressing), 0.2);
    intention.minimum_jerk_to(at(0.0, 0.0, bench_resting), 0.2);
  }
  intention.minimum_jerk_to(at(0.0, 0.0, pressing), 0.2).hold(0.2);
  intention.minimum_jerk_to(at(0.03, 0.0, pressing), 0.5);
  intention.minimum_jerk_to(at(0.03, 0.03, pressing), 0.5);
  intention.minimum_jerk_to(at(-0.02, -0.02, pressing), 0.6);
  return intention.minimum_jerk_to(at(-0.02, -0.02, bench_resting), 0.2).hold(0.2);
}

double free_motion_drag(const TrialSetup& setup) {
  constexpr double speed = 0.1;
  constexpr double high = bench_resting + 0.02;
  Intention intention(at(0.0, 0.0, bench_resting));
  intention.hold(bench_wait_s).minimum_jerk_to(at(0.0, 0.0, high), 0.3);
  const double begin_s = intention.duration_s() + 0.3;
  intention.ramp_to(at(speed * 1.3, 0.0, high), 1.3);
  HapticTrial trial = start(setup, intention);
  double sum = 0.0;
  int count = 0;
  for (int k = 0; k < bench_ticks(intention.duration_s()) - 1; ++k) {
    const TrialTick& tick = trial.tick();
    if (k < bench_ticks(begin_s)) continue;
    sum -= tick.record.wrench[0];
    ++count;
  }
  return sum / count;
}

void measure_press(const TrialSetup& setup, Fidelity& fidelity) {
  constexpr double angle = 0.015;  // [rad]
  const double depth = bench_press / setup.gains.stiffness;
  const Pose pressed = at(0.0, 0.0, bench_touching - depth);
  const Pose tilted{pressed.position, Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()))};
  Intention intention(at(0.0, 0.0, bench_resting));
  intention.hold(bench_wait_s).minimum_jerk_to(pressed, 0.3).hold(0.5);
  const int flat = bench_ticks(intention.duration_s());
  intention.minimum_jerk_to(tilted, 0.3).hold(0.5);
  HapticTrial trial = start(setup, intention);
  for (int k = 0; k < bench_ticks(intention.duration_s()); ++k) {
    const Vec6 wrench = trial.tick().record.wrench;
    if (k + 1 == flat) fidelity.force_error = std::abs(wrench[2] / bench_press - 1.0);
    const double torque = -setup.gains.rotational_stiffness * angle;
    fidelity.torque_error = std::abs(wrench[4] / torque - 1.0);
  }
}

int onset(const TrialSetup& setup) {
  constexpr double speed = 0.3;
  constexpr double high = bench_resting + 0.03;
  const double low = bench_touching - bench_press / setup.gains.stiffness;
  Intention intention(at(0.0, 0.0, bench_resting));
  intention.hold(bench_wait_s).minimum_jerk_to(at(0.0, 0.0, high), 0.3).hold(0.2);
  intention.ramp_to(at(0.0, 0.0, low), (high - low) / speed).hold(0.2);
  HapticTrial trial = start(setup, intention);
  int beyond = -1;
  for (int k = 0; k < bench_ticks(intention.duration_s()); ++k) {
    const TickRecord& record = trial.tick().record;
    if (beyond < 0 && record.device.position.z() < bench_touching) beyond = k;
    if (beyond >= 0 && record.wrench[2] > 0.05 * bench_press) return k - beyond;
  }
  return -1;
}

}  // namespace

void PortEnergy::add(const TrialTick& tick) {
  const TickRecord& record = tick.record;
  ++ticks;
  acting_ticks_ += record.is_controlled ? 1 : 0;
  acting = static_cast<double>(acting_ticks_) / static_cast<double>(ticks);
  least = std::min(least, tick.port_energy);
  least_observed = std::min(least_observed, record.energy);
  removed = record.removed;
}

ExerciseResult exercise(const TrialSetup& setup, bool with_stall) {
  TrialSetup used = setup;
  used.hand = pressing_hand(setup.hand);
  const bool is_weight = used.hand.translation.stiffness != setup.hand.translation.stiffness;
  const Intention intention = exercise_script(used, is_weight);
  HapticTrial trial = start(used, intention);
  ExerciseResult result;
  for (int k = 0; k < bench_ticks(intention.duration_s()); ++k) {
    if (with_stall && k == bench_ticks(stroke_at_s + 0.2)) trial.stall(500);
    const TrialTick& tick = trial.tick();
    result.steps.add(tick, setup.gains);
    result.energy.add(tick);
  }
  return result;
}

Fidelity measure_fidelity(TrialSetup setup) {
  setup.hand = *find_hand_model("clamped");
  Fidelity fidelity;
  fidelity.drag = free_motion_drag(setup);
  measure_press(setup, fidelity);
  fidelity.onset_ticks = onset(setup);
  return fidelity;
}

}  // namespace stickslip
