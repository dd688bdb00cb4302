#include "stickslip/simulation/run_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "stickslip/simulation/probe_readings.hpp"

namespace stickslip {
namespace {

TEST(TimeHistogram, QuantilesAreThoseOfTheSortedTimesToOnePercent) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> times(3.0, 1.5);
  TimeHistogram histogram;
  std::vector<double> all;
  for (int k = 0; k < 20'000; ++k) {
    all.push_back(times(random));
    histogram.add(all.back());
  }
  std::sort(all.begin(), all.end());
  EXPECT_NEAR(histogram.quantile(0.5) / all[9'999], 1.0, 0.01);
  EXPECT_NEAR(histogram.quantile(0.99) / all[19'799], 1.0, 0.01);
  EXPECT_EQ(histogram.max(), all.back());
  EXPECT_LE(histogram.quantile(1.0), histogram.max());
}

TEST(TimeHistogram, TakesAnyTime) {
  TimeHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0.0);
  for (const double us : {0.0, 1e-9, 1e12}) histogram.add(us);
  EXPECT_EQ(histogram.max(), 1e12);
  EXPECT_LT(histogram.quantile(0.3), 0.01);
  TimeHistogram one;
  one.add(5.0);
  EXPECT_NEAR(one.quantile(0.5), 5.0, 0.05);
  EXPECT_LE(one.quantile(0.99), 5.0);
}

/// Finds nothing.
class NoProximity : public ProximityMethod {
 public:
  void find(std::span<const PlacedSurface> /*bodies*/, double /*alarm_distance*/,
            std::vector<Proximity>& found) override {
    found.clear();
  }
};

/// A box of 2 kg in free fall that turns about z.
Scene falling_box() {
  Scene scene;
  const Surface box = extract_surface(make_box({1.0, 1.0, 1.0}, {1, 1, 1}, ElementType::tet4));
  SceneBody body{.name = "box", .body = make_rigid_body(box, mass_properties(box, 2.0))};
  body.position = {0.0, 0.0, 10.0};
  body.velocity = {1.0, 0.0, 0.0};
  body.angular_velocity = {0.0, 0.0, 3.0};
  scene.bodies.push_back(std::move(body));
  scene.friction = MatX::Zero(1, 1);
  scene.probes.push_back({.name = "centre", .body = 0});
  scene.probes.push_back(
      {.name = "corner", .body = 0, .is_on_surface = true, .point = {{0, 0, 0}, {1.0, 0.0, 0.0}}});
  scene.make_proximity = [](const Scene&) { return std::make_unique<NoProximity>(); };
  return scene;
}

TEST(RunSummary, StartsFromTheEnergyOfTheScene) {
  const Scene scene = falling_box();
  const State state = initial_state(scene);
  const StepData data(scene);
  const RunSummary summary(scene, state, data);
  const double turning = 0.5 * (2.0 / 6.0) * 9.0;
  EXPECT_NEAR(summary.energy().initial, 2.0 * 9.81 * 10.5 + 0.5 * 2.0 + turning, 1e-9);
  EXPECT_EQ(summary.energy().final, summary.energy().initial);
  EXPECT_EQ(summary.contacts().mean, 0.0);
  EXPECT_TRUE(summary.is_sound());
}

TEST(RunSummary, AddsUpWhatTheStepsReport) {
  const Scene scene = falling_box();
  RunSummary summary(scene, initial_state(scene), StepData(scene));
  const double start = summary.energy().initial;
  StepReport report;
  report.contacts = 4;
  report.iterations = 10;
  report.error = 1e-8;
  report.penetration_m = 1e-6;
  report.energy = {.total = start + 3.0, .work_in = 2.5, .friction = 0.0};
  report.phase_us.fill(10.0);
  summary.add(report);
  EXPECT_NEAR(summary.energy().largest_unexplained_gain, 0.5, 1e-12);
  report.contacts = 8;
  report.iterations = 2;
  report.energy = {.total = start + 1.0, .work_in = 0.0, .friction = 2.75};
  report.penetration_m = 0.0;
  summary.add(report);
  EXPECT_EQ(summary.steps(), 2);
  EXPECT_EQ(summary.contacts().mean, 6.0);
  EXPECT_EQ(summary.contacts().max, 8);
  EXPECT_EQ(summary.iterations().mean, 6.0);
  EXPECT_EQ(summary.iterations().max, 10);
  EXPECT_EQ(summary.error_max(), 1e-8);
  EXPECT_EQ(summary.penetration_max(), 1e-6);
  EXPECT_NEAR(summary.energy().final, start + 1.0, 1e-12);
  EXPECT_EQ(summary.energy().work_in, 2.5);
  EXPECT_EQ(summary.energy().friction, 2.75);
  // 2 J less although friction took 2.75 J: the rest came from nowhere
  EXPECT_NEAR(summary.energy().largest_unexplained_gain, 0.75, 1e-12);
  EXPECT_NEAR(summary.phase(Phase::solve).quantile(0.5), 10.0, 0.1);
  EXPECT_TRUE(summary.is_sound());
}

TEST(RunSummary, TellsTroubleApart) {
  const Scene scene = falling_box();
  RunSummary summary(scene, initial_state(scene), StepData(scene));
  StepReport late;
  late.energy.total = summary.energy().initial;
  late.is_converged = false;
  late.met_deadline = false;
  summary.add(late);
  EXPECT_TRUE(summary.is_sound());
  StepReport stuck;
  stuck.energy.total = summary.energy().initial;
  stuck.is_converged = false;
  summary.add(stuck);
  EXPECT_FALSE(summary.is_sound());
  EXPECT_EQ(summary.not_converged(), 2);
  EXPECT_EQ(summary.missed_deadline(), 1);
  EXPECT_EQ(summary.restored(), 0);
}

TEST(RunSummary, RestoredStepsAreNoGainOfEnergy) {
  const Scene scene = falling_box();
  RunSummary summary(scene, initial_state(scene), StepData(scene));
  const double start = summary.energy().initial;
  StepReport restored;
  restored.was_restored = true;
  summary.add(restored);
  StepReport after;
  after.energy.total = start + 100.0;
  summary.add(after);
  after.energy.total = start + 101.0;
  summary.add(after);
  EXPECT_NEAR(summary.energy().largest_unexplained_gain, 1.0, 1e-12);
  EXPECT_EQ(summary.restored(), 1);
  EXPECT_FALSE(summary.is_sound());
}

TEST(ProbeReadings, FollowTheirPoints) {
  const Scene scene = falling_box();
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ProbeReading> readings = initial_readings(scene, state);
  // the corner is at (0, 0, 10): half a diagonal from the axis
  EXPECT_NEAR((readings[1].position - Vec3(0.0, 0.0, 10.0)).norm(), 0.0, 1e-12);
  EXPECT_NEAR((readings[1].velocity - Vec3(1.0 + 1.5, -1.5, 0.0)).norm(), 0.0, 1e-12);
  const Vec3 before = readings[1].position;
  for (int k = 0; k < 100; ++k) {
    step(scene, state, data);
    update_readings(scene, state, data, readings);
  }
  EXPECT_EQ(readings[0].position, state.bodies[0].frame.position);
  EXPECT_NEAR(readings[0].velocity.z(), -0.981, 1e-9);
  EXPECT_NEAR((readings[1].position - readings[0].position).norm(), std::sqrt(0.75), 1e-9);
  EXPECT_NEAR((readings[1].velocity - readings[0].velocity).norm(), 3.0 * std::sqrt(0.5), 1e-4);
  EXPECT_GT((readings[1].position - before).norm(), 0.1);
  EXPECT_EQ(readings[0].force, Vec3(Vec3::Zero()));
}

}  // namespace
}  // namespace stickslip
