#include "stickslip/proximity/feature_distance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stickslip {
namespace {

/// The least value of a convex function on [low, high], by thirds.
template <class Function>
double least(Function&& f, double low, double high) {
  for (int step = 0; step < 100; ++step) {
    const double a = low + (high - low) / 3.0;
    const double b = high - (high - low) / 3.0;
    if (f(a) <= f(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return f(0.5 * (low + high));
}

double triangle_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  return least(
      [&](double u) {
        return least([&](double v) { return (a + u * (b - a) + v * (c - a) - p).norm(); }, 0.0,
                     1.0 - u);
      },
      0.0, 1.0);
}

double segment_distance(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return least(
      [&](double s) {
        return least([&](double t) { return (a + s * (b - a) - c - t * (d - c)).norm(); }, 0.0,
                     1.0);
      },
      0.0, 1.0);
}

Vec3 random_point(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  return {uniform(random), uniform(random), uniform(random)};
}

TEST(FeatureDistance, NearestPointOfATriangleIsTheLeastOfAll) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 a = random_point(random);
    Vec3 b = random_point(random);
    Vec3 c = random_point(random);
    const Vec3 p = 1.5 * random_point(random);
    // some without area, some without length
    if (trial % 10 == 1) c = a + 0.3 * (b - a);
    if (trial % 10 == 2) c = a - 0.5 * (b - a);
    if (trial % 10 == 3) c = b;
    if (trial % 10 == 4) b = c = a;
    if (trial % 10 == 5) c = a + 0.5 * (b - a) + 1e-9 * c;
    const TrianglePoint nearest = closest_on_triangle(p, a, b, c);
    EXPECT_NEAR(std::sqrt(nearest.squared_distance), triangle_distance(p, a, b, c), 1e-7) << trial;
    const auto& w = nearest.weight;
    EXPECT_NEAR(w[0] + w[1] + w[2], 1.0, 1e-14);
    EXPECT_GE(*std::min_element(w.begin(), w.end()), 0.0);
    EXPECT_LT((w[0] * a + w[1] * b + w[2] * c - nearest.point).norm(), 1e-14);
  }
}

TEST(FeatureDistance, PlacesOnBordersHaveExactZeros) {
  const Vec3 a(0.0, 0.0, 0.0);
  const Vec3 b(1.0, 0.0, 0.0);
  const Vec3 c(0.0, 1.0, 0.0);
  EXPECT_EQ(closest_on_triangle({0.2, 0.3, 1.0}, a, b, c).corners(), 7);
  EXPECT_EQ(closest_on_triangle({0.5, 0.0, 1.0}, a, b, c).corners(), 3);
  EXPECT_EQ(closest_on_triangle({0.5, -1.0, 0.0}, a, b, c).corners(), 3);
  EXPECT_EQ(closest_on_triangle({0.0, 0.5, 0.0}, a, b, c).corners(), 5);
  EXPECT_EQ(closest_on_triangle({1.0, 1.0, 0.0}, a, b, c).corners(), 6);
  EXPECT_EQ(closest_on_triangle({-1.0, -1.0, 2.0}, a, b, c).corners(), 1);
  EXPECT_EQ(closest_on_triangle(b, a, b, c).corners(), 2);
  EXPECT_EQ(closest_on_triangle(c, a, b, c).corners(), 4);
}

TEST(FeatureDistance, NearestPointsOfSegmentsAreTheLeastOfAll) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const Vec3 a = random_point(random);
    const Vec3 b = random_point(random);
    const Vec3 c = random_point(random);
    Vec3 d = random_point(random);
    // parallel ones, nearly parallel ones and points
    if (trial % 10 == 1) d = c + 0.7 * (b - a);
    if (trial % 10 == 2) d = c - 0.7 * (b - a);
    if (trial % 10 == 3) d = c;
    if (trial % 10 == 4) d = c + (b - a) + 1e-8 * d;
    const SegmentPoints nearest = closest_on_segments(a, b, c, d);
    EXPECT_NEAR(std::sqrt(nearest.squared_distance), segment_distance(a, b, c, d), 1e-7) << trial;
    EXPECT_EQ(nearest.is_parallel, trial % 10 >= 1 && trial % 10 <= 4) << trial;
    for (const double share : {nearest.s, nearest.t}) {
      EXPECT_GE(share, 0.0);
      EXPECT_LE(share, 1.0);
    }
  }
}

TEST(FeatureDistance, ParallelSegmentsMeetInTheMiddleOfTheirCommonStretch) {
  const SegmentPoints beside =
      closest_on_segments({0.0, 0.0, 0.0}, {4.0, 0.0, 0.0}, {6.0, 1.0, 0.0}, {2.0, 1.0, 0.0});
  EXPECT_TRUE(beside.is_parallel);
  EXPECT_DOUBLE_EQ(beside.s, 0.75);
  EXPECT_DOUBLE_EQ(beside.t, 0.75);
  EXPECT_DOUBLE_EQ(beside.squared_distance, 1.0);
  // one behind the other: their ends
  const SegmentPoints behind =
      closest_on_segments({0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, {5.0, 0.0, 0.0});
  EXPECT_EQ(behind.s, 1.0);
  EXPECT_EQ(behind.t, 0.0);
  EXPECT_DOUBLE_EQ(behind.squared_distance, 4.0);
}

}  // namespace
}  // namespace stickslip
