#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

TEST(BrickStack, TenBricksStandForAMinute) {
  SceneRun run("brick_stack", {"simulation.dt=0.02"});
  run.run(5.0);
  const State settled = run.state;
  double farthest = 0.0;
  for (int k = 0; k < 55; ++k) {
    run.run(1.0);
    for (std::size_t b = 0; b < settled.bodies.size(); ++b) {
      const Vec3& start = settled.bodies[b].frame.position;
      farthest = std::max(farthest, (run.state.bodies[b].frame.position - start).norm());
    }
  }
  EXPECT_LT(farthest, 1e-6);
  EXPECT_TRUE(run.summary.is_sound());
}

TEST(Grasp, TheBallDoesNotCreep) {
  SceneRun run("grasp", {"simulation.dt=0.01"});
  run.run(3.0);
  const Vec3 settled = run.frame("ball").position;
  EXPECT_GT(settled.z(), 0.06);
  run.run(60.0);
  EXPECT_LT((run.frame("ball").position - settled).norm() / 60.0, 1e-9);
  // what a solve leaves open the next ones take back: in the mean over a second it is carried
  Vec3 force = Vec3::Zero();
  for (int k = 0; k < 100; ++k) {
    run.run(0.01);
    force += run.force_on("ball") / 100.0;
  }
  EXPECT_LT((force + run.weight("ball")).norm(), 1e-6 * run.weight("ball").norm());
  EXPECT_TRUE(run.summary.is_sound());
}

TEST(Grasp, TheBallFallsWhereFrictionIsLessThanItsWeightNeeds) {
  SceneRun run("grasp", {"simulation.dt=0.01", "simulation.tolerance=1e-9"});
  run.run(3.0);
  const double held_at = run.frame("ball").position.z();
  // two fingers hold a weight of 2 mu N
  const auto threshold = [&] {
    return run.weight("ball").norm() / (2.0 * std::abs(run.force_on("ball", "right").y()));
  };
  // friction is lowered slowly, down to a tenth above the threshold
  for (double mu = 0.6; mu > 1.1 * threshold(); mu *= 0.98) {
    run.scene.friction.setConstant(mu);
    run.advance();
  }
  run.run(5.0);
  const double settled_at = run.frame("ball").position.z();
  EXPECT_NEAR(settled_at, held_at, 1e-3);
  run.run(10.0);
  EXPECT_LT(std::abs(run.frame("ball").position.z() - settled_at) / 10.0, 1e-9);

  // and to a tenth below it
  run.scene.friction.setConstant(0.9 * threshold());
  run.run(0.01);
  const double speed = run.frame("ball").velocity.z();
  run.run(0.06);
  const double acceleration = (run.frame("ball").velocity.z() - speed) / 0.06;
  EXPECT_NEAR(acceleration, -0.1 * 9.81, 0.005 * 9.81);
}

}  // namespace
}  // namespace stickslip
