#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "stickslip/simulation/contact_report.hpp"
#include "tests/scenes/scene_run.hpp"
#include "tests/support/test_folder.hpp"

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

TEST(Hertz, SphereItselfPressesAsHertzSays) {
  // the scene with a sphere in place of the paraboloid's triangles
  std::ifstream file(testing_support::shelf / "hertz.toml");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto replace = [&](const std::string& old, const std::string& with) {
    const auto found = text.find(old);
    ASSERT_NE(found, std::string::npos) << old;
    text.replace(found, old.size(), with);
  };
  replace("mesh = \"models/cap.obj\"",
          "shape = \"sphere\"\nradius = 0.02\nposition = [0, 0, 0.02]");
  replace("models/hertz_block", (testing_support::shelf / "models/hertz_block").string());
  const TestFolder folder;
  const Scene scene = read_scene(folder.write("hertz.toml", text), {"body.block.cache=false"});
  State state = initial_state(scene);
  StepData data(scene);
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(step(scene, state, data).is_converged);
    if (k < 5) continue;
    const double law = hertz_force(half_space_approach(5e-6 * k));
    EXPECT_NEAR(data.body_steps[1].contact_wrench[2], law, 0.02 * law) << k;
  }
}

}  // namespace
}  // namespace stickslip
