#include "stickslip/haptics/stability/gain_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <limits>
#include <numbers>

#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/haptics/stability/spring_stability.hpp"
#include "stickslip/haptics/stability/tool_stability.hpp"
#include "tests/support/sanitizer.hpp"

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

/// What passes above a frequency (Butterworth's filter of the second order).
class HighPass {
 public:
  HighPass(double hertz, double tick_s) {
    const double w = std::tan(std::numbers::pi * hertz * tick_s);
    scale_ = 1.0 / (1.0 + std::numbers::sqrt2 * w + w * w);
    feedback_ = {2.0 * (w * w - 1.0) * scale_, (1.0 - std::numbers::sqrt2 * w + w * w) * scale_};
  }
  double operator()(double in) {
    const double out =
        scale_ * (in - 2.0 * in_[0] + in_[1]) - feedback_[0] * out_[0] - feedback_[1] * out_[1];
    in_ = {in, in_[0]};
    out_ = {out, out_[0]};
    return out;
  }

 private:
  double scale_ = 0.0;
  std::array<double, 2> feedback_{};
  std::array<double, 2> in_{};
  std::array<double, 2> out_{};
};

/// The force above 20 Hz, root mean square, while a hand presses a device of 0.1 kg against a wall
/// over a link.
double ripple_of_hold(const HandModel& hand, const LinkTimes& link, double stiffness,
                      double damping, std::uint64_t seed) {
  DeviceModel model = find_device_model("inverse3");
  model.translation = {0.1, 0.1, 0.0, 0.0};
  model.force_resolution = 0.005;
  model.delay_s = link.delay_s;
  model.jitter_s = link.jitter_s;
  model.seed = seed;
  Intention press;
  press.hold(0.1).minimum_jerk_to({Vec3(0.0, 0.0, -0.01), Quat::Identity()}, 0.4);
  SimulatedDevice device(model, {hand, press});
  HighPass above(20.0, 1e-3);
  DeviceReading reading;
  double squares = 0.0;
  for (int i = 0; i < 3000; ++i) {
    device.read(reading);
    const double depth = -reading.position.z();
    const double force = depth > 0.0 ? stiffness * depth - damping * reading.velocity.z() : 0.0;
    const double rendered = std::clamp(force, 0.0, model.limits.peak_force);
    const double passed = above(rendered);
    if (i >= 2000) squares += passed * passed;
    Vec6 wrench = Vec6::Zero();
    wrench[2] = rendered;
    device.write(wrench);
  }
  return std::sqrt(squares / 1000.0);
}

TEST(GainChoice, IsCalmOverALinkThatIsLateAndUnsteady) {
  for (const double delay : {1e-3, 2e-3, 5e-3}) {
    for (const double jitter : {0.0, 0.5e-3, 2e-3}) {
      const LinkTimes link{delay, jitter, 1000.0};
      for (const double known_mass : {0.1, 0.0}) {
        CouplingPlace place = place_of("inverse3", 0.015, 1e-3, RenderingMode::resolved);
        place.device.mass = known_mass;
        place.link = link;
        const CouplingGains gains = choose_gains(coupling_limits(place), place);
        EXPECT_GT(gains.stiffness, 50.0);
        for (const char* hand : {"light", "medium", "firm"}) {
          SCOPED_TRACE(std::string(hand) + ", " + std::to_string(delay) + " + " +
                       std::to_string(jitter) + ", " + std::to_string(gains.stiffness));
          EXPECT_LT(ripple_of_hold(*find_hand_model(hand), link, gains.stiffness, gains.damping, 1),
                    0.05);
        }
      }
      // what was chosen without a look at the link
      EXPECT_GT(ripple_of_hold(*find_hand_model("medium"), link, 24083.0, 24.083, 1), 0.5);
    }
  }
}

TEST(GainChoice, OfALinkIsStableInEveryHandAtAnyDelayUpToTheWorst) {
  for (const double delay : {1e-3, 2.3e-3, 5e-3}) {
    CouplingPlace place = place_of("inverse3", 0.015, 1e-3, RenderingMode::resolved);
    place.device.mass = 0.0;
    place.link = {delay, 1e-3, 1000.0};
    const CouplingGains gains = choose_gains(coupling_limits(place), place);
    for (const HandModel& hand : known_hand_models()) {
      for (const double mass : {0.04, 0.1, 0.4}) {
        for (const double share : {0.0, 0.5, 1.0}) {
          if (hand.is_clamped) continue;
          SampledSpring wall{.device = {mass, 0.1, 0.0, 0.0}, .hand = hand.translation};
          wall.delay_s = share * place.worst_delay_s();
          wall.stiffness = gains.stiffness;
          wall.damping = gains.damping;
          EXPECT_LT(spectral_radius(wall), 1.0) << hand.name << " " << mass << " " << wall.delay_s;
        }
      }
    }
  }
}

TEST(GainChoice, DeviceThatTellsNothingIsTakenForTheWorstOfItsClass) {
  CouplingPlace place = place_of("inverse3", 0.015, 1e-3, RenderingMode::resolved);
  place.device = find_known_device("inverse3")->limits;
  // without a link, no more than all of the class render, and than what swings of the lightest bear
  const CouplingLimits at_once = coupling_limits(place);
  EXPECT_LT(at_once.translation.in_swing, 2000.0);
  EXPECT_EQ(choose_gains(at_once, place).stiffness, at_once.translation.in_swing);
  place.device.peak_force = std::numeric_limits<double>::infinity();
  place.device.stiffness = 3000.0;
  EXPECT_EQ(choose_gains(coupling_limits(place), place).stiffness, 3000.0);
  place.device = find_known_device("inverse3")->limits;
  place.link = {1e-3, 0.2e-3, 1000.0};
  const CouplingLimits limits = coupling_limits(place);
  const CouplingGains gains = choose_gains(limits, place);
  EXPECT_LT(gains.stiffness, 2000.0);
  EXPECT_GT(gains.stiffness, 1000.0);
  const std::string text = report_gains(gains, limits, place).text;
  EXPECT_NE(text.find("by a link of 1 ms and 0.2 ms of jitter"), std::string::npos) << text;
  EXPECT_NE(text.find("desktop device, 0.04 to 0.4 kg"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  // one that delivers every 10 ms keeps the loop waiting
  place.link.rate_hz = 100.0;
  EXPECT_NEAR(place.worst_delay_s(), 10.2e-3, 1e-12);
  EXPECT_LT(choose_gains(coupling_limits(place), place).stiffness, 0.3 * gains.stiffness);
}

/// How long the choice keeps the processor busy. [s]
double choice_takes(const CouplingPlace& place) {
  const std::clock_t start = std::clock();
  const CouplingGains gains = choose_gains(coupling_limits(place), place);
  EXPECT_TRUE(std::isfinite(gains.stiffness) && gains.stiffness >= 0.0) << gains.stiffness;
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(GainChoice, IsQuickWhateverADeviceSaysOfItself) {
  // a sanitizer takes its own time
  const double patience = STICKSLIP_COUNTS != 0 ? 1.0 : 20.0;
  for (const double extreme : {1e-300, 1e-9, 1e9, 1e300}) {
    for (double DeviceLimits::*field : {&DeviceLimits::mass, &DeviceLimits::damping,
                                        &DeviceLimits::stiffness, &DeviceLimits::resolution}) {
      CouplingPlace place = place_of("phantom", 0.1, 1e-3, RenderingMode::resolved);
      place.device.*field = extreme;
      EXPECT_LT(choice_takes(place), 0.1 * patience) << extreme;
    }
  }
  // a simulation that hardly steps, over a link that hardly answers
  CouplingPlace slow = place_of("phantom", 0.1, 1e6, RenderingMode::resolved);
  slow.link = {1e6, 1e6, 1e-6};
  EXPECT_LT(choice_takes(slow), 1.0 * patience);
}

TEST(ToolStability, HeavyToolIsAWallAtAnyDelay) {
  const DeviceAxis device = find_device_model("phantom").translation;
  const HandAxis hand = find_hand_model("medium")->translation;
  for (const double delay : {0.0, 0.4e-3, 1e-3, 2.75e-3}) {
    SampledSpring wall{.device = device, .hand = hand, .delay_s = delay};
    const auto grows = [&](double stiffness, double mass) {
      const CoupledTool tool{.device = device,
                             .hand = hand,
                             .mass = mass,
                             .mode = RenderingMode::plain,
                             .stiffness = stiffness,
                             .damping = 2.0,
                             .delay_s = delay};
      return !is_stable(tool);
    };
    wall.damping = 2.0;
    const double largest = largest_stable_stiffness(wall);
    EXPECT_FALSE(grows(0.99 * largest, 1e4)) << delay;
    EXPECT_TRUE(grows(1.01 * largest, 1e4)) << delay;
  }
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
