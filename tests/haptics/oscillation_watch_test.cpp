#include "stickslip/haptics/loop/oscillation_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/haptics/stability/gain_choice.hpp"
#include "tests/haptics/standing_tool.hpp"

namespace stickslip {
namespace {

using testing_support::StandingTool;

constexpr double tick = 1e-3;
constexpr double peak = 5.0;

OscillationWatch watch_of(const OscillationOptions& options = {}) {
  return {options, peak, 0.0, 0.0};
}

/// The scale after a force and a motion over a second, both functions of time.
double scale_after(const std::function<double(double)>& force,
                   const std::function<double(double)>& motion) {
  OscillationWatch watch = watch_of();
  for (int k = 0; k < 1000; ++k) {
    Vec6 sent = Vec6::Zero();
    Vec6 way = Vec6::Zero();
    sent[1] = force(k * tick);
    way[1] = motion(k * tick);
    watch.add(sent, way, tick);
  }
  return watch.scale();
}

double wave(double hz, double time) {
  return std::sin(2.0 * std::numbers::pi * hz * time);
}

TEST(OscillationWatch, WhatAHandDoesIsNoOscillation) {
  // a shake by hand, at full force
  EXPECT_EQ(scale_after([](double t) { return 5.0 * wave(4.0, t); },
                        [](double t) { return 0.02 * wave(4.0, t); }),
            1.0);
  // taps that ring down, five a second
  const auto ringing = [](double t) {
    const double since = std::fmod(t, 0.2);
    return std::exp(-since / 0.05) * wave(40.0, since);
  };
  EXPECT_EQ(scale_after([&](double t) { return 4.0 * ringing(t); },
                        [&](double t) { return 1e-3 * ringing(t); }),
            1.0);
  // a fine texture
  EXPECT_EQ(scale_after([](double t) { return 2.0 + 0.4 * wave(100.0, t); },
                        [](double t) { return 1e-4 * wave(100.0, t); }),
            1.0);
  // a force that chatters while the handle stands still
  EXPECT_EQ(scale_after([](double t) { return 3.0 * wave(200.0, t); }, [](double) { return 0.0; }),
            1.0);
}

TEST(OscillationWatch, ASwingLowersTheGainsWithoutAStep) {
  OscillationWatch watch = watch_of();
  double before = 1.0;
  double first_at = 0.0;
  for (int k = 0; k < 1000; ++k) {
    const double time = k * tick;
    Vec6 sent = Vec6::Zero();
    Vec6 way = Vec6::Zero();
    sent[0] = 3.0 * wave(60.0, time);
    way[0] = -1e-3 * wave(60.0, time);
    watch.add(sent, way, tick);
    EXPECT_LE(before - watch.scale(), 0.05);
    EXPECT_LE(watch.scale(), before);
    if (first_at == 0.0 && watch.scale() < 1.0) first_at = time;
    before = watch.scale();
  }
  EXPECT_GT(first_at, 0.04);
  EXPECT_LT(first_at, 0.25);
  // and no further than this
  EXPECT_DOUBLE_EQ(before, 0.1);
}

TEST(OscillationWatch, UnevenTicksSeeTheSame) {
  std::mt19937_64 random(4);
  OscillationWatch watch = watch_of();
  double time = 0.0;
  while (time < 1.0) {
    const double elapsed = std::uniform_real_distribution(0.2e-3, 4e-3)(random);
    time += elapsed;
    Vec6 sent = Vec6::Zero();
    Vec6 way = Vec6::Zero();
    sent[0] = 3.0 * wave(60.0, time);
    way[0] = -1e-3 * wave(60.0, time);
    watch.add(sent, way, elapsed);
  }
  EXPECT_DOUBLE_EQ(watch.scale(), 0.1);
}

/// From peak to peak, and the mean.
struct Range {
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double size() const { return high - low; }
  double low = 1e9;
  double high = -1e9;
};

struct Held {
  Range motion;       ///< of the handle, from 0.5 to 0.75 s after the first oscillation [m]
  Range last_motion;  ///< in the last half second
  Range last_force;   ///< the same [N]
  double scale = 1.0;
};

/// A device of 0.1 kg and 5 N behind a link, in a medium hand that presses against what stands.
Held hold_over_link(double stiffness, double delay_s, bool is_watched) {
  DeviceModel model = find_device_model("inverse3");
  model.translation = {.mass = 0.1, .damping = 0.1};
  model.delay_s = delay_s;
  Intention intention;
  intention.hold(0.4).minimum_jerk_to({{0.01, 0.0, 0.0}, Quat::Identity()}, 0.15);
  const auto device =
      std::make_shared<SimulatedDevice>(model, Operator{*find_hand_model("medium"), intention});
  LoopOptions options = StandingTool::options();
  options.oscillation.is_on = is_watched;
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  HapticLoop loop(options, {setup}, StandingTool::prototype(), 1);
  StandingTool tool({stiffness, stiffness * tick, 1.0, 0.001});
  Held held;
  const int ticks = 3000;
  int since = 0;
  for (int k = 0; k < ticks; ++k) {
    loop.tick();
    tool.step(loop);
    const TickRecord& record = loop.records()[0];
    const double x = device->truth().pose.position.x();
    // unwatched: from where others begin to swing
    since += record.gain_scale < 1.0 || (!is_watched && k > 700) ? 1 : 0;
    if (since >= 500 && since < 750) held.motion.add(x);
    if (k < ticks - 500) continue;
    held.last_motion.add(x);
    held.last_force.add(record.wrench[0]);
  }
  held.scale = loop.records()[0].gain_scale;
  return held;
}

TEST(OscillationWatch, AHandThatSwingsOverASlowLinkRingsDown) {
  for (const auto& [stiffness, delay] : {std::pair{24'083.0, 1e-3}, {12'000.0, 2e-3}}) {
    const Held loose = hold_over_link(stiffness, delay, false);
    EXPECT_GT(loose.motion.size(), 1e-3) << stiffness;
    EXPECT_GT(loose.last_motion.size(), 1e-3);
    EXPECT_GT(loose.last_force.size(), 4.0);
    EXPECT_EQ(loose.scale, 1.0);
    // what is left rings down as the hand does
    const Held held = hold_over_link(stiffness, delay, true);
    EXPECT_LT(held.motion.size(), 0.4 * loose.last_motion.size()) << stiffness;
    EXPECT_LT(held.last_motion.size(), 2e-5);
    EXPECT_LT(held.last_force.size(), 0.05);
    EXPECT_LT(held.scale, 0.5);
    EXPECT_GE(held.scale, 0.1);
  }
  // what is calm is left alone
  EXPECT_EQ(hold_over_link(2000.0, 1e-3, true).scale, 1.0);
}

/// A light or medium hand that comes down at 0.5 m/s and goes on pressing with 3 N, on a device of
/// that peak with the gains that are chosen for it: the force from side to side in the second
/// second.
double swing_after_hit(const HandModel& hand, double peak_force, bool is_watched) {
  DeviceModel model = find_device_model("phantom");
  model.limits.peak_force = peak_force;
  CouplingPlace place;
  place.device = model.limits;
  place.held = {0.015, 0.015, 1e-6, 1e-6};
  const CouplingGains gains = choose_gains(coupling_limits(place), place);
  const double low = -3.0 / gains.stiffness - 3.0 / hand.translation.stiffness;
  Intention intention;
  intention.hold(0.4).ramp_to({{0.0, 0.0, low}, Quat::Identity()}, -low / 0.5);
  const auto device = std::make_shared<SimulatedDevice>(model, Operator{hand, intention});
  LoopOptions options = StandingTool::options();
  options.oscillation.is_on = is_watched;
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  HapticLoop loop(options, {setup}, StandingTool::prototype(), 1);
  StandingTool tool(gains);
  Range force;
  for (int k = 0; k < 2500; ++k) {
    loop.tick();
    tool.step(loop);
    if (k > 1500) force.add(loop.records()[0].wrench[2]);
  }
  return force.size();
}

TEST(OscillationWatch, AHitHarderThanTheGainsWereChosenForRingsDown) {
  for (const char* hand : {"light", "medium"}) {
    for (const double peak_force : {5.0, 7.9, 12.0}) {
      EXPECT_LT(swing_after_hit(*find_hand_model(hand), peak_force, true), 0.05)
          << hand << " " << peak_force;
    }
  }
}

}  // namespace
}  // namespace stickslip
