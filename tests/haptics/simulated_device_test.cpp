#include "stickslip/haptics/models/simulated_device.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "stickslip/error.hpp"
#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

DeviceModel plain_model(double mass, double damping = 0.0, double friction = 0.0) {
  DeviceModel model = find_device_model("ideal");
  model.translation = {mass, damping, friction, 0.0};
  return model;
}

Operator free_hand() {
  return {*find_hand_model("none"), Intention()};
}

Operator resting_hand(double mass, double damping, double stiffness) {
  HandModel hand;
  hand.translation = {mass, damping, stiffness};
  hand.rotation = hand.translation;
  return {hand, Intention()};
}

Vec6 push(double x, double y = 0.0, double z = 0.0) {
  return (Vec6() << x, y, z, 0.0, 0.0, 0.0).finished();
}

void write_times(SimulatedDevice& device, const Vec6& wrench, int ticks) {
  for (int i = 0; i < ticks; ++i) device.write(wrench);
}

TEST(SimulatedDevice, FreeMassFallsAlongAParabola) {
  SimulatedDevice device(plain_model(0.2), free_hand());
  write_times(device, push(0.3, -0.1), 1000);
  const Vec3 acceleration(1.5, -0.5, 0.0);
  EXPECT_LT((device.truth().velocity - acceleration).norm(), 1e-12);
  EXPECT_LT((device.truth().pose.position - 0.5 * acceleration).norm(), 1e-12);
  EXPECT_NEAR(device.truth().time_s, 1.0, 1e-12);
}

TEST(SimulatedDevice, FreeInertiaSpinsAboutAFixedAxis) {
  DeviceModel model = plain_model(0.2);
  model.rotation = {1e-3, 0.0, 0.0, 0.0};
  SimulatedDevice device(model, free_hand());
  Vec6 wrench = Vec6::Zero();
  wrench.tail<3>() = 1e-3 * Vec3(1.0, 2.0, 2.0);
  write_times(device, wrench, 1000);
  const Vec3 turn = 0.5 * Vec3(1.0, 2.0, 2.0);
  EXPECT_LT(turn_between(rotation_exp(turn), device.truth().pose.orientation).norm(), 1e-11);
  EXPECT_LT((device.truth().angular_velocity - 2.0 * turn).norm(), 1e-12);
}

TEST(SimulatedDevice, DampingLetsVelocityDecayExponentially) {
  // ticks of any length, also many times the time constant of 20 ms
  for (const double tick : {1e-4, 1e-3, 0.05, 0.5}) {
    DeviceModel model = plain_model(0.1, 5.0);
    model.limits.tick_s = tick;
    SimulatedDevice device(model, free_hand());
    device.set_truth({{}, Vec3(2.0, 0.0, 0.0), Vec3::Zero(), 0.0});
    const int ticks = static_cast<int>(std::round(0.5 / tick));
    write_times(device, Vec6::Zero(), ticks);
    const double left = std::exp(-0.5 * 50.0);
    EXPECT_NEAR(device.truth().velocity.x(), 2.0 * left, 1e-14);
    EXPECT_NEAR(device.truth().pose.position.x(), 2.0 / 50.0 * (1.0 - left), 1e-14);
  }
}

TEST(SimulatedDevice, HandSwingsAsADampedOscillator) {
  // m = 0.3, b = 1.5, k = 120 together: both ways of turning, and pieces shorter than the tick
  for (const double tick : {1e-3, 0.05}) {
    DeviceModel model = plain_model(0.1, 0.5);
    model.rotation = model.translation;
    model.limits.tick_s = tick;
    SimulatedDevice device(model, resting_hand(0.2, 1.0, 120.0));
    const Vec3 turned(0.0, 0.01, 0.0);
    device.set_truth(
        {{Vec3(0.01, 0.0, 0.0), rotation_exp(turned)}, Vec3::Zero(), Vec3::Zero(), 0.0});
    write_times(device, Vec6::Zero(), static_cast<int>(std::round(0.4 / tick)));
    const double decay = 2.5;
    const double omega = std::sqrt(400.0 - decay * decay);
    const double expected = 0.01 * std::exp(-decay * 0.4) *
                            (std::cos(omega * 0.4) + decay / omega * std::sin(omega * 0.4));
    EXPECT_NEAR(device.truth().pose.position.x(), expected, 1e-14);
    EXPECT_NEAR(rotation_log(device.truth().pose.orientation).y(), expected, 1e-14);
  }
}

TEST(SimulatedDevice, FollowsARampOfTheHandWithoutLag) {
  Operator hand = resting_hand(0.2, 12.0, 300.0);
  hand.intention.ramp_to({Vec3(0.1, 0.0, 0.0), Quat::Identity()}, 2.0);
  SimulatedDevice device(plain_model(0.1), hand);
  write_times(device, Vec6::Zero(), 1500);
  EXPECT_NEAR(device.truth().pose.position.x(), 0.075, 1e-7);
  EXPECT_NEAR(device.truth().velocity.x(), 0.05, 1e-7);
}

TEST(SimulatedDevice, SticksUpToTheForceOfFriction) {
  SimulatedDevice device(plain_model(0.1, 0.0, 0.3), free_hand());
  write_times(device, push(0.3), 10000);
  EXPECT_EQ(device.truth().pose.position.x(), 0.0);
  EXPECT_EQ(device.truth().velocity.x(), 0.0);
  // just above, the excess accelerates
  write_times(device, push(0.3 + 1e-6), 1000);
  EXPECT_NEAR(device.truth().velocity.x(), 1e-5, 1e-13);
}

TEST(SimulatedDevice, FrictionStopsAMassAtTheClosedFormPlaceWithinATick) {
  // deceleration 3 m/s^2: 0.05 m/s lasts 16.67 ms and 0.4167 mm, between two ticks
  SimulatedDevice device(plain_model(0.1, 0.0, 0.3), free_hand());
  device.set_truth({{}, Vec3(0.05, -0.05, 0.0), Vec3::Zero(), 0.0});
  write_times(device, Vec6::Zero(), 100);
  const double stop = 0.05 * 0.05 / 6.0;
  EXPECT_NEAR(device.truth().pose.position.x(), stop, 1e-16);
  EXPECT_NEAR(device.truth().pose.position.y(), -stop, 1e-16);
  EXPECT_TRUE(device.truth().velocity.isZero(0.0));
}

TEST(SimulatedDevice, StickBreaksWhenTheSpringOfTheHandOvercomesFriction) {
  // the aim runs away at 10 mm/s: 0.3 N at 100 N/m are reached at 3 mm, after 0.3 s and part of a
  // tick of 7 ms
  Operator hand = resting_hand(0.05, 0.0, 100.0);
  hand.intention.ramp_to({Vec3(0.01, 0.0, 0.0), Quat::Identity()}, 1.0);
  DeviceModel model = plain_model(0.05, 0.0, 0.3);
  model.limits.tick_s = 7e-3;
  SimulatedDevice device(model, hand);
  write_times(device, Vec6::Zero(), 42);
  EXPECT_EQ(device.truth().velocity.x(), 0.0);
  write_times(device, Vec6::Zero(), 1);
  // from there x = v (t - sin(w t) / w) with w^2 = 1000
  const double t = 43 * 7e-3 - 0.3;
  const double omega = std::sqrt(1000.0);
  EXPECT_NEAR(device.truth().pose.position.x(), 0.01 * (t - std::sin(omega * t) / omega), 1e-17);
  EXPECT_GT(device.truth().velocity.x(), 0.0);
}

TEST(SimulatedDevice, FrictionTakesTheSameFromEverySwing) {
  // a spring and dry friction lose 2 f/k of amplitude in each half swing, whatever the tick
  for (const double tick : {1e-4, 1e-3, 0.0137, 0.2}) {
    DeviceModel model = plain_model(0.5, 0.0, 0.1);
    model.limits.tick_s = tick;
    SimulatedDevice device(model, resting_hand(0.5, 0.0, 100.0));
    const double start = 0.0107;
    device.set_truth({{Vec3(start, 0.0, 0.0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero(), 0.0});
    // half swings of pi/10 s: -8.7, 6.7, -4.7, 2.7, -0.7 mm, where 0.07 N no longer move it
    write_times(device, Vec6::Zero(), static_cast<int>(4.0 / tick));
    EXPECT_NEAR(device.truth().pose.position.x(), -0.0007, 1e-15) << tick;
    EXPECT_EQ(device.truth().velocity.x(), 0.0);
  }
}

TEST(SimulatedDevice, EnergyOfDeviceAndHandIsWorkMinusLosses) {
  // ticks of 20 us, so that Simpson's rule on the states integrates what is lost
  DeviceModel model = plain_model(0.1, 0.4, 0.05);
  model.limits.tick_s = 2e-5;
  SimulatedDevice device(model, resting_hand(0.2, 0.8, 150.0));
  const auto energy = [&] {
    const auto& truth = device.truth();
    return 0.15 * truth.velocity.squaredNorm() + 75.0 * truth.pose.position.squaredNorm();
  };
  double work = 0.0;
  double lost = 0.0;
  for (int i = 0; i < 25000; ++i) {
    const double time = device.truth().time_s;
    const Vec3 force(0.9 * std::sin(35.0 * time), 0.4, -0.3 * std::cos(90.0 * time));
    const Vec3 before = device.truth().pose.position;
    const double speed_before = device.truth().velocity.squaredNorm();
    // mid-tick speeds come from a twin that takes the first half of the tick
    DeviceModel half = model;
    half.limits.tick_s = 1e-5;
    SimulatedDevice halfway(half, device.held_by());
    halfway.set_truth(device.truth());
    halfway.write(push(force.x(), force.y(), force.z()));
    device.write(push(force.x(), force.y(), force.z()));
    const Vec3 way = device.truth().pose.position - before;
    work += force.dot(way);
    lost += 1.2 * 2e-5 / 6.0 *
            (speed_before + 4.0 * halfway.truth().velocity.squaredNorm() +
             device.truth().velocity.squaredNorm());
    lost += 0.05 * way.cwiseAbs().sum();
  }
  EXPECT_GT(lost, 0.01);
  EXPECT_NEAR(energy(), work - lost, 1e-6 * lost);
}

TEST(SimulatedDevice, SensesMultiplesOfItsResolution) {
  DeviceModel model = find_device_model("phantom");
  model.translation.friction = 0.0;
  model.rotation.friction = 0.0;
  SimulatedDevice device(model, free_hand());
  DeviceReading last;
  device.read(last);
  EXPECT_EQ(last.sequence, 1u);
  for (int i = 0; i < 300; ++i) {
    Vec6 wrench = push(0.02, -0.01, 0.003);
    wrench.tail<3>() << 1e-5, 2e-5, -1e-5;
    device.write(wrench);
    DeviceReading reading;
    EXPECT_TRUE(device.read(reading));
    EXPECT_EQ(reading.sequence, last.sequence + 1);
    for (int a = 0; a < 3; ++a) {
      const double steps = reading.position[a] / 30e-6;
      EXPECT_NEAR(steps, std::round(steps), 1e-9);
      const double turns = rotation_log(reading.orientation)[a] / model.rotation.resolution;
      EXPECT_NEAR(turns, std::round(turns), 1e-9);
    }
    const double error = (reading.position - device.truth().pose.position).cwiseAbs().maxCoeff();
    EXPECT_LE(error, 15e-6 + 1e-12);
    EXPECT_LT((reading.velocity - (reading.position - last.position) / 1e-3).norm(), 1e-12);
    last = reading;
  }
  EXPECT_GT(last.position.norm(), 1e-3);
}

TEST(SimulatedDevice, ForceActsDelayedByWholeAndBrokenTicks) {
  for (const double delay_ticks : {0.0, 0.25, 1.0, 2.5, 7.0}) {
    DeviceModel model = plain_model(0.1);
    model.delay_s = delay_ticks * 1e-3;
    SimulatedDevice device(model, free_hand());
    // one tick of force, then none: the mass moves on from the moment it acts
    device.write(push(1.0));
    write_times(device, Vec6::Zero(), 19);
    const double acts_from = delay_ticks * 1e-3;
    const double coasting = 0.020 - acts_from - 1e-3;
    EXPECT_NEAR(device.truth().velocity.x(), 0.01, 1e-15);
    EXPECT_NEAR(device.truth().pose.position.x(), 5e-6 + 0.01 * coasting, 1e-16) << delay_ticks;
  }
}

TEST(SimulatedDevice, JitterDelaysEachForceByUpToItAndKeepsTheirOrder) {
  // a push of one tick arrives between delay and delay plus jitter, or within the pushes before it
  double earliest = 1.0;
  double latest = 0.0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    DeviceModel model = plain_model(0.1);
    model.delay_s = 1.5e-3;
    model.jitter_s = 2e-3;
    model.seed = seed;
    SimulatedDevice device(model, free_hand());
    SimulatedDevice again(model, free_hand());
    device.write(push(1.0));
    again.write(push(1.0));
    write_times(device, push(1.0), 19);
    write_times(again, push(1.0), 19);
    EXPECT_EQ(device.truth().pose.position, again.truth().pose.position);
    // under a force that stays on, velocity tells when it began
    const double began = 0.020 - 0.1 * device.truth().velocity.x();
    earliest = std::min(earliest, began);
    latest = std::max(latest, began);
  }
  EXPECT_GE(earliest, 1.5e-3 - 1e-9);
  EXPECT_LT(earliest, 1.6e-3);
  EXPECT_LE(latest, 3.5e-3 + 1e-9);
  EXPECT_GT(latest, 2.5e-3);
  EXPECT_EQ(SimulatedDevice(plain_model(0.1), free_hand()).link().delay_s, 0.0);
}

TEST(SimulatedDevice, MotorsRenderMultiplesOfTheirResolution) {
  DeviceModel model = plain_model(0.1);
  model.force_resolution = 0.1;
  model.limits.peak_force = 1.0;
  SimulatedDevice device(model, free_hand());
  device.write(push(0.249, 0.04));
  EXPECT_NEAR(device.truth().velocity.x(), 0.2 / 0.1 * 1e-3, 1e-15);
  EXPECT_EQ(device.truth().velocity.y(), 0.0);
}

TEST(SimulatedDevice, StopDropsForcesOnTheirWay) {
  DeviceModel model = plain_model(0.1);
  model.delay_s = 3e-3;
  SimulatedDevice device(model, free_hand());
  write_times(device, push(1.0), 3);
  device.stop();
  write_times(device, Vec6::Zero(), 10);
  EXPECT_TRUE(device.truth().pose.position.isZero(0.0));
}

TEST(SimulatedDevice, PeaksShortenForceAndTorqueAlongTheirDirections) {
  DeviceLimits limits = find_known_device("premium-6dof")->limits;
  Vec6 wrench;
  wrench << 30.0, -40.0, 0.0, 0.0, 0.6, 0.8;
  Vec6 expected;
  expected << 0.6 * 8.5, -0.8 * 8.5, 0.0, 0.0, 0.6 * 0.188, 0.8 * 0.188;
  EXPECT_LT((within_limits(wrench, limits) - expected).norm(), 1e-14);
  EXPECT_EQ(within_limits(0.01 * wrench, limits), 0.01 * wrench);
  limits.actuated_dofs = 3;
  expected.tail<3>().setZero();
  EXPECT_LT((within_limits(wrench, limits) - expected).norm(), 1e-14);
  wrench[2] = std::nan("");
  EXPECT_TRUE(within_limits(wrench, limits).isZero(0.0));

  SimulatedDevice touch(find_device_model("touch"), free_hand());
  touch.write(push(100.0));
  EXPECT_LT(touch.truth().velocity.x(), 3.3 / 0.072 * 1e-3);
  EXPECT_GT(touch.truth().velocity.x(), 3.2 / 0.072 * 1e-3);
}

TEST(SimulatedDevice, ClampedHandIsWhereItWants) {
  Operator hand{*find_hand_model("clamped"), Intention()};
  hand.intention.ramp_to({Vec3(0.0, 0.1, 0.0), rotation_exp(Vec3(0.0, 0.0, 1.0))}, 1.0)
      .press(0b10, 0.1, 0.2);
  SimulatedDevice device(find_device_model("ideal"), hand);
  DeviceReading reading;
  for (int i = 1; i <= 150; ++i) {
    device.write(push(1000.0));
    device.read(reading);
    EXPECT_LT((reading.position - Vec3(0.0, 1e-4 * i, 0.0)).norm(), 1e-15);
    EXPECT_LT((reading.velocity - Vec3(0.0, 0.1, 0.0)).norm(), 1e-12);
    EXPECT_LT((reading.angular_velocity - Vec3(0.0, 0.0, 1.0)).norm(), 1e-9);
    EXPECT_EQ(reading.buttons, i >= 100 ? 0b10u : 0u);
  }
}

TEST(SimulatedDevice, TicksAllocateNothing) {
  Operator hand{*find_hand_model("medium"), Intention()};
  hand.intention.minimum_jerk_to({Vec3(0.0, 0.1, 0.0), rotation_exp(Vec3(0.0, 0.0, 1.0))}, 0.5);
  DeviceModel model = find_device_model("phantom");
  model.delay_s = 1.5e-3;
  SimulatedDevice device(model, hand);
  DeviceReading reading;
  const std::size_t before = testing_support::allocation_count();
  for (int i = 0; i < 1000; ++i) {
    device.read(reading);
    device.write(push(-100.0 * reading.position.x(), 0.1));
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
}

TEST(SimulatedDevice, NamesThatAreNoneAreRefusedInOneLine) {
  EXPECT_EQ(find_device_model("sigma.7").limits.peak_torque, 0.2);
  EXPECT_EQ(find_device_model("large").translation.mass, 0.8);
  const std::string message = refusal<InputError>([] { find_device_model("fantom"); });
  EXPECT_NE(message.find("'fantom'"), std::string::npos);
  EXPECT_NE(message.find("phantom"), std::string::npos);
}

}  // namespace
}  // namespace stickslip
