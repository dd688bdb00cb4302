#include "stickslip/studies/haptics_bench.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <numbers>

#include "stickslip/haptics/stability/gain_choice.hpp"
#include "stickslip/haptics/stability/spring_stability.hpp"
#include "stickslip/studies/haptic_signals.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/locks.hpp"

namespace stickslip {
namespace {

TrialSetup setup_of(const std::string& device, const std::string& hand, int ticks_per_step,
                    RenderingMode mode = RenderingMode::resolved) {
  return {find_device_model(device), *find_hand_model(hand), mode, ticks_per_step,
          bench_gains(asked_stiffness(device))};
}

TEST(HighPass, PassesWhatIsAboveItsCornerAndHalvesThePowerThere) {
  for (const double hz : {2.0, 20.0, 200.0}) {
    HighPass filter(20.0, bench_tick);
    double squares = 0.0;
    for (int k = 0; k < 4000; ++k) {
      const double out = filter.add(5.0 + std::sin(2.0 * std::numbers::pi * hz * k * bench_tick));
      if (k >= 2000) squares += out * out;
    }
    const double amplitude = std::sqrt(2.0 * squares / 2000.0);
    // tan() bends the frequencies of a sampled filter
    const double w = std::tan(std::numbers::pi * hz * bench_tick) /
                     std::tan(std::numbers::pi * 20.0 * bench_tick);
    EXPECT_NEAR(amplitude, w * w / std::sqrt(1.0 + w * w * w * w), 1e-6) << hz;
  }
}

TEST(ForceSteps, CountWhatAnUpdateMakesAndNotWhatMotionMakes) {
  const CouplingGains gains = bench_gains(1000.0);
  ForceSteps steps;
  // a contact begins at an update and goes on; a later update jumps by 0.8 N
  for (int k = 0; k < 30; ++k) {
    TrialTick tick;
    tick.is_update = k % 10 == 0;
    tick.record.wrench[2] = (k >= 10 ? 0.5 * (k - 9) : 0.0) + (k >= 20 ? 0.8 : 0.0);
    if (k == 20) tick.record.update_step[2] = 0.8e-3;
    steps.add(tick, gains);
  }
  EXPECT_NEAR(steps.at_updates, 0.8, 1e-12);
  EXPECT_NEAR(steps.elsewhere, 0.0, 1e-12);
}

TEST(HapticsBench, EveryHandHoldsTheAskedStiffnessAtOneAndFiftyHertz) {
  for (const char* device : {"phantom", "large"}) {
    for (const HandModel& hand : known_hand_models()) {
      for (const int ticks_per_step : {1, 20}) {
        const HoldResult hold =
            tap_and_hold(setup_of(device, hand.name, ticks_per_step), HoldKind::still);
        EXPECT_TRUE(hold.is_stable) << device << " " << hand.name << " " << ticks_per_step
                                    << ": ripple " << hold.ripple << " N";
        EXPECT_NEAR(hold.force, bench_press, 0.4);
      }
    }
  }
}

TEST(HapticsBench, ALimitedDeviceHoldsTheGainsThatAreChosenForIt) {
  // with the 3 kN/m of the phantom the light hand swings by 3 N, since forces rise slowly
  for (const HandModel& hand : known_hand_models()) {
    if (hand.name == "none") continue;
    TrialSetup setup = setup_of("phantom", hand.name, 3);
    setup.device.limits.peak_force = 7.9;
    const Scene scene = make_tool_scene(3e-3, setup.gains);
    CouplingPlace place;
    place.device = setup.device.limits;
    place.held = held_mass(scene.bodies[1].body.frame(), {});
    place.dt = scene.simulation.dt;
    if (hand.name == "light") {
      EXPECT_GT(tap_and_hold(setup, HoldKind::swaying).ripple, 1.0);
    }
    setup.gains = choose_gains(coupling_limits(place), place);
    for (const HoldKind kind : {HoldKind::still, HoldKind::swaying}) {
      EXPECT_LT(tap_and_hold(setup, kind).ripple, 0.15) << hand.name;
    }
  }
}

TEST(HapticsBench, ATooStiffCouplingIsFoundOut) {
  TrialSetup setup = setup_of("phantom", "medium", 1);
  setup.gains = bench_gains(20e3);
  EXPECT_FALSE(tap_and_hold(setup, HoldKind::still).is_stable);
}

TEST(HapticsBench, FiftyHertzCostsUnderATenthOfThePhantomsStiffness) {
  const TrialSetup at_once = setup_of("phantom", "medium", 1);
  const TrialSetup seldom = setup_of("phantom", "medium", 20);
  const double stiffness = find_stable_stiffness(at_once, HoldKind::still);
  EXPECT_GT(stiffness, 3e3);
  EXPECT_GT(find_stable_stiffness(seldom, HoldKind::still), 0.9 * stiffness);
}

TEST(HapticsBench, UpdatesStepUnderHalfANewtonByTheTwoRateLoopAlone) {
  for (const char* device : {"phantom", "large"}) {
    for (const HandModel& hand : known_hand_models()) {
      for (const int ticks_per_step : {3, 20}) {
        const TrialSetup setup = setup_of(device, hand.name, ticks_per_step);
        EXPECT_LT(exercise(setup, false).steps.at_updates, 0.5)
            << device << " " << hand.name << " " << ticks_per_step;
      }
    }
  }
  const TrialSetup plain = setup_of("phantom", "medium", 20, RenderingMode::plain);
  EXPECT_GT(exercise(plain, false).steps.at_updates, 2.0);
}

TEST(HapticsBench, PressTiltAndFreeMotionAreTrueAtEveryRate) {
  for (const int ticks_per_step : {1, 3, 10, 20}) {
    const Fidelity fidelity = measure_fidelity(setup_of("ideal", "clamped", ticks_per_step));
    EXPECT_LT(std::abs(fidelity.drag), 1e-3);
    EXPECT_LT(fidelity.force_error, 1e-4);
    EXPECT_LT(fidelity.torque_error, 1e-3);
    EXPECT_EQ(fidelity.onset_ticks, 0);
  }
}

TEST(HapticsBench, TheRenderedSpringTurnsUnstableWhereTheEigenvaluesSay) {
  for (const char* device : {"ideal", "phantom", "large"}) {
    for (const char* hand : {"none", "light", "medium"}) {
      const SpringOracle oracle =
          compare_with_spring(find_device_model(device), *find_hand_model(hand));
      EXPECT_LT(oracle.difference(), 0.02) << device << " " << hand;
    }
  }
}

TEST(HapticsBench, RestlessHandsGetNoEnergyForNothing) {
  const EnduranceResult result = endure(setup_of("phantom", "medium", 3), 40.0, 7);
  EXPECT_GT(result.energy.least, -1e-3);
  EXPECT_LT(result.removed_power(), 1e-3);
  EXPECT_LT(result.energy.acting, 0.01);
  EXPECT_EQ(result.stopped_ticks, 0);
  EXPECT_EQ(result.steps.restored(), 0);
  // it did poke, stroke and snap
  EXPECT_GT(result.touching, 0.2);
  EXPECT_LT(result.steps.penetration_max(), 1e-4);
}

TEST(HapticsBench, AStallTakesNothingFromTheHand) {
  const ExerciseResult result = exercise(setup_of("phantom", "light", 3), true);
  EXPECT_LT(result.energy.removed, 1e-4);
}

TEST(HapticLoop, AllocatesAndLocksNothingWhateverTheNumberOfContacts) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "malloc is the sanitizer's";
  const TrialSetup trial = setup_of("large", "medium", 3);
  const Scene scene = make_blade_scene(3e-3, trial.gains);
  State state = initial_state(scene);
  StepData data(scene);
  HandSetup setup;
  setup.device = std::make_shared<SimulatedDevice>(
      trial.device,
      Operator{trial.hand, restless_operator(trial.hand, trial.gains.stiffness, 40.0, 1)});
  setup.starts_holding = true;
  HapticSession session(scene, state, data, {setup}, {});
  std::size_t allocations = 0;
  std::size_t locks = 0;
  int most_contacts = 0;
  for (int k = 0; k < 40'000; ++k) {
    const std::size_t before = testing_support::allocation_count();
    const std::size_t locks_before = testing_support::lock_count();
    session.loop().tick();
    allocations += testing_support::allocation_count() - before;
    locks += testing_support::lock_count() - locks_before;
    if (k % 3 != 0) continue;
    most_contacts = std::max(most_contacts, session.step_scene().contacts);
    session.publish();
  }
  EXPECT_EQ(allocations, 0U);
  EXPECT_EQ(locks, 0U);
  EXPECT_GT(most_contacts, 8);
}

TEST(LockCount, SeesALock) {
  if (!testing_support::counts_locks()) GTEST_SKIP() << "locks are the sanitizer's";
  const std::size_t before = testing_support::lock_count();
  std::mutex mutex;
  { const std::lock_guard guard(mutex); }
  EXPECT_EQ(testing_support::lock_count() - before, 1U);
}

}  // namespace
}  // namespace stickslip
