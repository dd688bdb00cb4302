#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/studies/haptic_trial.hpp"
#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

double imbalance(const SceneRun& run, const std::string& body) {
  return RelinearisedDeformation::imbalance_N(*run.data.body_steps[uz(run.body(body))].deformation);
}

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
  double gain = 0.0;
  for (int k = 1; k <= 120; ++k) {
    ASSERT_TRUE(run.advance().is_converged) << k;
    gain = run.summary.energy().largest_unexplained_gain;
    if (k % 20 != 0 || k < 40) continue;

    // the force of the rod, and the place of the middle line that it acts on
    const Vec3 force = -run.force_on("rod");
    Vec3 place = Vec3::Zero();
    for (const ContactReport& contact : run.contacts()) {
      const bool is_first = contact.body_1 == run.body("strip");
      place += contact.force.norm() / force.norm() * (is_first ? contact.P : contact.Q);
    }
    const Vec3 across = -force.normalized();
    const Vec3 middle = place - 0.5 * height * across - Vec3(0, 0, -0.5 * height);
    // its length is that at which the elastica stands square to the force, for want of friction
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
    EXPECT_NEAR(end.angle, std::atan2(-across.x(), across.z()), 0.05) << k;
    furthest = std::max(furthest, -end.angle);
  }
  EXPECT_GT(furthest, 50.0 * std::numbers::pi / 180.0);
  // the rod rests at the end
  EXPECT_LT(imbalance(run, "strip"), 1e-6 * run.force_on("rod").norm());
  EXPECT_LT(gain, 1e-6 * run.summary.energy().work_in);
  EXPECT_LT(run.summary.penetration_max(), 5e-4);
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
  SceneRun run("hertz", {"body.block.kind=nonlinear"});
  for (int k = 1; k <= 10; ++k) {
    ASSERT_TRUE(run.advance().is_converged);
    if (k < 5) continue;
    // what the finite depth of the block gives way by besides
    const double share =
        (1.0 + poisson) * (3.0 - 2.0 * poisson) / (2.0 * std::numbers::pi * young * depth);
    double approach = 5e-6 * k;
    for (int i = 0; i < 50; ++i) approach = 5e-6 * k + hertz_force(approach) * share;
    EXPECT_NEAR(run.force_on("cap").z(), hertz_force(approach), 0.05 * hertz_force(approach)) << k;
  }
}

TEST(NonlinearPoke, AHandFeelsWhatTheContactsOfItsStepsSay) {
  const Scene scene =
      read_scene(testing_support::shelf / "poke.toml", {"body.block.kind=nonlinear"});
  const Hand& hand = scene.hands.front();
  const TrialSetup setup{find_device_model("phantom"), *find_hand_model("clamped"),
                         RenderingMode::resolved, 3, hand.gains};
  HapticTrial trial(scene, setup, hand.intention);
  Vec3 before = Vec3::Zero();
  double jump = 0.0;
  double largest = 0.0;
  while (trial.session().scene_time_s() < 1.5) {
    const Vec3 force = trial.tick().record.wanted.head<3>();
    ASSERT_TRUE(force.allFinite());
    largest = std::max(largest, force.norm());
    jump = std::max(jump, (force - before).norm());
    before = force;
  }
  // the ball rests deep in the block
  const Vec3 contact = trial.contact_wrench(1).head<3>();
  EXPECT_GT(contact.norm(), 0.5);
  EXPECT_LT((before - contact).norm(), 0.02 * contact.norm());
  EXPECT_LT(jump, 0.1 * largest);
}

}  // namespace
}  // namespace stickslip
