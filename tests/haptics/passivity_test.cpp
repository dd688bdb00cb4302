#include "stickslip/haptics/loop/passivity.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/haptics/loop/velocity_estimate.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

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
    passivity.hold(sent, supplied, tick);
    passivity.observe({reading.position, reading.orientation});
    supplied = 0.0;
    Vec6 twist = Vec6::Zero();
    twist.head<3>() = velocity.add(reading.position, tick);
    Vec6 wanted = Vec6::Zero();
    wanted.head<3>() = -stiffness * reading.position - damping * twist.head<3>();
    sent = passivity.control(wanted, twist, tick);
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
  passivity.observe(pose);
  for (int k = 0; k < 100; ++k) {
    pose.position += Vec3(1e-3, 0.0, 2e-3);
    pose.orientation = Quat(Eigen::AngleAxisd(1e-3, Vec3::UnitY())) * pose.orientation;
    passivity.hold(sent, 0.0, tick);
    passivity.observe(pose);
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

TEST(Passivity, SamplesThatComeSeldomCountTheSameEnergy) {
  // a force that grows while the handle moves evenly, seen at every tick and at every third
  Passivity often({.largest_credit = 100.0}, tick);
  Passivity seldom({.largest_credit = 100.0}, tick);
  Pose pose;
  often.observe(pose);
  seldom.observe(pose);
  for (int k = 1; k <= 99; ++k) {
    Vec6 sent = Vec6::Zero();
    sent[0] = -0.01 * k;
    pose.position.x() += 1e-4;
    for (Passivity* passivity : {&often, &seldom}) passivity->hold(sent, 0.0, tick);
    often.observe(pose);
    if (k % 3 == 0) seldom.observe(pose);
  }
  EXPECT_NEAR(often.energy(), 0.01 * 1e-4 * 99 * 100 / 2, 1e-12);
  EXPECT_NEAR(seldom.energy(), often.energy(), 1e-12);
}

TEST(Passivity, DebtsAreForgivenInFreeAirAndWhereForcesBeginAnew) {
  Vec6 sent = Vec6::Zero();
  sent[0] = 2.0;
  const auto in_debt = [&] {
    Passivity passivity({}, tick);
    passivity.observe({});
    passivity.hold(sent, 0.0, tick);
    passivity.observe({{0.01, 0.0, 0.0}, Quat::Identity()});
    return passivity;
  };
  Vec6 velocity = Vec6::Zero();
  velocity[0] = 0.1;
  Passivity resting = in_debt();
  EXPECT_NEAR(resting.energy(), -0.02, 1e-12);
  int braked = 0;
  for (int k = 0; k < 1000; ++k) braked += !resting.control(Vec6::Zero(), velocity, tick).isZero();
  EXPECT_GT(braked, 50);
  EXPECT_LE(braked, 100);
  EXPECT_EQ(resting.energy(), 0.0);
  EXPECT_NEAR(resting.forgiven(), 0.02, 1e-12);

  // not while something is rendered
  Passivity pressed = in_debt();
  for (int k = 0; k < 1000; ++k) pressed.control(sent, velocity, tick);
  EXPECT_NEAR(pressed.energy(), -0.02, 1e-12);
  pressed.forgive();
  EXPECT_EQ(pressed.energy(), 0.0);
}

}  // namespace
}  // namespace stickslip
