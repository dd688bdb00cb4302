#include "stickslip/studies/haptic_stiffness.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/haptics/stability/spring_stability.hpp"
#include "stickslip/studies/haptic_signals.hpp"

namespace stickslip {

namespace {

constexpr double largest_ripple = 0.15;  // [N]
constexpr double corner_hz = 20.0;
constexpr double tap_s = 0.15;
constexpr double settle_s = 0.95;
constexpr double hold_s = 1.0;
constexpr double stall_s = 0.5;
constexpr double recovery_s = 0.4;
constexpr double sway_share = 1.0 / 3.0;
/// What carries a weight; hardly a spring. [N/m]
constexpr double thread_stiffness = 1e-3;
/// Beyond all doubt unstable. [N]
constexpr double absurd_force = 300.0;
/// Growth from one half of a hold to the other that noise does not make.
constexpr double growth = 1.3;

Pose at_height(double z) {
  return {{0.0, 0.0, z}, Quat::Identity()};
}

/// What happens in the seconds of a hold.
class HoldWatch {
 public:
  void add(const TrialTick& tick, bool is_watched, bool is_late) {
    const double force = tick.record.wrench[2];
    const double above = force_above_.add(force);
    const double motion = motion_above_.add(tick.truth.position.z());
    if (!is_watched) return;
    ripple = std::max(ripple, std::abs(above));
    low_ = std::min(low_, tick.truth.position.z());
    high_ = std::max(high_, tick.truth.position.z());
    force_sum_ += force;
    ++count_;
    (is_late ? late_ : early_) += motion * motion;
  }

  bool grows(double resolution) const {
    const double half = 0.5 * static_cast<double>(count_);
    const double smallest = std::max(resolution, 1e-6);
    return late_ > growth * growth * early_ && std::sqrt(late_ / half) > smallest;
  }
  double amplitude() const { return 0.5 * (high_ - low_); }
  double mean_force() const { return force_sum_ / static_cast<double>(count_); }

  double ripple = 0.0;

 private:
  HighPass force_above_{corner_hz, bench_tick};
  HighPass motion_above_{corner_hz, bench_tick};
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  double force_sum_ = 0.0;
  double early_ = 0.0;  ///< squares of the motion, of either half
  double late_ = 0.0;
  std::int64_t count_ = 0;
};

/// Mean squares of a swing in two windows, the later over the earlier.
double swing_growth(const DeviceModel& model, const HandModel& hand, double stiffness) {
  SimulatedDevice device(model, {hand, Intention()});
  device.set_truth({{Vec3(1e-3, 0.0, 0.0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero(), 0.0});
  DeviceReading reading;
  constexpr int window = 6000;
  double early = 0.0;
  double late = 0.0;
  for (int i = 0; i < 3 * window; ++i) {
    device.read(reading);
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = -stiffness * reading.position;
    device.write(wrench);
    const double squared = reading.position.squaredNorm();
    if (i >= window) (i < 2 * window ? early : late) += squared;
    // far beyond doubt, before numbers overflow
    if (squared > 1e100) return 2.0;
  }
  return early > 0.0 ? late / early : 0.0;
}

/// The aim of the hand, and when the hold begins that is watched.
struct Script {
  Intention intention;
  double begin_s;
};

Script make_script(double way, HoldKind kind) {
  const double start = bench_tool_start + 0.5 * bench_tool_size;
  const double pressing = start - bench_tool_start - way;
  Script script{Intention(at_height(start)), bench_wait_s + tap_s + settle_s};
  script.intention.hold(bench_wait_s).minimum_jerk_to(at_height(pressing), tap_s);
  if (kind == HoldKind::after_stall) {
    script.intention.hold(settle_s + stall_s + recovery_s)
        .minimum_jerk_to(at_height(pressing - way), tap_s);
    script.begin_s += stall_s + recovery_s + tap_s + settle_s;
  }
  if (kind == HoldKind::swaying) {
    script.intention.hold(settle_s - 0.5 * hold_s);
    for (const double sign : {1.0, -1.0, 1.0}) {
      script.intention.minimum_jerk_to(at_height(pressing + sign * sway_share * way), 0.5 * hold_s);
    }
  }
  return script;
}

}  // namespace

HandModel pressing_hand(const HandModel& hand) {
  if (hand.is_clamped || hand.translation.stiffness > 0.0) return hand;
  HandModel hanging = hand;
  hanging.translation.stiffness = thread_stiffness;
  hanging.rotation.stiffness = 0.01;
  hanging.rotation.damping = 1e-3;
  return hanging;
}

double press_way(const HandModel& hand, double stiffness) {
  const double of_coupling = bench_press / stiffness;
  return hand.is_clamped ? of_coupling : of_coupling + bench_press / hand.translation.stiffness;
}

HoldResult tap_and_hold(const TrialSetup& setup, HoldKind kind) {
  TrialSetup used = setup;
  used.hand = pressing_hand(setup.hand);
  const Script script = make_script(press_way(used.hand, setup.gains.stiffness), kind);
  HapticTrial trial(make_tool_scene(setup.ticks_per_step * bench_tick, setup.gains), used,
                    script.intention);
  HoldResult result;
  HoldWatch watch;
  const int begin = bench_ticks(script.begin_s);
  const int end = begin + bench_ticks(hold_s);
  const int first_hold = bench_ticks(bench_wait_s + tap_s + settle_s);
  for (int k = 0; k < end; ++k) {
    if (kind == HoldKind::after_stall && k == first_hold) trial.stall(bench_ticks(stall_s));
    const TrialTick& tick = trial.tick();
    watch.add(tick, k >= begin, k >= (begin + end) / 2);
    const bool is_let_go = tick.record.safety == SafetyState::latched;
    if (is_let_go || !(tick.record.wrench.head<3>().norm() < absurd_force)) {
      result.ripple = std::numeric_limits<double>::infinity();
      return result;
    }
  }
  result.ripple = watch.ripple;
  result.amplitude = watch.amplitude();
  result.force = watch.mean_force();
  result.is_stable =
      watch.ripple <= largest_ripple && !watch.grows(setup.device.translation.resolution);
  return result;
}

double find_stable_stiffness(TrialSetup setup, HoldKind kind) {
  const auto is_stable = [&](double stiffness) {
    setup.gains = bench_gains(stiffness);
    return tap_and_hold(setup, kind).is_stable;
  };
  constexpr double first = 500.0;
  constexpr double hopeless = 10.0;
  double stable = first;
  double unstable = 0.0;
  while (stable > hopeless && !is_stable(stable)) {
    unstable = stable;
    stable *= 0.5;
  }
  if (stable <= hopeless) return 0.0;
  while (unstable == 0.0) {
    if (stable >= largest_bench_stiffness) return largest_bench_stiffness;
    const double next = std::min(std::numbers::sqrt2 * stable, largest_bench_stiffness);
    (is_stable(next) ? stable : unstable) = next;
  }
  while (unstable > 1.03 * stable) {
    const double middle = std::sqrt(stable * unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

double SpringOracle::difference() const {
  return eigenvalue > 0.0 ? std::abs(simulated / eigenvalue - 1.0) : simulated;
}

SpringOracle compare_with_spring(const DeviceModel& device, const HandModel& hand) {
  DeviceModel smooth = device;
  for (DeviceAxis* axis : {&smooth.translation, &smooth.rotation}) {
    axis->friction = 0.0;
    axis->resolution = 0.0;
  }
  SpringOracle oracle;
  oracle.eigenvalue = largest_stable_stiffness(
      {smooth.translation, hand.translation, smooth.limits.tick_s, smooth.delay_s, 0.0, 0.0});
  // from a spring that any damping keeps quiet
  double stable = 1.0;
  if (swing_growth(smooth, hand, stable) >= 1.0) return oracle;
  double unstable = 2.0 * stable;
  while (swing_growth(smooth, hand, unstable) < 1.0) {
    stable = unstable;
    unstable *= 2.0;
  }
  while (unstable > 1.001 * stable) {
    const double middle = std::sqrt(stable * unstable);
    (swing_growth(smooth, hand, middle) < 1.0 ? stable : unstable) = middle;
  }
  oracle.simulated = stable;
  return oracle;
}

}  // namespace stickslip
