#include <gtest/gtest.h>

#include <cmath>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

struct Rubbing {
  double friction = 0.0;  ///< mean of tangential over normal force
  double jitter = 0.0;    ///< its standard deviation
};

/// A pad on a pipe of 24 facets, while two of them pass under it.
Rubbing rub(bool interpolates_normals) {
  SceneRun run("../tests/scenes/turning_pipe",
               {interpolates_normals ? "simulation.interpolate_normals=true"
                                     : "simulation.interpolate_normals=false"});
  run.run(2.5);
  double sum = 0.0;
  double sum_of_squares = 0.0;
  constexpr int count = 576;
  for (int k = 0; k < count; ++k) {
    run.advance();
    const Vec3 force = run.force_on("pad");
    const double ratio = force.x() / force.z();
    sum += ratio;
    sum_of_squares += ratio * ratio;
  }
  EXPECT_TRUE(run.summary.is_sound());
  const double mean = sum / count;
  return {mean, std::sqrt(sum_of_squares / count - mean * mean)};
}

TEST(Facets, InterpolatedNormalsMakeFrictionSteadier) {
  const Rubbing facets = rub(false);
  const Rubbing smooth = rub(true);
  EXPECT_GT(facets.jitter, 0.05);
  EXPECT_LT(smooth.jitter, 0.6 * facets.jitter);
  EXPECT_NEAR(smooth.friction, 0.3, 0.03);
}

TEST(Facets, InterpolatedNormalsMakeNoEnergyOnSoftBalls) {
  for (const char* scene : {"../tests/scenes/soft_balls", "../tests/scenes/hard_and_soft_ball"}) {
    for (const char* friction : {"contact.friction=0.5", "contact.friction=0.1"}) {
      SceneRun run(scene, {friction});
      run.run(1.0);
      const RunSummary::Energy& energy = run.summary.energy();
      const auto which = testing::Message() << scene << ", " << friction;
      EXPECT_TRUE(run.summary.is_sound()) << which;
      EXPECT_LT(run.summary.penetration_max(), 1e-5) << which;
      EXPECT_LT(energy.largest_unexplained_gain, 1e-4 * energy.work_in) << which;
      EXPECT_GT(energy.friction, 0.0) << which;
      EXPECT_NEAR(energy.final + energy.friction, energy.work_in, 0.02 * energy.work_in) << which;
      EXPECT_LT(run.force_on("low").z(), -3.0) << which;
    }
  }
}

TEST(Facets, ABallSlidesOverManyFlatOnesAsOverOne) {
  SceneRun run("../tests/scenes/sliding_ball");
  run.run(1.0);
  EXPECT_LT((run.frame("ball").velocity - Vec3(0.1, 0.0, 0.0)).norm(), 1e-6);
  EXPECT_TRUE(run.summary.is_sound());
  EXPECT_LT(run.summary.penetration_max(), 1e-7);
  EXPECT_LT(run.summary.energy().largest_unexplained_gain, 1e-7);
}

}  // namespace
}  // namespace stickslip
