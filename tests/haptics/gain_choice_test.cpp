#include "stickslip/haptics/gain_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "stickslip/haptics/simulated_device.hpp"
#include "stickslip/haptics/spring_stability.hpp"
#include "stickslip/haptics/tool_stability.hpp"

namespace stickslip {
namespace {

DeviceLimits limits_of(const std::string& name) {
  return SimulatedDevice(find_device_model(name), {*find_hand_model("none"), Intention()}).limits();
}

CouplingPlace place_of(const std::string& device, double mass, double dt, RenderingMode mode) {
  CouplingPlace place;
  place.device = limits_of(device);
  place.device.resolution = 0.0;
  place.held = {mass, mass, 1e-4 * mass, 1e-4 * mass};
  place.dt = dt;
  place.mode = mode;
  return place;
}

TEST(GainChoice, IsHalfOfWhatIsStableInTheWorstHandWithTheBodyAndWithAWall) {
  for (const RenderingMode mode : {RenderingMode::resolved, RenderingMode::plain}) {
    for (const double mass : {0.01, 1.0}) {
      const CouplingPlace place = place_of("phantom", mass, 0.01, mode);
      const CouplingLimits limits = coupling_limits(place);
      const CouplingGains gains = choose_gains(limits, place);
      EXPECT_EQ(gains.stiffness, 0.5 * limits.translation.stable());
      EXPECT_EQ(gains.damping, gains.stiffness * place.tick_s);
      // every hand bears twice the gains but for the tolerance of the search
      const DeviceAxis device = find_device_model("phantom").translation;
      int beyond = 0;
      for (const double share : {1.99, 2.01}) {
        for (const HandModel& hand : known_hand_models()) {
          if (hand.is_clamped) continue;
          const double K = share * gains.stiffness;
          SampledSpring wall{.device = device, .hand = hand.translation};
          wall.stiffness = K;
          wall.damping = K * place.tick_s;
          bool holds = spectral_radius(wall) < 1.0;
          for (const int latency : {1, 10}) {
            holds &= is_stable({device, hand.translation, mass, place.tick_s, 10, latency, mode, K,
                                K * place.tick_s});
          }
          EXPECT_TRUE(holds || share > 2.0) << hand.name << " " << mass;
          beyond += holds ? 0 : 1;
        }
      }
      EXPECT_GT(beyond, 0) << mass;
    }
  }
}

TEST(GainChoice, ALightBodyGetsOtherGainsThanAHeavyOneWhereTheLoopBearsOthers) {
  const auto stiffness = [](double mass, double dt, RenderingMode mode) {
    const CouplingPlace place = place_of("phantom", mass, dt, mode);
    return choose_gains(coupling_limits(place), place).stiffness;
  };
  // a plain coupling to what seldom moves: a light body follows late, a heavy one is like a wall
  EXPECT_LT(10.0 * stiffness(0.01, 0.02, RenderingMode::plain),
            stiffness(10.0, 0.02, RenderingMode::plain));
  // the loop foresees a light body well, and one of ten times the handle badly
  EXPECT_GT(stiffness(0.01, 0.01, RenderingMode::resolved),
            10.0 * stiffness(1.0, 0.01, RenderingMode::resolved));
  // at every tick no body matters
  EXPECT_EQ(stiffness(0.01, 1e-3, RenderingMode::resolved),
            stiffness(1.0, 1e-3, RenderingMode::resolved));
}

TEST(GainChoice, WhatIsStableWithAnythingNeedsNoMargin) {
  // a brake of a device, all at the pace of the simulation: b > K dt/2 + B with B = K T
  for (const double dt : {3e-3, 0.02}) {
    for (const double mass : {0.001, 0.1, 10.0}) {
      CouplingPlace place = place_of("phantom", mass, dt, RenderingMode::plain);
      place.device.damping = 40.0;
      const StiffnessLimits limits = coupling_limits(place).translation;
      EXPECT_NEAR(limits.absolute, 40.0 / (0.5 * dt + 1e-3), 0.01 * limits.absolute);
      EXPECT_LT(limits.absolute, limits.stable());
      EXPECT_EQ(limits.recommended(), std::max(limits.absolute, 0.5 * limits.stable()));
      EXPECT_TRUE(limits.recommended() == limits.absolute || mass > 0.001);
    }
  }
}

TEST(GainChoice, TheMakerAndTheSensorLimitIt) {
  CouplingPlace place = place_of("phantom", 0.01, 1e-3, RenderingMode::resolved);
  place.device.resolution = 30e-6;
  EXPECT_NEAR(coupling_limits(place).translation.recommended(), 0.1 / 30e-6, 1e-6);
  place.device.stiffness = 1000.0;
  EXPECT_EQ(coupling_limits(place).translation.recommended(), 1000.0);
}

TEST(GainChoice, GainsOfASceneThatAreNotStableAreWarnedOf) {
  const CouplingPlace place = place_of("phantom", 1.0, 0.01, RenderingMode::resolved);
  const CouplingLimits limits = coupling_limits(place);
  CouplingGains gains = choose_gains(limits, place);
  EXPECT_TRUE(report_gains(gains, limits, place).warning.empty());
  EXPECT_NE(report_gains(gains, limits, place).text.find("0.5 of the largest stable"),
            std::string::npos);

  // between half of what is stable and all of it
  gains.stiffness *= 1.5;
  gains.damping *= 1.5;
  EXPECT_NE(report_gains(gains, limits, place).warning.find("rattle"), std::string::npos);
  gains.stiffness *= 1.5;
  gains.damping *= 1.5;
  EXPECT_NE(report_gains(gains, limits, place).warning.find("unstable"), std::string::npos);

  // a damping that is not stable, although the stiffness is
  gains = choose_gains(limits, place);
  gains.damping = 500.0;
  EXPECT_NE(report_gains(gains, limits, place).warning.find("hand.stiffness"), std::string::npos);

  // a torque, where it is rendered
  gains = choose_gains(limits, place);
  gains.rotational_stiffness *= 10.0;
  EXPECT_NE(report_gains(gains, limits, place).warning.find("rotational"), std::string::npos);
  CouplingPlace without_torque = place;
  without_torque.device.actuated_dofs = 3;
  EXPECT_TRUE(report_gains(gains, limits, without_torque).warning.empty());
}

TEST(GainChoice, ScalesOfMotionAndForceChangeTheGainsAndNotWhatIsFelt) {
  CouplingPlace place = place_of("phantom", 1.0, 0.01, RenderingMode::resolved);
  const double felt = choose_gains(coupling_limits(place), place).stiffness;
  // a body of a quarter, moved twice as far and felt twice as strong
  place.map.motion_scale = 2.0;
  place.map.force_scale = 2.0;
  place.held.lightest /= 4.0;
  place.held.heaviest /= 4.0;
  EXPECT_NEAR(4.0 * choose_gains(coupling_limits(place), place).stiffness, felt, 1e-6 * felt);
}

TEST(HeldMass, OfARodHeldAtItsEndIsAQuarterAcrossIt) {
  // 1/m_eff = 1/m + (L/2)^2 / (m L^2 / 12) = 4/m
  const double m = 0.3;
  const double L = 0.2;
  const double across = m * L * L / 12.0;
  const RigidFrame rod(m, Vec3(1e-6, across, across).asDiagonal().toDenseMatrix());
  const HeldMass held = held_mass(rod, {Vec3(0.5 * L, 0.0, 0.0), Quat::Identity()});
  EXPECT_NEAR(held.lightest, m / 4.0, 1e-12);
  EXPECT_EQ(held.heaviest, m);
  EXPECT_NEAR(held.least_inertia, 1e-6, 1e-15);
  EXPECT_NEAR(held.largest_inertia, m * L * L / 3.0, 1e-12);
}

}  // namespace
}  // namespace stickslip
