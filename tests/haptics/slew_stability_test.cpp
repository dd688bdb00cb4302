#include "stickslip/haptics/stability/slew_stability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stickslip/haptics/loop/safety.hpp"
#include "stickslip/haptics/stability/gain_choice.hpp"

namespace stickslip {
namespace {

constexpr double tick = 1e-3;
constexpr double peak = 7.9;
constexpr double push = 0.25 * peak;

SlewedSpring spring_of(const std::string& hand, double mass, double stiffness,
                       double delay_s = 0.0) {
  SampledSpring spring{.device = {.mass = mass, .damping = 0.1},
                       .hand = find_hand_model(hand)->translation,
                       .tick_s = tick,
                       .delay_s = delay_s,
                       .stiffness = stiffness,
                       .damping = stiffness * (tick + 2.0 * delay_s)};
  return {spring, SafetyLimits::slew_s};
}

double largest_that_dies_out(const std::string& hand, double mass, double delay_s = 0.0) {
  double low = 10.0;
  double high = 2e4;
  while (high > 1.001 * low) {
    const double middle = std::sqrt(low * high);
    (swing_dies_out(spring_of(hand, mass, middle, delay_s)) ? low : high) = middle;
  }
  return low;
}

/// A simulated device in a hand that presses it against a wall, through the last stage before the
/// device: the force from side to side in the last tenth of two seconds. [N]
double swing_left(const SlewedSpring& slewed) {
  const SampledSpring& spring = slewed.spring;
  DeviceModel model;
  model.limits.peak_force = peak;
  model.translation = spring.device;
  model.rotation = {.mass = 1e-3};
  model.delay_s = spring.delay_s;
  HandModel hand = *find_hand_model("light");
  hand.translation = spring.hand;
  // where it has to want to be, so that the spring carries the push
  const double rest = -push / spring.stiffness - push / spring.hand.stiffness;
  SimulatedDevice device(model, {hand, Intention({Vec3(0.0, 0.0, rest), Quat::Identity()})});
  SimulatedDevice::Truth start;
  start.pose.position.z() = -peak / spring.stiffness;
  device.set_truth(start);
  ForceSafety safety(SafetyLimits::of(model.limits, 1e9, 0.0));
  // at full strength from the start
  for (int k = 0; k < 300; ++k) safety.guard(Vec6::Unit(2) * peak, {}, tick);

  DeviceReading reading;
  double before = -peak / spring.stiffness;
  double low = peak;
  double high = 0.0;
  for (int k = 0; k < 2000; ++k) {
    device.read(reading);
    const double z = reading.position.z();
    const double wanted = -spring.stiffness * z - spring.damping * (z - before) / tick;
    before = z;
    const Vec6 sent = safety.guard(Vec6::Unit(2) * std::max(0.0, wanted), {}, tick);
    device.write(sent);
    if (k < 1800) continue;
    low = std::min(low, sent[2]);
    high = std::max(high, sent[2]);
  }
  return high - low;
}

TEST(SlewStability, ASwingThatEigenvaluesCallStableGoesOnWhereForcesRiseSlowly) {
  SlewedSpring slewed = spring_of("light", 0.072, 3000.0);
  EXPECT_LT(spectral_radius(slewed.spring), 1.0);
  EXPECT_FALSE(swing_dies_out(slewed));
  EXPECT_GT(swing_left(slewed), 0.9 * peak);
  // forces that rise at once end it
  slewed.slew_s = 1e-6;
  EXPECT_TRUE(swing_dies_out(slewed));
}

TEST(SlewStability, ASimulatedDeviceSwingsForEverWhereItIsSaidToAndNotBelow) {
  for (const char* hand : {"light", "medium"}) {
    for (const double mass : {0.04, 0.1, 0.4}) {
      for (const double delay_s : {0.0, 1e-3}) {
        SCOPED_TRACE(std::string(hand) + ", " + std::to_string(mass) + " kg, " +
                     std::to_string(delay_s) + " s");
        const double largest = largest_that_dies_out(hand, mass, delay_s);
        if (largest > 1e4) continue;
        EXPECT_LT(swing_left(spring_of(hand, mass, 0.9 * largest, delay_s)), 0.05 * peak);
        EXPECT_GT(swing_left(spring_of(hand, mass, 1.1 * largest, delay_s)), 0.9 * peak);
      }
    }
  }
}

TEST(SlewStability, ChosenGainsKnowItWhereThereIsALargestForce) {
  CouplingPlace place;
  place.device = find_device_model("phantom").limits;
  place.device.resolution = 0.0;
  place.device.mass = 0.072;
  place.device.damping = 0.1;
  place.held = {0.015, 0.015, 1e-6, 1e-6};
  EXPECT_TRUE(std::isinf(coupling_limits(place).translation.in_swing));
  const double unlimited = choose_gains(coupling_limits(place), place).stiffness;

  place.device.peak_force = peak;
  const CouplingLimits limits = coupling_limits(place);
  const double largest = largest_that_dies_out("light", place.device.mass);
  EXPECT_NEAR(limits.translation.in_swing, largest, 0.01 * largest);
  EXPECT_EQ(choose_gains(limits, place).stiffness, limits.translation.in_swing);
  EXPECT_LT(limits.translation.in_swing, unlimited);
  // how strong a device is makes no difference, its slew grows with that
  place.device.peak_force = 1.0;
  EXPECT_EQ(coupling_limits(place).translation.in_swing, limits.translation.in_swing);
}

}  // namespace
}  // namespace stickslip
