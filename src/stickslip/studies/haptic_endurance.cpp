#include "stickslip/studies/haptic_endurance.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/studies/haptic_stiffness.hpp"

namespace stickslip {

namespace {

const Vec3 blade_size(0.002, 0.02, 0.015);
constexpr double blade_at = 0.06;  ///< its middle, along x [m]
constexpr double blade_young = 2.5e7;

/// Random moves, one after the other, over a place on the floor.
class RestlessHand {
 public:
  RestlessHand(const HandModel& hand, double stiffness, std::uint64_t seed)
      : compliance_(1.0 / stiffness + (hand.is_clamped ? 0.0 : 1.0 / hand.translation.stiffness)),
        random_(seed),
        intention_({{0.0, 0.0, bench_resting}, Quat::Identity()}) {
    intention_.hold(0.4);
  }

  void move_on() {
    const double choice = between(0.0, 1.0);
    if (choice < 0.35) {
      poke();
    } else if (choice < 0.65) {
      stroke();
    } else if (choice < 0.8) {
      twist();
    } else {
      snap();
    }
  }

  const Intention& intention() const { return intention_; }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }

  void go(const Vec3& position, const Quat& orientation, double seconds) {
    intention_.minimum_jerk_to({position, orientation}, seconds);
    position_ = position;
  }

  void press(double force) {
    const double depth = force * compliance_;
    go({position_.x(), position_.y(), bench_touching - depth}, Quat::Identity(),
       between(0.15, 0.4) + 2.0 * depth);
  }

  void lift() {
    go({position_.x(), position_.y(), bench_touching + between(0.001, 0.01)}, Quat::Identity(),
       between(0.1, 0.3));
  }

  void poke() {
    go({between(-0.04, 0.02), between(-0.03, 0.03), bench_resting}, Quat::Identity(),
       between(0.2, 0.5));
    press(between(0.5, 5.0));
    intention_.hold(between(0.0, 0.4));
    lift();
  }

  void stroke() {
    press(between(0.5, 4.0));
    const int strokes = 1 + static_cast<int>(between(0.0, 3.0));
    for (int i = 0; i < strokes; ++i) {
      go({between(-0.04, 0.02), between(-0.03, 0.03), position_.z()}, Quat::Identity(),
         between(0.25, 0.9));
    }
    lift();
  }

  void twist() {
    press(between(0.5, 4.0));
    for (int i = 0; i < 2; ++i) {
      go(position_, Quat(Eigen::AngleAxisd(between(-0.3, 0.3), Vec3::UnitZ())), between(0.2, 0.6));
    }
    lift();
  }

  /// With an edge down, over the tip of the blade and back.
  void snap() {
    const Quat on_edge(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitY()));
    const double over = blade_size.z() + bench_touching * std::numbers::sqrt2;
    const double y = between(-0.005, 0.005);
    go({blade_at - 0.025, y, over + 0.005}, on_edge, between(0.5, 0.8));
    const double low = over - between(0.0005, 0.003);
    go({blade_at - 0.025, y, low}, on_edge, 0.2);
    const double seconds = between(0.4, 1.5);
    for (const double side : {1.0, -1.0}) {
      go({blade_at + side * 0.025, y, low}, on_edge, seconds);
    }
    go({blade_at - 0.04, y, over + 0.005}, on_edge, 0.2);
    go({0.0, 0.0, bench_resting}, Quat::Identity(), between(0.5, 0.8));
  }

  double compliance_;
  std::mt19937_64 random_;
  Intention intention_;
  Vec3 position_ = {0.0, 0.0, bench_resting};
};

}  // namespace

SystemLoad SystemLoad::operator-(const SystemLoad& before) const {
  return {minor_faults - before.minor_faults, major_faults - before.major_faults,
          preemptions - before.preemptions};
}

SystemLoad& SystemLoad::operator+=(const SystemLoad& more) {
  minor_faults += more.minor_faults;
  major_faults += more.major_faults;
  preemptions += more.preemptions;
  return *this;
}

SystemLoad system_load() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {usage.ru_minflt, usage.ru_majflt, usage.ru_nivcsw};
}

Scene make_blade_scene(double dt, const CouplingGains& gains) {
  Scene scene = make_tool_scene(dt, gains);
  const TetMesh blade = make_box(blade_size, {1, 4, 5}, ElementType::tet10);
  const DeformationModel model = make_elastic_model(blade, {blade_young, 0.4, 1100.0});
  scene.bodies.push_back(
      {.name = "blade",
       .body = make_deformable_body(model, model.region_nodes("z0"), {}),
       .position = {blade_at - 0.5 * blade_size.x(), -0.5 * blade_size.y(), 0.0}});
  scene.friction = MatX::Constant(3, 3, 0.5);
  scene.excluded_pairs.emplace_back(0, 2);
  return scene;
}

Intention restless_operator(const HandModel& hand, double stiffness, double seconds,
                            std::uint64_t seed) {
  RestlessHand restless(hand, stiffness, seed);
  while (restless.intention().duration_s() < seconds) restless.move_on();
  return restless.intention();
}

double EnduranceResult::removed_power() const {
  return energy.removed / (static_cast<double>(energy.ticks) * bench_tick);
}

EnduranceResult endure(const TrialSetup& setup, double seconds, std::uint64_t seed,
                       const std::function<void(double)>& progress) {
  HapticTrial trial(make_blade_scene(setup.ticks_per_step * bench_tick, setup.gains), setup,
                    restless_operator(setup.hand, setup.gains.stiffness, seconds, seed));
  lock_memory();
  EnduranceResult result;
  const auto count = static_cast<std::int64_t>(std::lround(seconds / bench_tick));
  const auto warm_up =
      std::min(static_cast<std::int64_t>(endurance_warm_up_s / bench_tick), count / 2);
  SystemLoad before = system_load();
  std::int64_t touching_ticks = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const TrialTick& tick = trial.tick();
    const TickRecord& record = tick.record;
    const StepReport* report = trial.step_report();
    const SystemLoad now = system_load();
    if (k >= warm_up) (report ? result.of_steps : result.of_ticks) += now - before;
    if (k >= warm_up && !report) ++result.counted_ticks;

    result.energy.add(tick);
    const double force = record.wrench.head<3>().norm();
    result.force_max = std::max(result.force_max, force);
    touching_ticks += force > 0.1 ? 1 : 0;
    result.stopped_ticks += record.safety == SafetyState::latched ? 1 : 0;
    if (report) result.steps.add(*report);
    if (progress && k % 1000 == 0) progress(static_cast<double>(k) / static_cast<double>(count));
    before = system_load();
  }
  result.touching = static_cast<double>(touching_ticks) / static_cast<double>(count);
  return result;
}

}  // namespace stickslip
