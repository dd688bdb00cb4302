// A million ticks of the haptic loop under restless hands: allocations, locks and page faults in
// them, and their cost.

#include <fmt/core.h>

#include <chrono>
#include <memory>
#include <string>

#include "stickslip/math/time_histogram.hpp"
#include "stickslip/studies/haptics_bench.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/locks.hpp"

int main() {
  using namespace stickslip;
  using Clock = std::chrono::steady_clock;
  constexpr int ticks = 1'000'000;
  constexpr int ticks_per_step = 3;
  const CouplingGains gains = bench_gains(asked_stiffness("phantom"));
  const HandModel& hand = *find_hand_model("medium");
  const Scene scene = make_blade_scene(ticks_per_step * bench_tick, gains);
  State state = initial_state(scene);
  StepData data(scene);
  HandSetup setup;
  setup.device = std::make_shared<SimulatedDevice>(
      find_device_model("phantom"),
      Operator{hand, restless_operator(hand, gains.stiffness, ticks * bench_tick, 1)});
  setup.starts_holding = true;
  HapticSession session(scene, state, data, {setup}, {});

  const std::string locked = lock_memory();
  TimeHistogram times_us;
  SystemLoad load;
  std::size_t locks = 0;
  std::size_t in_ticks = 0;
  std::size_t in_steps = 0;
  for (int k = 0; k < ticks; ++k) {
    const std::size_t before = testing_support::allocation_count();
    const std::size_t locks_before = testing_support::lock_count();
    const SystemLoad load_before = system_load();
    const auto start = Clock::now();
    session.loop().tick();
    times_us.add(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    load += system_load() - load_before;
    locks += testing_support::lock_count() - locks_before;
    const std::size_t between = testing_support::allocation_count();
    if (k % ticks_per_step == 0) {
      session.step_scene();
      session.publish();
    }
    in_ticks += between - before;
    in_steps += testing_support::allocation_count() - between;
  }
  fmt::print(
      "{} ticks, {}: {} allocations, {} locks, {} minor and {} major page faults; {:.1f} us (p50), "
      "{:.1f} us (p99), {:.1f} us (max)\n"
      "{} steps of the simulation: {} allocations\n",
      ticks, locked, in_ticks, locks, load.minor_faults, load.major_faults, times_us.quantile(0.5),
      times_us.quantile(0.99), times_us.max(), ticks / ticks_per_step, in_steps);
  return in_ticks + locks == 0 && load.minor_faults + load.major_faults == 0 ? 0 : 1;
}
