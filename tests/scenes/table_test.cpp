#include <gtest/gtest.h>

#include <cmath>

#include "stickslip/simulation/probe_readings.hpp"
#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

struct Settled {
  double sunk = 0.0;    ///< middle of the top [m]
  double foot_x = 0.0;  ///< outward [m]
  double foot_y = 0.0;
};

Settled settle(const std::string& scene, double mu) {
  SceneRun run(scene, {"contact.friction=" + std::to_string(mu), "body.table.cache=false"});
  std::vector<ProbeReading> probes = initial_readings(run.scene, run.state);
  const std::vector<ProbeReading> start = probes;
  run.run(1.0);
  update_readings(run.scene, run.state, run.data, probes);
  // the probes are the top and a foot
  const Vec3 top = probes[0].position - start[0].position;
  const Vec3 foot = probes[1].position - start[1].position;
  return {-top.z(), foot.x(), foot.y()};
}

TEST(Table, FeetStayWhereFrictionIsHighAndSlideApartWhereItIsLow) {
  const Settled rough = settle("table", 0.6);
  const Settled slippery = settle("table", 0.05);
  EXPECT_LT(std::hypot(rough.foot_x, rough.foot_y), 2e-4);
  EXPECT_NEAR(slippery.foot_x, 14.9e-3, 0.5e-3);
  EXPECT_NEAR(slippery.foot_y, 4.0e-3, 0.5e-3);
  EXPECT_NEAR(rough.sunk, 11.6e-3, 0.5e-3);
  EXPECT_NEAR(slippery.sunk, 17.5e-3, 0.5e-3);
}

TEST(Table, BarsKeepTheFeetTheyJoinTogether) {
  const Settled rough = settle("table_reinforced", 0.6);
  const Settled slippery = settle("table_reinforced", 0.05);
  EXPECT_LT(std::hypot(rough.foot_x, rough.foot_y), 2e-4);
  // the bars run along x
  EXPECT_LT(std::abs(slippery.foot_x), 5e-4);
  EXPECT_GT(slippery.foot_y, 3e-3);
}

}  // namespace
}  // namespace stickslip
