// The time of a scene's deadline is that of all solves of a step together.

#include <gtest/gtest.h>

#include <limits>

#include "stickslip/simulation/state_numbers.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::tool_scene;

constexpr double for_ever = std::numeric_limits<double>::infinity();

/// Says that it took so long and finds no force, so that every round asks for another one. Notes
/// the time that it was given.
class SlowSolver : public Solver {
 public:
  SlowSolver(double seconds, std::vector<double>& given_s) : seconds_(seconds), given_s_(given_s) {}
  std::string_view name() const override { return "slow"; }

 private:
  SolveResult find_forces(const ContactProblem& /*problem*/, const SolverOptions& options,
                          VecView f) override {
    given_s_.push_back(1e-6 * options.deadline_us);
    f.setZero();
    return {SolveStatus::converged, 0.0, 1, seconds_, {}};
  }

  double seconds_;
  std::vector<double>& given_s_;
};

/// A cube that gravity pulls into a floor, by steps of up to six rounds.
struct SlowlySolved {
  SlowlySolved(double deadline_s, double height) : scene(tool_scene(3e-3, height, 0.5, 0)) {
    scene.simulation.gravity = {0.0, 0.0, -9.81};
    scene.simulation.passes = 6;
    scene.simulation.deadline_us = 1e6 * deadline_s;
    StepData data(scene);
    data.solver = std::make_unique<SlowSolver>(solve_s, given_s);
    State state = initial_state(scene);
    report = step(scene, state, data);
  }
  // longer than any pause of a busy machine
  static constexpr double solve_s = 1e4;
  Scene scene;
  std::vector<double> given_s;
  StepReport report;
};

TEST(Deadline, IsSharedByAllRoundsOfAStep) {
  const SlowlySolved free(for_ever, 0.0);
  EXPECT_GE(free.report.passes, 6);
  EXPECT_TRUE(free.report.met_deadline);

  const SlowlySolved limited(2.5e4, 0.0);
  EXPECT_EQ(limited.given_s, (std::vector<double>{2.5e4, 1.5e4}));
  EXPECT_EQ(limited.report.passes, 2);
  EXPECT_FALSE(limited.report.met_deadline);
  EXPECT_FALSE(limited.report.is_converged);
}

TEST(Deadline, LeavesATenthToOverlaps) {
  const SlowlySolved limited(2.5e4, -1e-4);
  ASSERT_EQ(limited.given_s.size(), 3U);
  EXPECT_NEAR(limited.given_s[0], 2.25e4, 1e-6);
  EXPECT_NEAR(limited.given_s[1], 1.25e4, 1e-6);
  // the last one lifts
  EXPECT_NEAR(limited.given_s[2], 0.5e4, 1e-6);
}

std::uint64_t hash_of(const State& state) {
  std::vector<double> numbers;
  write_numbers(state, numbers);
  return stickslip::hash_of(numbers);
}

TEST(Deadline, WhatIsTooFastForTheTimeLeftDoesNotGoThroughAndIsRepeatedBitByBit) {
  // three floors deep within a step
  Scene scene = tool_scene(3e-3, 0.02, 0.5, 0);
  scene.bodies[1].velocity = {0.3, 0.0, -20.0};
  scene.bodies[1].angular_velocity = {5.0, 3.0, 0.0};
  scene.simulation.passes = 6;

  State free = initial_state(scene);
  StepData free_data(scene);
  const StepReport solved = step(scene, free, free_data);
  EXPECT_GT(solved.passes, 2);

  // nothing fits
  scene.simulation.deadline_us = 1e-9;
  State state = initial_state(scene);
  StepData data(scene);
  StepReport report = step(scene, state, data);
  EXPECT_EQ(report.passes, 1);
  EXPECT_FALSE(report.met_deadline);
  EXPECT_TRUE(report.was_held_back);
  EXPECT_GT(state.bodies[1].frame.position.z(), 0.0);
  const std::vector<std::uint32_t> refused(data.clock_answers.refused().begin(),
                                           data.clock_answers.refused().end());
  EXPECT_FALSE(refused.empty());

  // a clock that has the time, and answers that had not
  scene.simulation.deadline_us = 1e12;
  State repeated = initial_state(scene);
  StepData repeated_data(scene);
  repeated_data.clock_answers.repeat(refused);
  report = step(scene, repeated, repeated_data);
  EXPECT_EQ(report.passes, 1);
  EXPECT_EQ(hash_of(repeated), hash_of(state));

  // and the other way round
  scene.simulation.deadline_us = 1e-9;
  State generous = initial_state(scene);
  StepData generous_data(scene);
  generous_data.clock_answers.repeat({});
  step(scene, generous, generous_data);
  EXPECT_EQ(hash_of(generous), hash_of(free));
}

}  // namespace
}  // namespace stickslip
