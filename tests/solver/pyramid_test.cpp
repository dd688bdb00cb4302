#include "stickslip/solver/pyramid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/error.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/problem/friction_cone.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

constexpr double pi = std::numbers::pi;

class PyramidOf : public testing::TestWithParam<int> {};

TEST_P(PyramidOf, ImposedSlipShowsTheErrorsOfAPolygon) {
  const int k = GetParam();
  const double mu = 0.5;
  Pyramid solver(k);
  double largest_angle = 0.0;
  double largest_vector_error = 0.0;
  // azimuths just beside the corners' middles and the corners themselves
  for (int side = 0; side < k; ++side) {
    for (const double share : {0.0, 0.25, 0.5 - 1e-8, 0.5 + 1e-8, 0.75}) {
      const double azimuth = 2.0 * pi * (side + share) / k;
      const Vec3 t(0.0, std::cos(azimuth), std::sin(azimuth));
      VecX f;
      const ContactProblem problem =
          single_contact(Mat3::Identity(), Vec3(-1.0, 0.0, 0.0) + 1e8 * t, mu);
      ASSERT_EQ(solver.solve(problem, {}, f).status, SolveStatus::converged);
      EXPECT_NEAR(f[0], 1.0, 1e-7);
      EXPECT_TRUE(FrictionCone{mu}.contains(f));
      const Vec3 friction(0.0, f[1], f[2]);
      const Vec3 exact = -mu * t;
      const double cosine = friction.dot(exact) / (friction.norm() * exact.norm());
      largest_angle = std::max(largest_angle, std::acos(std::min(1.0, cosine)));
      largest_vector_error = std::max(largest_vector_error, (friction - exact).norm() / mu);
    }
  }
  EXPECT_NEAR(largest_angle, pi / k, 1e-6);
  EXPECT_NEAR(largest_vector_error, 2.0 * std::sin(pi / (2.0 * k)), 1e-6);
}

TEST_P(PyramidOf, StickThresholdIsLostBetweenTheCorners) {
  const int k = GetParam();
  const double mu = 0.5;
  Pyramid solver(k);
  // the largest load that sticks, against a corner and against the middle of a side
  const auto threshold = [&](double azimuth) {
    double low = 0.0;
    double high = 2.0 * mu;
    while (high - low > 1e-9) {
      const double load = (low + high) / 2.0;
      VecX f;
      const ContactProblem problem = single_contact(
          Mat3::Identity(), {-1.0, load * std::cos(azimuth), load * std::sin(azimuth)}, mu);
      EXPECT_EQ(solver.solve(problem, {}, f).status, SolveStatus::converged);
      const bool sticks =
          std::hypot(f[1] + problem.delta_free[1], f[2] + problem.delta_free[2]) < 1e-10;
      (sticks ? low : high) = load;
    }
    return low / mu;
  };
  EXPECT_NEAR(threshold(0.0), 1.0, 1e-6);
  EXPECT_NEAR(1.0 - threshold(pi / k), 1.0 - std::cos(pi / k), 1e-6);
}

TEST_P(PyramidOf, ManyContactsObeyTheLawsOfThePyramid) {
  const int k = GetParam();
  Pyramid solver(k);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const ContactProblem problem = elastic_problem(8, 0.6, seed);
    VecX f;
    ASSERT_EQ(solver.solve(problem, {}, f).status, SolveStatus::converged);
    const LawViolations laws = law_violations(problem, f);
    EXPECT_LE(laws.penetration_m, 1e-15);
    EXPECT_EQ(laws.adhesion_N, 0.0);
    EXPECT_LE(laws.force_across_gap_m, 1e-15);
    EXPECT_LE(laws.cone_excess_N, 1e-15);
    EXPECT_LE(natural_map_error(problem, f).rescaled, 2.0 * std::sin(pi / (2.0 * k)));
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, PyramidOf, testing::Values(4, 8, 16));

TEST(Pyramid, ToleranceBeyondItsReachIsAFailureWithAReason) {
  const ContactProblem problem = single_contact(Mat3::Identity(), {-1.0, 3.0, 1.0}, 0.5);
  SolverOptions options;
  options.tolerance = 1e-8;
  VecX f;
  const SolveResult result = Pyramid(8).solve(problem, options, f);
  EXPECT_EQ(result.status, SolveStatus::failed);
  EXPECT_FALSE(result.message.empty());
  EXPECT_GT(result.error, 1e-3);
}

TEST(Pyramid, NeedsAnEvenNumberOfSides) {
  EXPECT_THROW(Pyramid(5), InputError);
  EXPECT_THROW(Pyramid(2), InputError);
  EXPECT_NO_THROW(Pyramid(6));
}

}  // namespace
}  // namespace stickslip
