#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/simulation/contact_report.hpp"
#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

// of scenes/hertz.toml and its mesh
constexpr double young = 1e6;
constexpr double poisson = 0.3;
constexpr double radius = 20e-3;
constexpr double depth = 60e-3;
constexpr double element_size = 0.4e-3;

double hertz_force(double d) {
  return 4.0 / 3.0 * young / (1.0 - poisson * poisson) * std::sqrt(radius) * std::pow(d, 1.5);
}

/// The approach on a half-space that has the force of this one on a block of finite depth.
double half_space_approach(double d) {
  const double share =
      (1.0 + poisson) * (3.0 - 2.0 * poisson) / (2.0 * std::numbers::pi * young * depth);
  double approach = d;
  for (int k = 0; k < 50; ++k) approach = d + hertz_force(approach) * share;
  return approach;
}

TEST(Hertz, ForceAndRadiusGrowAsHertzSays) {
  SceneRun run("hertz", {"body.block.cache=false"});
  struct Reading {
    double approach, force;
  };
  std::vector<Reading> readings;
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(run.advance().is_converged);
    const double d = 5e-6 * k;
    // below half the way the circle of contact is less than four nodes wide
    if (k < 5) continue;
    const double approach = half_space_approach(d);
    const double force = run.force_on("cap").z();
    EXPECT_NEAR(force, hertz_force(approach), 0.02 * hertz_force(approach)) << d;
    double reach = 0.0;
    for (const ContactReport& contact : run.contacts()) {
      if (contact.force.norm() > 0.0) reach = std::max(reach, contact.P.head<2>().norm());
    }
    EXPECT_NEAR(reach, std::sqrt(radius * approach), 0.5 * element_size) << d;
    readings.push_back({approach, force});
  }
  const double exponent = std::log(readings.back().force / readings.front().force) /
                          std::log(readings.back().approach / readings.front().approach);
  EXPECT_NEAR(exponent, 1.5, 0.03);
}

}  // namespace
}  // namespace stickslip
