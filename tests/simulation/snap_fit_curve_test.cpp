// What curves of snap fits say, without any scene.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "stickslip/studies/snap_fit.hpp"

namespace stickslip {
namespace {

/// Pushed in over 10 mm and withdrawn, by force and stored energy as functions of the way.
struct Course {
  std::vector<SnapSample> samples;
  std::size_t withdrawal = 0;

  /// `normal` is what the contacts do without friction, going in.
  template <class Force, class Normal, class Stored>
  Course(const Force& force, const Normal& normal, const Stored& stored) {
    for (int k = 0; k <= 200; ++k) {
      const bool goes_out = k > 100;
      const double way = goes_out ? 2.0 - 0.01 * k : 0.01 * k;
      SnapSample sample;
      sample.time_s = 1e-3 * k;
      sample.moved_m = 0.01 * way;
      sample.force_N = force(way, goes_out);
      sample.normal_N = goes_out ? -normal(way) : normal(way);
      sample.stored_J = stored(way);
      sample.loaded_contacts = sample.stored_J > 0.0 ? 4 : 0;
      samples.push_back(sample);
    }
    withdrawal = 101;
  }

  std::vector<SnapPhase> phases() const {
    SnapWatch watch;
    std::vector<SnapPhase> phases = {watch.phase()};
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const SnapPhase phase = watch.add(samples[k], k >= withdrawal);
      if (phase != phases.back()) phases.push_back(phase);
    }
    return phases;
  }
};

/// Over a hump that is highest in the middle of the way, and still touching at its end.
double hump(double way) {
  return way < 0.2 ? 0.0 : 1e-3 + 1e-2 * std::max(0.0, 1.0 - 5.0 * std::abs(way - 0.5));
}

/// Its slope: below 0 behind it.
double slope(double way) {
  return way < 0.2 || std::abs(way - 0.5) > 0.2 ? 0.0 : way < 0.5 ? 5.0 : -5.0;
}

TEST(SnapFitCurve, AHumpIsASnapThatHoldsAndLetsGo) {
  const Course course(
      [](double way, bool goes_out) { return hump(way) * (goes_out ? -300.0 : 500.0); }, slope,
      hump);
  const SnapFit fit = read_snap_fit(course.samples, course.withdrawal);
  EXPECT_TRUE(fit.snaps);
  EXPECT_TRUE(fit.holds);
  EXPECT_TRUE(fit.lets_go);
  EXPECT_NEAR(fit.peak_N, 500.0 * hump(0.5), 1e-9);
  EXPECT_NEAR(fit.retention_N, 300.0 * hump(0.5), 1e-9);
  EXPECT_EQ(course.phases(), (std::vector{SnapPhase::approach, SnapPhase::push, SnapPhase::seated,
                                          SnapPhase::pull, SnapPhase::free}));
}

// as one that is tilted by 20 degrees does: it is pressed in like a spring, and comes back like one
TEST(SnapFitCurve, AJammedPartNeitherHoldsNorLetsGo) {
  const auto spring = [](double way) { return std::max(0.0, way - 0.2) * (way - 0.2); };
  const Course course([](double way, bool) { return std::max(0.0, way - 0.2) * 60.0; }, spring,
                      spring);
  const SnapFit fit = read_snap_fit(course.samples, course.withdrawal);
  EXPECT_FALSE(fit.snaps);
  EXPECT_FALSE(fit.holds);
  EXPECT_FALSE(fit.lets_go);
  EXPECT_EQ(fit.retention_N, 0.0);
  EXPECT_EQ(course.phases(), (std::vector{SnapPhase::approach, SnapPhase::push, SnapPhase::free}))
      << "what it gives back on its way out seats nothing";
}

// as a ball does that is pressed into a soft block and slips off
TEST(SnapFitCurve, WhatIsNeverDrawnInHasNotSnapped) {
  const Course course([](double way, bool goes_out) { return goes_out ? 0.0 : 500.0 * hump(way); },
                      hump, hump);
  const SnapFit fit = read_snap_fit(course.samples, course.withdrawal);
  EXPECT_FALSE(fit.snaps);
  EXPECT_FALSE(fit.holds);
  EXPECT_FALSE(fit.lets_go);
  EXPECT_EQ(course.phases(), (std::vector{SnapPhase::approach, SnapPhase::push, SnapPhase::free}));
}

TEST(SnapFitCurve, WhatIsHeldByFrictionAloneLetsGo) {
  const auto press = [](double way) { return std::max(0.0, way - 0.2); };
  const Course course(
      [&](double way, bool goes_out) { return press(way) * (goes_out ? -10.0 : 30.0); }, press,
      press);
  const SnapFit fit = read_snap_fit(course.samples, course.withdrawal);
  EXPECT_FALSE(fit.snaps);
  EXPECT_TRUE(fit.holds);
  EXPECT_TRUE(fit.lets_go);
}

}  // namespace
}  // namespace stickslip
