#include "stickslip/haptics/passivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/haptics/simulated_device.hpp"
#include "stickslip/haptics/velocity_estimate.hpp"

namespace stickslip {
namespace {

constexpr double tick = 1e-3;

struct Rendered {
  double least_energy = 0.0;
  double removed = 0.0;
  double largest_motion = 0.0;  ///< in the last second
  int acting = 0;
};

/// A spring with a damper, which may be a negative one, rendered on a device that was let go away
/// from its middle.
Rendered render_spring(double stiffness, double damping, bool is_controlled) {
  SimulatedDevice device(find_device_model("phantom"), {*find_hand_model("light"), Intention()});
  SimulatedDevice::Truth truth;
  truth.pose.position = {0.01, 0.0, 0.0};
  device.set_truth(truth);
  PassivityOptions options;
  options.is_on = is_controlled;
  Passivity passivity(options, tick);
  VelocityEstimate velocity(tick, device.limits().resolution);
  Rendered rendered;
  Vec6 sent = Vec6::Zero();
  DeviceReading reading;
  // the spring is wound up already: what it holds is not the hand's
  double supplied = 0.5 * stiffness * 1e-4;
  for (int k = 0; k < 5000; ++k) {
    device.read(reading);
    passivity.observe({reading.position, reading.orientation}, sent, supplied);
    supplied = 0.0;
    Vec6 twist = Vec6::Zero();
    twist.head<3>() = velocity.add(reading.position);
    Vec6 wanted = Vec6::Zero();
    wanted.head<3>() = -stiffness * reading.position - damping * twist.head<3>();
    sent = passivity.control(wanted, twist);
    device.write(sent);
    rendered.least_energy = std::min(rendered.least_energy, passivity.energy());
    rendered.acting += passivity.is_acting() ? 1 : 0;
    if (k >= 4000) {
      rendered.largest_motion = std::max(rendered.largest_motion, reading.position.norm());
    }
  }
  rendered.removed = passivity.removed();
  return rendered;
}

TEST(Passivity, TheEnergyOfARampAgainstAConstantForceIsForceTimesWay) {
  Passivity passivity({.largest_credit = 100.0}, tick);
  Vec6 sent;
  sent << -2.0, 0.0, 1.0, 0.0, 0.3, 0.0;
  Pose pose;
  passivity.observe(pose, Vec6::Zero(), 0.0);
  for (int k = 0; k < 100; ++k) {
    pose.position += Vec3(1e-3, 0.0, 2e-3);
    pose.orientation = Quat(Eigen::AngleAxisd(1e-3, Vec3::UnitY())) * pose.orientation;
    passivity.observe(pose, sent, 0.0);
  }
  EXPECT_NEAR(passivity.energy(), 2.0 * 0.1 - 1.0 * 0.2 - 0.3 * 0.1, 1e-12);
}

TEST(Passivity, ADampedSpringIsLeftAlone) {
  const Rendered rendered = render_spring(1000.0, 1.0, true);
  EXPECT_EQ(rendered.acting, 0);
  EXPECT_EQ(rendered.removed, 0.0);
  EXPECT_GE(rendered.least_energy, -1e-6);
}

TEST(Passivity, ASpringThatGivesEnergyIsHeldBack) {
  const Rendered loose = render_spring(1000.0, -1.8, false);
  const Rendered held = render_spring(1000.0, -1.8, true);
  EXPECT_LT(loose.least_energy, -5e-3);
  EXPECT_GT(held.least_energy, -1e-3);
  EXPECT_GT(held.removed, 0.0);
  EXPECT_LT(held.largest_motion, 0.5 * loose.largest_motion);
}

TEST(VelocityEstimate, IsExactOnStraightMotionAndQuietAtRest) {
  VelocityEstimate estimate(tick, 30e-6);
  Vec3 velocity;
  for (int k = 0; k < 100; ++k) velocity = estimate.add(k * Vec3(1e-4, 0.0, -2e-4));
  EXPECT_LT((velocity - Vec3(0.1, 0.0, -0.2)).norm(), 1e-12);

  // one count up and down is no motion
  for (int k = 0; k < 100; ++k) velocity = estimate.add(Vec3(k % 2 ? 30e-6 : 0.0, 0.0, 0.0));
  EXPECT_LT(velocity.norm(), 3e-3);
}

TEST(VelocityEstimate, SlowMotionIsFourTimesQuieterThanDifferences) {
  constexpr double resolution = 30e-6;
  const double omega = 2.0 * std::numbers::pi * 0.5;
  VelocityEstimate estimate(tick, resolution);
  double squares = 0.0;
  double squares_of_differences = 0.0;
  double before = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double x = 0.01 * std::sin(omega * k * tick);
    const double rounded = resolution * std::round(x / resolution);
    const double velocity = estimate.add({rounded, 0.0, 0.0})[0];
    const double truth = 0.01 * omega * std::cos(omega * k * tick);
    if (k > 20) {
      squares += std::pow(velocity - truth, 2);
      squares_of_differences += std::pow((rounded - before) / tick - truth, 2);
    }
    before = rounded;
  }
  EXPECT_LT(std::sqrt(squares), 0.25 * std::sqrt(squares_of_differences));
}

}  // namespace
}  // namespace stickslip
