#include <gtest/gtest.h>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

TEST(StochasticScene, MissedContactsAreRestoredAndEnergyDoesNotGrow) {
  SceneRun run("incline", {"simulation.proximity=\"stochastic\"", "simulation.proximity_samples=1",
                           "simulation.proximity_distances=4"});
  const double before = run.summary.energy().initial;
  double deepest = 0.0;
  double highest = before;
  StepReport report;
  while (run.state.time_s < 1.0) {
    report = run.advance();
    deepest = std::max(deepest, report.penetration_m);
    highest = std::max(highest, report.energy.total);
    ASSERT_FALSE(report.was_restored);
  }
  EXPECT_LT(deepest, run.scene.simulation.alarm_distance);
  EXPECT_LT(report.penetration_m, 0.02 * run.scene.simulation.alarm_distance);
  // lifting what was missed costs its weight, and nothing else
  const double weight = run.scene.bodies[uz(run.body("block"))].body.frame().mass() * 9.81;
  EXPECT_LT(highest - before, weight * run.scene.simulation.alarm_distance);
}

TEST(StochasticScene, ExactShapesRollAsByAllDistances) {
  // no starts at all, and few distances
  SceneRun stochastic("rolling",
                      {"simulation.proximity=\"stochastic\"", "simulation.proximity_samples=0",
                       "simulation.proximity_distances=10"});
  SceneRun exact("rolling");
  for (int k = 0; k < 200; ++k) {
    stochastic.advance();
    exact.advance();
  }
  for (std::size_t b = 0; b < exact.state.bodies.size(); ++b) {
    const FrameState& frame = exact.state.bodies[b].frame;
    EXPECT_LT((stochastic.state.bodies[b].frame.position - frame.position).norm(), 1e-9) << b;
    EXPECT_LT((stochastic.state.bodies[b].frame.velocity - frame.velocity).norm(), 1e-7) << b;
  }
}

}  // namespace
}  // namespace stickslip
