#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/scene_runner.hpp"
#include "tests/scenes/scene_run.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

/// Where an elastica that is clamped at the origin along x ends under a force on its end, by its
/// stiffness EI: its angle, and its place in the plane of the force. Found by shooting.
struct Elastica {
  double angle = 0.0;
  double x = 0.0;
  double z = 0.0;
};

Elastica bent(double length, double stiffness, double force_x, double force_z) {
  // EI angle'' = force_x sin(angle) - force_z cos(angle), and no moment at the end
  const auto shoot = [&](double bend) {
    std::array<double, 4> y = {0.0, bend, 0.0, 0.0};  // angle, angle', x, z
    const auto slope = [&](const std::array<double, 4>& at) {
      return std::array<double, 4>{
          at[1], (force_x * std::sin(at[0]) - force_z * std::cos(at[0])) / stiffness,
          std::cos(at[0]), std::sin(at[0])};
    };
    constexpr int steps = 400;
    const double h = length / steps;
    for (int k = 0; k < steps; ++k) {
      const auto moved = [&](const std::array<double, 4>& by, double way) {
        std::array<double, 4> to = y;
        for (std::size_t i = 0; i < 4; ++i) to[i] += way * by[i];
        return to;
      };
      const auto a = slope(y);
      const auto b = slope(moved(a, 0.5 * h));
      const auto c = slope(moved(b, 0.5 * h));
      const auto d = slope(moved(c, h));
      for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
    }
    return y;
  };
  // the moment at the end grows with that at the clamp, as long as the rod does not coil up
  double low = -3.0 / length;
  double high = 3.0 / length;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (shoot(middle)[1] > 0.0 ? high : low) = middle;
  }
  const auto end = shoot(0.5 * (low + high));
  return {end[0], end[2], end[3]};
}

TEST(Strip, IsBentFarAsTheElasticaUnderTheForceOfTheRod) {
  SceneRun run("strip");
  constexpr double height = 0.003;
  const double stiffness = 4e6 * std::pow(height, 4) / 12.0;
  double furthest = 0.0;
  for (int k = 1; k <= 3; ++k) {
    run.run(0.4);
    ASSERT_TRUE(run.summary.is_sound());
    // where the rod rests: its force, and the place of the middle line that it acts on
    EXPECT_LT(run.data.report.imbalance_N, 1e-6 * run.force_on("rod").norm());
    const Vec3 force = -run.force_on("rod");
    const Vec3 across = -force.normalized();
    Vec3 place = Vec3::Zero();
    for (const ContactReport& contact : run.contacts()) {
      const bool is_first = contact.body_1 == run.body("strip");
      place += contact.force.norm() / force.norm() * (is_first ? contact.P : contact.Q);
    }
    const Vec3 middle = place - 0.5 * height * across + Vec3(0, 0, 0.5 * height);
    // the elastica of that force which ends as far from the clamp
    double low = 0.02;
    double high = 0.06;
    for (int i = 0; i < 50; ++i) {
      const double length = 0.5 * (low + high);
      const Elastica end = bent(length, stiffness, force.x(), force.z());
      (std::hypot(end.x, end.z) > middle.norm() ? high : low) = length;
    }
    const Elastica end = bent(low, stiffness, force.x(), force.z());
    EXPECT_NEAR(end.x, middle.x(), 0.02 * middle.norm()) << k;
    EXPECT_NEAR(end.z, middle.z(), 0.02 * middle.norm()) << k;
    // without friction it ends square to the force
    EXPECT_NEAR(end.angle, std::atan2(-across.x(), across.z()), 0.04) << k;
    furthest = std::max(furthest, -end.angle);
  }
  EXPECT_GT(furthest, 60.0 * std::numbers::pi / 180.0);
}

/// A block of gel between its base and a plate without friction.
std::string pressed_block(const std::string& kind) {
  return R"([simulation]
dt = 0.01
gravity = [0, 0, 0]
[material.gel]
young = 1e5
poisson = 0.4
density = 1000
[[body]]
name = "block"
kind = ")" +
         kind + R"("
shape = "box"
size = [0.04, 0.04, 0.04]
cells = [3, 3, 3]
element = "tet10"
material = "gel"
held = ["z0"]
contact_regions = ["z1"]
[[body]]
name = "plate"
kind = "fixed"
shape = "box"
size = [0.1, 0.1, 0.01]
position = [0, 0, 0.04]
[[drive]]
body = "plate"
kind = "motion"
table = [[0, 0, 0, 0], [0.3, 0, 0, -0.012], [0.4, 0, 0, -0.012], [0.7, 0, 0, 0.001]]
)";
}

TEST(NonlinearBlock, PressedByAThirdGivesBackNoMoreThanWasPutIn) {
  const TestFolder folder;
  const Scene scene = read_scene(folder.write("press.toml", pressed_block("nonlinear")));
  State state = initial_state(scene);
  StepData data(scene);
  double stored = 0.0;
  double work_in = 0.0;
  double largest_gain = 0.0;
  for (int k = 1; k <= 72; ++k) {
    const StepReport report = step(scene, state, data);
    ASSERT_TRUE(report.is_converged) << k;
    // plane on plane: what contacts leave open are roundings
    const double gain = report.energy.total - stored - report.energy.work_in;
    largest_gain = std::max(largest_gain, gain);
    stored = report.energy.total;
    work_in += std::abs(report.energy.work_in);
    if (k == 40) {
      const double force = data.body_steps[1].contact_wrench[2];
      EXPECT_LT(report.imbalance_N, 1e-5 * force);
      // the law of an incompressible block that slides on both sides, G (1/l - l^2)/l: this one is
      // glued below, and gives way in volume
      const double free = 1e5 / 2.8 * (1.0 / 0.7 - 0.49) / 0.7 * 0.04 * 0.04;
      EXPECT_NEAR(force, free, 0.1 * free);
    }
  }
  EXPECT_LT(largest_gain, 1e-6 * work_in);
  // nothing touches it any more, and it is as it was
  EXPECT_LT(stored, 1e-9 * work_in);
}

// scenes/hertz.toml with a nonlinear block
TEST(NonlinearHertz, ForceIsThatOfHertzAtSmallDepth) {
  constexpr double young = 1e6;
  constexpr double poisson = 0.3;
  constexpr double radius = 20e-3;
  constexpr double depth = 60e-3;
  const auto hertz_force = [](double d) {
    return 4.0 / 3.0 * young / (1.0 - poisson * poisson) * std::sqrt(radius) * std::pow(d, 1.5);
  };
  // two steps to the depth at which the circle of contact is six nodes wide
  SceneRun run("hertz", {"body.block.kind=nonlinear", "simulation.dt=0.05",
                         "simulation.contact_budget=200"});
  run.run(0.1);
  EXPECT_TRUE(run.summary.is_sound());
  // what the finite depth of the block gives way by besides
  const double share =
      (1.0 + poisson) * (3.0 - 2.0 * poisson) / (2.0 * std::numbers::pi * young * depth);
  double approach = 50e-6;
  for (int i = 0; i < 50; ++i) approach = 50e-6 + hertz_force(approach) * share;
  EXPECT_NEAR(run.force_on("cap").z(), hertz_force(approach), 0.05 * hertz_force(approach));
}

TEST(NonlinearPoke, AHandFeelsWhatTheContactsOfItsStepsSay) {
  Scene scene = read_scene(testing_support::shelf / "poke.toml", {"body.block.kind=nonlinear"});
  State state = initial_state(scene);
  StepData data(scene);
  constexpr double tick = 1e-3;
  LoopOptions options;
  options.tick = tick;
  const std::vector<ReadyHand> hands = prepare_hands(scene, tick, options.rendering.mode);
  SceneRunner runner(scene, state, data, {hands.front().setup}, options);
  Vec3 felt = Vec3::Zero();
  double jump = 0.0;
  double largest = 0.0;
  RunEvents events;
  events.after_tick = [&](std::span<const TickRecord> records, const TickTimes&) {
    const Vec3 force = records[0].wrench.head<3>();
    jump = std::max(jump, (force - felt).norm());
    largest = std::max(largest, force.norm());
    felt = force;
  };
  while (state.time_s < 1.5) ASSERT_TRUE(runner.step(events).is_converged) << state.time_s;
  // the ball rests in the block
  const Vec3 contact = data.body_steps[1].contact_wrench.head<3>();
  EXPECT_GT(contact.norm(), 0.3);
  EXPECT_NEAR(felt.norm(), contact.norm(), 0.05 * contact.norm());
  EXPECT_LT(jump, 0.1 * largest);
}

}  // namespace
}  // namespace stickslip
