#include "stickslip/studies/comparison.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

const ComparedMethod& named(const std::vector<ComparedMethod>& methods, std::string_view name) {
  return *std::find_if(methods.begin(), methods.end(),
                       [&](const ComparedMethod& method) { return method.name == name; });
}

std::vector<ComparedMethod> compare_at(double time, int steps) {
  SceneRun run("press_and_slide");
  run.run(time);
  return compare_methods(run.scene, freeze(run.state, run.data), {.steps = steps, .repeats = 1});
}

TEST(Comparison, ExactMethodTakesTheNextStepOfTheRun) {
  SceneRun run("press_and_slide");
  run.run(0.3);
  const Moment moment = freeze(run.state, run.data);
  const std::vector<ComparedMethod> methods = compare_methods(run.scene, moment, {.repeats = 2});
  EXPECT_EQ(moment.state.time_s, run.state.time_s);

  const double energy = run.data.report.energy.total;
  const StepReport report = run.advance();
  const ComparedMethod& exact = methods.front();
  EXPECT_EQ(exact.name, "exact");
  EXPECT_TRUE(exact.is_converged);
  EXPECT_EQ(exact.contacts, report.contacts);
  EXPECT_EQ(exact.difference_percent, 0.0);
  EXPECT_NEAR(exact.normal_force_N, run.force_on("pad").z(), 1e-6);
  EXPECT_NEAR(exact.friction_force_N, run.force_on("pad").head<2>().norm(), 1e-6);
  EXPECT_NEAR(exact.energy_gain_J,
              report.energy.total - energy - report.energy.work_in + report.energy.friction, 1e-9);
  EXPECT_GT(exact.solve_us, 0.0);
  EXPECT_GT(exact.total_us, exact.solve_us);
}

TEST(Comparison, SlipTellsTheMethodsApart) {
  const std::vector<ComparedMethod> methods = compare_at(0.3, 1);
  ASSERT_EQ(methods.size(), 9u);
  EXPECT_LT(named(methods, "gauss-seidel").difference_percent, 1e-4);
  EXPECT_LT(named(methods, "exact").slip_angle_deg, 1e-3);
  EXPECT_LT(named(methods, "exact").error, 1e-8);

  // more sides, less wrong
  const ComparedMethod& four = named(methods, "pyramid-4");
  const ComparedMethod& eight = named(methods, "pyramid-8");
  const ComparedMethod& sixteen = named(methods, "pyramid-16");
  EXPECT_GT(four.difference_percent, 1.5 * eight.difference_percent);
  EXPECT_GT(eight.difference_percent, 1.5 * sixteen.difference_percent);
  EXPECT_GT(sixteen.difference_percent, 2.0);
  EXPECT_GT(four.slip_angle_deg, eight.slip_angle_deg);
  EXPECT_GT(eight.slip_angle_deg, sixteen.slip_angle_deg);
  EXPECT_GT(four.error, 1e-2);

  // no friction: sqrt(mu^2 / (1 + mu^2)) of the force is missing
  EXPECT_EQ(named(methods, "imposed-motion").friction_force_N, 0.0);
  EXPECT_NEAR(named(methods, "imposed-motion").difference_percent, 44.7, 5.0);
  EXPECT_LT(named(methods, "penalty-implicit").difference_percent, 3.0);
  EXPECT_GT(named(methods, "penalty-implicit").penetration_m, 1e-7);
}

TEST(Comparison, StickTellsTheMethodsApart) {
  const std::vector<ComparedMethod> methods = compare_at(0.6, 20);
  EXPECT_LT(named(methods, "exact").stick_drift_m, 1e-12);
  EXPECT_LT(named(methods, "gauss-seidel").stick_drift_m, 1e-12);
  EXPECT_GT(named(methods, "explicit-friction").stick_drift_m, 1e-5);
  EXPECT_GT(named(methods, "imposed-motion").stick_drift_m, 1e-5);
  EXPECT_LT(named(methods, "penalty-implicit").stick_drift_m, 1e-9);
  EXPECT_GT(named(methods, "penalty-explicit").penetration_m, 1e-3);
  EXPECT_LT(named(methods, "exact").penetration_m, 1e-9);
}

// pyramids of 16 sides over the 138 contacts of the stack are half a minute's work
TEST(Comparison, MethodsAreStoppedAtTheirLimit) {
  SceneRun run("brick_stack");
  run.run(0.02);
  ComparisonOptions options;
  options.repeats = 1;
  options.limit_s = 0.05;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<ComparedMethod> methods =
      compare_methods(run.scene, freeze(run.state, run.data), options);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  ASSERT_EQ(methods.size(), compared_methods);
  const ComparedMethod& pyramid = named(methods, "pyramid-16");
  EXPECT_FALSE(pyramid.is_in_time);
  EXPECT_FALSE(pyramid.is_converged);
  EXPECT_LT(pyramid.iterations, 100);
  EXPECT_TRUE(named(methods, "exact").is_converged);
}

TEST(Comparison, EndsWhenNobodyWaits) {
  SceneRun run("brick_stack");
  run.run(0.02);
  std::atomic<bool> ends = false;
  ComparisonOptions options;
  options.limit_s = 1e6;
  options.ends = &ends;
  std::size_t done = 0;
  std::thread impatient;
  options.progress = [&](const std::vector<ComparedMethod>& methods, std::string_view next) {
    EXPECT_EQ(methods.size(), done++);
    if (next != "pyramid-16") return;
    impatient = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      ends = true;
    });
  };
  const std::vector<ComparedMethod> methods =
      compare_methods(run.scene, freeze(run.state, run.data), options);
  impatient.join();
  EXPECT_EQ(methods.size(), 4U) << "the one at work is given up";
}

TEST(Comparison, AFrameOfAnotherMethodIsTakenAsItIs) {
  SceneRun run("press_and_slide", {"simulation.contact_method=penalty-explicit"});
  run.run(0.19);
  const std::vector<ComparedMethod> methods =
      compare_methods(run.scene, freeze(run.state, run.data), {.repeats = 1});
  EXPECT_NEAR(named(methods, "penalty-explicit").normal_force_N, 10.0, 0.01);
  EXPECT_TRUE(methods.front().is_converged);
}

}  // namespace
}  // namespace stickslip
