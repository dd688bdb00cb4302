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

}  // namespace
}  // namespace stickslip
