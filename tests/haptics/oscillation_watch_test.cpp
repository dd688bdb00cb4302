#include "stickslip/haptics/oscillation_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>

#include "stickslip/haptics/simulated_device.hpp"
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
  EXPECT_EQ(scale_after([](double t) { return 2.0 + 0.5 * wave(100.0, t); },
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
  EXPECT_NEAR(first_at, 0.06, 0.035);
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

/// A device of 0.1 kg and 5 N behind a link, in a medium hand that presses against a wall.
struct Swinging {
  double amplitude = 0.0;  ///< of the handle over the last half second, above its mean [m]
  double ripple = 0.0;     ///< of the force, the same, rms [N]
  double scale = 1.0;
};
Swinging hold_over_link(double stiffness, double delay_s, bool is_watched, double seconds) {
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
  const int ticks = static_cast<int>(seconds / tick);
  const int watched = 500;
  double low = 1.0;
  double high = -1.0;
  double sum = 0.0;
  double squares = 0.0;
  for (int k = 0; k < ticks; ++k) {
    loop.tick();
    tool.step(loop);
    if (k < ticks - watched) continue;
    const double x = device->truth().pose.position.x();
    low = std::min(low, x);
    high = std::max(high, x);
    const double force = loop.records()[0].wrench[0];
    sum += force / watched;
    squares += force * force / watched;
  }
  return {0.5 * (high - low), std::sqrt(std::max(0.0, squares - sum * sum)),
          loop.records()[0].gain_scale};
}

TEST(OscillationWatch, AHandThatSwingsOverASlowLinkIsCalmWithinHalfASecond) {
  for (const double delay : {1e-3, 2e-3}) {
    // pressed from 0.4 s on; watched from 1.05 s on
    const Swinging loose = hold_over_link(24'083.0, delay, false, 1.55);
    const Swinging held = hold_over_link(24'083.0, delay, true, 1.55);
    EXPECT_GT(loose.amplitude, 1e-3);
    EXPECT_EQ(loose.scale, 1.0);
    EXPECT_LT(held.amplitude, 5e-5);
    EXPECT_LT(held.ripple, 0.05);
    EXPECT_LT(held.scale, 0.5);
    EXPECT_GT(held.scale, 0.05);
  }
  // what is calm is left alone
  const Swinging calm = hold_over_link(2000.0, 1e-3, true, 1.55);
  EXPECT_EQ(calm.scale, 1.0);
}

}  // namespace
}  // namespace stickslip
