#include "stickslip/haptics/loop/reading_judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip {
namespace {

using Verdict = ReadingJudge::Verdict;

constexpr double tick = 1e-3;

DeviceLimits with_radius(double radius) {
  DeviceLimits limits;
  limits.workspace_radius = radius;
  return limits;
}

DeviceReading at(double x, std::uint64_t sequence, double age_s = 0.0) {
  DeviceReading reading;
  reading.position.x() = x;
  reading.sequence = sequence;
  reading.age_s = age_s;
  return reading;
}

/// A judge that knows a device at the origin, sample 1.
ReadingJudge judge_of(double radius = 0.1) {
  ReadingJudge judge({}, with_radius(radius), tick);
  EXPECT_EQ(judge.judge(true, at(0.0, 1), tick), Verdict::fresh);
  return judge;
}

TEST(ReadingJudge, WhatIsNoPoseIsBad) {
  const double nan = std::nan("");
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double x : {nan, infinite, -infinite, 1e300}) {
    ReadingJudge judge = judge_of();
    EXPECT_EQ(judge.judge(true, at(x, 2), tick), Verdict::bad);
  }
  for (const double w : {nan, infinite, 0.0, 1e300, 1e-300}) {
    ReadingJudge judge = judge_of();
    DeviceReading reading = at(0.0, 2);
    reading.orientation = Quat(w, 0.0, 0.0, 0.0);
    EXPECT_EQ(judge.judge(true, reading, tick), Verdict::bad);
  }
  ReadingJudge judge = judge_of();
  EXPECT_EQ(judge.judge(false, at(0.0, 2), tick), Verdict::bad);
  EXPECT_EQ(judge.judge(true, at(0.0, 3, nan), tick), Verdict::bad);
}

TEST(ReadingJudge, OutOfReachStaysBadForEver) {
  for (const auto& [radius, beyond] : {std::pair{0.1, 0.51}, {0.0, 10.1}, {0.1, 1e300}}) {
    ReadingJudge judge = judge_of(radius);
    for (std::uint64_t k = 2; k < 1000; ++k) {
      ASSERT_EQ(judge.judge(true, at(beyond, k), tick), Verdict::bad) << beyond;
    }
    EXPECT_EQ(judge.judge(true, at(0.0, 1000), tick), Verdict::bad);
    EXPECT_EQ(judge.judge(true, at(0.0, 1001), tick), Verdict::fresh);
  }
}

TEST(ReadingJudge, AJumpIsBadAndItsPlaceIsBelievedNext) {
  ReadingJudge judge = judge_of();
  EXPECT_EQ(judge.judge(true, at(0.02, 2), tick), Verdict::bad);
  EXPECT_EQ(judge.judge(true, at(0.02, 3), tick), Verdict::fresh);
  EXPECT_EQ(judge.judge(true, at(0.0, 4), tick), Verdict::bad);
  EXPECT_EQ(judge.judge(true, at(0.0, 5), tick), Verdict::fresh);

  DeviceReading turned = at(0.0, 6);
  turned.orientation = Eigen::AngleAxisd(0.5, Vec3::UnitX());
  EXPECT_EQ(judge.judge(true, turned, tick), Verdict::bad);
}

TEST(ReadingJudge, AJumpIsOneByTheTimeThatPassed) {
  // 2 m/s is fast for a hand, and no jump however late the tick is
  for (const double late : {0.2e-3, 1e-3, 5e-3, 19e-3, 45e-3}) {
    ReadingJudge judge = judge_of(1.0);
    EXPECT_EQ(judge.judge(true, at(2.0 * late, 2), late), Verdict::fresh) << late;
    EXPECT_NEAR(judge.interval_s(), late, 1e-15);
  }
  ReadingJudge judge = judge_of(1.0);
  EXPECT_EQ(judge.judge(true, at(0.1, 2), 5e-3), Verdict::bad);
}

TEST(ReadingJudge, RepeatedAndReorderedSamplesAreNothingNew) {
  ReadingJudge judge = judge_of();
  EXPECT_EQ(judge.judge(true, at(1e-4, 5), tick), Verdict::fresh);
  EXPECT_EQ(judge.judge(true, at(1e-4, 5), tick), Verdict::repeated);
  EXPECT_EQ(judge.judge(true, at(0.0, 3), tick), Verdict::repeated);
  // the interval is that of the samples
  EXPECT_EQ(judge.judge(true, at(4e-4, 8), tick), Verdict::fresh);
  EXPECT_NEAR(judge.interval_s(), 3.0 * tick, 1e-15);

  // a sample that waited for 0.6 ms was taken so much earlier
  EXPECT_EQ(judge.judge(true, at(4e-4, 9, 0.6e-3), 2.0 * tick), Verdict::fresh);
  EXPECT_NEAR(judge.interval_s(), 1.4e-3, 1e-15);
  EXPECT_EQ(judge.judge(true, at(4e-4, 10), tick), Verdict::fresh);
  EXPECT_NEAR(judge.interval_s(), 1.6e-3, 1e-15);
}

TEST(ReadingJudge, ASilentDeviceIsLostAfterFiftyMilliseconds) {
  const auto lost_after = [](const DeviceReading& reading) {
    ReadingJudge judge = judge_of();
    for (int k = 1; k < 100; ++k) {
      if (judge.judge(true, reading, tick) == Verdict::bad) return k * tick;
    }
    return 0.0;
  };
  EXPECT_NEAR(lost_after(at(0.0, 1)), 0.0505, 0.6e-3);
  // new ones that are old already
  EXPECT_NEAR(lost_after(at(0.0, 2, 0.06)), 0.0505, 0.6e-3);

  // the age of the last good one counts
  ReadingJudge judge = judge_of();
  EXPECT_EQ(judge.judge(true, at(0.0, 2, 0.03), tick), Verdict::fresh);
  EXPECT_EQ(judge.judge(true, at(0.0, 2, 0.03), 0.019), Verdict::repeated);
  EXPECT_EQ(judge.judge(true, at(0.0, 2, 0.03), 0.002), Verdict::bad);
  // it stays lost until something new comes, also from one that counts anew
  EXPECT_EQ(judge.judge(true, at(0.0, 2), 1.0), Verdict::bad);
  EXPECT_EQ(judge.judge(true, at(0.0, 1), tick), Verdict::bad);
  EXPECT_EQ(judge.judge(true, at(0.0, 2), tick), Verdict::fresh);
}

TEST(ReadingJudge, OldSamplesPlayedBackwardsAreNotBelieved) {
  ReadingJudge judge = judge_of();
  EXPECT_EQ(judge.judge(true, at(0.0, 1000), tick), Verdict::fresh);
  for (std::uint64_t k = 999; k > 100; --k) {
    const bool is_bad = judge.judge(true, at(0.0, k), tick) == Verdict::bad;
    if (k != 950) {
      ASSERT_EQ(is_bad, k < 950) << k;
    }
  }
}

TEST(ReadingJudge, ADeviceThatDoesNotCountIsAlwaysNew) {
  ReadingJudge judge({}, with_radius(0.1), tick);
  for (int k = 0; k < 200; ++k) EXPECT_EQ(judge.judge(true, at(0.0, 0), tick), Verdict::fresh);
}

}  // namespace
}  // namespace stickslip
