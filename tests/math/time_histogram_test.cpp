#include "stickslip/math/time_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

TEST(TimeHistogram, QuantilesAreThoseOfTheSortedTimesToOnePercent) {
  std::mt19937 random(5);
  // microseconds from a nanosecond to most of a minute
  std::uniform_real_distribution<double> exponent(-3.0, 7.7);
  for (const int count : {1, 2, 7, 100, 10'007}) {
    TimeHistogram histogram;
    std::vector<double> times;
    for (int k = 0; k < count; ++k) {
      times.push_back(std::pow(10.0, exponent(random)));
      histogram.add(times.back());
    }
    std::sort(times.begin(), times.end());
    for (const double share : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      // the first time that is not exceeded by that share of all
      const auto rank = std::max(1.0, std::ceil(share * count));
      const double expected = times[static_cast<std::size_t>(rank) - 1];
      EXPECT_NEAR(histogram.quantile(share), expected, 0.01 * expected) << count << ' ' << share;
    }
    EXPECT_EQ(histogram.max(), times.back());
  }
}

TEST(TimeHistogram, NeverTellsMoreThanTheLargest) {
  TimeHistogram histogram;
  EXPECT_EQ(histogram.quantile(0.5), 0.0);
  EXPECT_EQ(histogram.max(), 0.0);
  for (const double time : {0.0, 1.0, 2.0, 3.0}) histogram.add(time);
  EXPECT_EQ(histogram.quantile(0.0), 1e-3 * std::pow(1.01, 0.5));
  EXPECT_LE(histogram.quantile(1.0), 3.0);
  // wherever in its bin it lies
  for (int k = 0; k < 200; ++k) {
    TimeHistogram one;
    one.add(1.0 + 0.001 * k);
    EXPECT_LE(one.quantile(0.5), 1.0 + 0.001 * k);
  }
}

TEST(TimeHistogram, TakesTimesBeyondItsBinsAndDoesNotGrow) {
  TimeHistogram histogram;
  const std::size_t before = testing_support::allocation_count();
  for (const double time : {1e-9, -1.0, 1e8, 1e12, 1e300}) {
    for (int k = 0; k < 1000; ++k) histogram.add(time);
  }
  EXPECT_EQ(testing_support::allocation_count(), before);
  EXPECT_EQ(histogram.max(), 1e300);
  EXPECT_NEAR(histogram.quantile(0.2), 1e-3, 1e-5);
  EXPECT_NEAR(histogram.quantile(0.6), 1e8, 1e6);
}

}  // namespace
}  // namespace stickslip
