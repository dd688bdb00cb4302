#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

constexpr double angle = 20.0 / 180.0 * std::numbers::pi;
constexpr double g = 9.81;

class Incline : public testing::TestWithParam<const char*> {
 protected:
  static std::vector<std::string> overrides(double mu) {
    return {fmt::format("body.block.kind=\"{}\"", GetParam()),
            fmt::format("contact.friction={:.17g}", mu), "simulation.dt=0.01",
            "simulation.tolerance=1e-9"};
  }
};

TEST_P(Incline, SticksBelowTheFrictionAngle) {
  SceneRun run("incline", overrides(std::tan(angle) * (1.0 + 1e-4)));
  run.run(10.0);
  const Vec3 start = run.frame("block").position;
  run.run(60.0);
  EXPECT_LT((run.frame("block").position - start).norm() / 60.0, 1e-9);
}

TEST_P(Incline, SlidesAboveTheFrictionAngle) {
  SceneRun run("incline", overrides(std::tan(angle) * (1.0 - 1e-4)));
  run.run(2.0);
  const Vec3 start = run.frame("block").velocity;
  run.run(2.0);
  const double expected = g * std::sin(angle) * 1e-4;
  EXPECT_NEAR((run.frame("block").velocity - start).norm() / 2.0, expected, 1e-3 * expected);
}

TEST_P(Incline, AcceleratesAsCoulombSaysInEveryAzimuth) {
  constexpr double mu = 0.2;
  const double expected = g * (std::sin(angle) - mu * std::cos(angle));
  const Vec3 normal(std::sin(angle), 0.0, std::cos(angle));
  const Vec3 downhill(std::cos(angle), 0.0, -std::sin(angle));
  for (int k = 0; k < 8; ++k) {
    // the slope stays where it is, and what is down turns around its normal
    const Eigen::AngleAxisd turn(0.1 + k * std::numbers::pi / 4.0, normal);
    std::vector<std::string> larger = overrides(mu);
    larger.emplace_back("body.slope.size=[8, 8]");
    SceneRun run("incline", larger);
    run.scene.simulation.gravity = turn * run.scene.simulation.gravity;
    run.run(1.0);
    const Vec3 start = run.frame("block").velocity;
    run.run(1.0);
    const Vec3 acceleration = run.frame("block").velocity - start;
    EXPECT_LT((acceleration - expected * (turn * downhill)).norm(), 1e-6 * expected) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenes, Incline, testing::Values("rigid", "quasi-rigid", "corotational"),
                         [](const auto& info) {
                           const std::string kind = info.param;
                           return kind == "quasi-rigid" ? std::string("quasi_rigid") : kind;
                         });

}  // namespace
}  // namespace stickslip
