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

TEST(Facets, ABallOnManyFlatFacesOverlapsNone) {
  SceneRun run("../tests/scenes/sliding_ball");
  run.run(1.0);
  EXPECT_TRUE(run.summary.is_sound());
  EXPECT_LT(run.summary.penetration_max(), 1e-7);
  EXPECT_LT(run.summary.energy().largest_unexplained_gain, 1e-7);
}

}  // namespace
}  // namespace stickslip
