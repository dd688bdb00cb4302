#include "experiments/figure_07_gap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "places.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/pyramid.hpp"

namespace stickslip::experiments {
namespace {

using std::numbers::pi;

const char* const table_mesh = STICKSLIP_SOURCE_DIR "/scenes/models/table_500.msh";

TEST(PyramidGap, SlipImposedOnOneContactGivesThatOfAPolygon) {
  // theta between slip and nearest corner is missed by 2 sin(theta/2), theta from 0 to pi/k
  const double mu = 0.5;
  for (const int k : {4, 8, 16}) {
    Pyramid pyramid(k);
    const int samples = 2000;
    double mean = 0.0;
    double largest = 0.0;
    for (int i = 0; i < samples; ++i) {
      // never halfway between corners, where any mixture of the two is right
      const double azimuth = 2.0 * pi * (i + 0.25) / samples;
      const Vec3 t(0.0, std::cos(azimuth), std::sin(azimuth));
      const ContactProblem problem{BlockMatrix::dense(Mat3::Identity()),
                                   Vec3(-1.0, 0.0, 0.0) + 1e8 * t, VecX::Constant(1, mu)};
      VecX f;
      ASSERT_EQ(pyramid.solve(problem, {}, f).status, SolveStatus::converged);
      f[0] = 0.0;
      const double gap = gap_percent(f, -mu * t);
      mean += gap / samples;
      largest = std::max(largest, gap);
    }
    EXPECT_NEAR(mean, 100.0 * 4.0 * k / pi * (1.0 - std::cos(pi / (2.0 * k))), 0.02);
    EXPECT_NEAR(largest, 100.0 * 2.0 * std::sin(pi / (2.0 * k)), 0.2);
  }
}

TEST(PyramidGap, OnTheTableItShrinksAsSidesAreAdded) {
  GapSettings settings;
  settings.sides = {4, 8, 16, 32};
  settings.contacts = 12;
  settings.tests = 8;
  settings.motions = {1.0, 10.0};
  const std::vector<GapRow> rows = measure_gap(TableOnFloor(table_mesh), settings);
  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].solved, settings.tests);
    EXPECT_GT(rows[i].gap_percent, 0.0);
    if (i % 4 == 0) continue;
    EXPECT_LT(rows[i].gap_percent, 0.8 * rows[i - 1].gap_percent);
    EXPECT_LT(rows[i].friction_gap_percent, 0.8 * rows[i - 1].friction_gap_percent);
  }
  // beyond the threshold all slide
  EXPECT_EQ(rows[4].sliding_share, 1.0);
}

}  // namespace
}  // namespace stickslip::experiments
