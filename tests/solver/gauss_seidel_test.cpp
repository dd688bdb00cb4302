#include "stickslip/solver/gauss_seidel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

// numbers that a double holds exactly, so that the trace below has no rounding
ContactProblem two_coupled_contacts() {
  MatX W(6, 6);
  W << 2.0, 0.5, 0.0, 1.0, 0.0, 0.5,  //
      0.5, 4.0, 1.0, 0.0, 0.5, 0.0,   //
      0.0, 1.0, 4.0, 0.25, 0.0, 1.0,  //
      1.0, 0.0, 0.25, 4.0, 0.0, 0.5,  //
      0.0, 0.5, 0.0, 0.0, 2.0, 0.0,   //
      0.5, 0.0, 1.0, 0.5, 0.0, 2.0;
  VecX delta_free(6);
  delta_free << -4.0, 1.0, 0.0, -6.0, 0.125, -9.0;
  return {BlockMatrix::dense(W), delta_free, VecX::Constant(2, 0.5)};
}

VecX force_after(int sweeps, const ContactProblem& problem) {
  GaussSeidel solver({.epsilon_1 = 0.0, .epsilon_2 = 1e-300});
  SolverOptions options;
  options.max_iterations = sweeps;
  VecX f;
  EXPECT_EQ(solver.solve(problem, options, f).iterations, sweeps);
  return f;
}

TEST(GaussSeidel, MatchesAHandComputedTraceOfTwoCoupledContacts) {
  // the eigenvalues of [[4, 1], [1, 4]] are 3 and 5, of [[2, 0], [0, 2]] both 2:
  // Lambda_1 = 4, Lambda_2 = 2
  const ContactProblem problem = two_coupled_contacts();

  // sweep 1, contact 1: delta = delta_free = (-4, 1, 0)
  //   f_n = 0 + 4/2 = 2, f_t = -(1, 0)/4 = (-1/4, 0), 1/4 <= 2/2: sticks
  // sweep 1, contact 2: W_21 f_1 = (2, -1/8, 1), delta = (-4, 0, -8)
  //   f_n = 0 + 4/4 = 1, f_t = -(0, -8)/2 = (0, 4), 4 > 1/2: slips, f_t = (0, 1/2)
  const VecX first = force_after(1, problem);
  EXPECT_EQ(first[0], 2.0);
  EXPECT_EQ(first[1], -0.25);
  EXPECT_EQ(first[2], 0.0);
  EXPECT_EQ(first[3], 1.0);
  EXPECT_EQ(first[4], 0.0);
  EXPECT_EQ(first[5], 0.5);

  // sweep 2, contact 1: W_11 f_1 = (31/8, 0, -1/4), W_12 f_2 = (5/4, 0, 3/4)
  //   delta = (-4 + 31/8 + 5/4, 1, 1/2) = (9/8, 1, 1/2)
  //   f_n = 2 - 9/16 = 23/16, f_t = (-1/4, 0) - (1/4, 1/8) = (-1/2, -1/8), inside 23/32: sticks
  // sweep 2, contact 2: W_21 f_1 = (45/32, -1/4, 19/32), W_22 f_2 = (17/4, 0, 3/2)
  //   delta = (-6 + 45/32 + 17/4, 1/8 - 1/4, -9 + 19/32 + 3/2) = (-11/32, -1/8, -221/32)
  //   f_n = 1 + 11/128 = 139/128, f_t = (0, 1/2) + (1/16, 221/64) = (4, 253)/64
  //   slips: f_t = 139/256 (4, 253) / sqrt(4^2 + 253^2)
  const VecX second = force_after(2, problem);
  EXPECT_EQ(second[0], 23.0 / 16.0);
  EXPECT_EQ(second[1], -0.5);
  EXPECT_EQ(second[2], -0.125);
  EXPECT_EQ(second[3], 139.0 / 128.0);
  EXPECT_DOUBLE_EQ(second[4], 139.0 / 256.0 * 4.0 / std::sqrt(64025.0));
  EXPECT_DOUBLE_EQ(second[5], 139.0 / 256.0 * 253.0 / std::sqrt(64025.0));
}

TEST(GaussSeidel, TraceHoldsForASparseMatrixToo) {
  ContactProblem problem = two_coupled_contacts();
  const VecX expected = force_after(2, problem);
  problem.W = BlockMatrix::sparse(SparseMatrix(problem.W.to_dense().sparseView()));
  EXPECT_EQ(force_after(2, problem), expected);
}

TEST(GaussSeidel, StopsAtTheFirstSweepBelowEpsilon2) {
  const ContactProblem problem = elastic_problem(12, 0.3, 5);
  GaussSeidel solver({.epsilon_1 = 0.0, .epsilon_2 = 1e-3});
  VecX f;
  const SolveResult result = solver.solve(problem, {}, f);
  EXPECT_EQ(result.status, SolveStatus::converged);
  ASSERT_GT(result.iterations, 2);
  const VecX before = force_after(result.iterations - 1, problem);
  const VecX long_before = force_after(result.iterations - 2, problem);
  EXPECT_LT(relative_change(f, before), 1e-3);
  EXPECT_GE(relative_change(before, long_before), 1e-3);
}

TEST(GaussSeidel, Epsilon1DropsSmallNormalForces) {
  const ContactProblem problem = single_contact(Mat3::Identity(), {-0.5, 0.0, 0.0}, 0.3);
  VecX f;
  GaussSeidel({.epsilon_1 = 0.4, .epsilon_2 = 1e-4}).solve(problem, {}, f);
  EXPECT_EQ(f[0], 0.5);
  GaussSeidel({.epsilon_1 = 0.5, .epsilon_2 = 1e-4}).solve(problem, {}, f);
  EXPECT_EQ(f[0], 0.0);
}

TEST(GaussSeidel, ToleranceOnTheErrorReplacesEpsilon2) {
  const ContactProblem problem = elastic_problem(20, 0.4, 6);
  GaussSeidel solver({.epsilon_1 = 0.0, .epsilon_2 = 1e9});
  VecX f;
  for (const Criterion criterion : {Criterion::plain, Criterion::rescaled}) {
    SolverOptions options;
    options.tolerance = 1e-11;
    options.criterion = criterion;
    const SolveResult result = solver.solve(problem, options, f);
    EXPECT_EQ(result.status, SolveStatus::converged);
    const NaturalMapError error = natural_map_error(problem, f);
    const double judged = criterion == Criterion::plain ? error.plain : error.rescaled;
    EXPECT_LE(judged, 1.0001e-11);
    EXPECT_NEAR(judged, result.error, 1e-15);
  }
}

class Sweeping : public testing::TestWithParam<const char*> {
 protected:
  Solver& solver() { return *solver_; }
  SolverOptions exactly() {
    SolverOptions options;
    options.tolerance = 1e-14;
    return options;
  }

 private:
  std::unique_ptr<Solver> solver_ = make_solver(GetParam());
};

TEST_P(Sweeping, TwoCoupledFrictionlessContactsReachTheExactForces) {
  // [[2, 1], [1, 3]] f = (4, 7) has f = (1, 2)
  MatX W = MatX::Identity(6, 6);
  W(0, 0) = 2.0;
  W(0, 3) = W(3, 0) = 1.0;
  W(3, 3) = 3.0;
  VecX delta_free = VecX::Zero(6);
  delta_free[0] = -4.0;
  delta_free[3] = -7.0;
  ContactProblem problem{BlockMatrix::dense(W), delta_free, VecX::Zero(2)};
  VecX f;
  EXPECT_EQ(solver().solve(problem, exactly(), f).status, SolveStatus::converged);
  EXPECT_NEAR(f[0], 1.0, 1e-13);
  EXPECT_NEAR(f[3], 2.0, 1e-13);
  EXPECT_LE(natural_map_error(problem, f).plain, 1e-14);

  // pulled apart at the first contact: the second alone carries 7/3
  problem.delta_free[0] = 4.0;
  solver().solve(problem, exactly(), f);
  EXPECT_EQ(f[0], 0.0);
  EXPECT_NEAR(f[3], 7.0 / 3.0, 1e-13);
}

TEST_P(Sweeping, OneContactSticksSlipsAndTakesOffByTheClosedFormInEveryAzimuth) {
  const double w_n = 2e-4;
  const double w_t = 5e-4;
  const double mu = 0.4;
  Mat3 W = Mat3::Identity() * w_t;
  W(0, 0) = w_n;
  for (int degree = 0; degree < 360; ++degree) {
    const double angle = degree * std::numbers::pi / 180.0;
    const Vec3 t(0.0, std::cos(angle), std::sin(angle));
    const double f_n = 3.0;
    for (const double friction_share : {0.2, 0.999, 1.001, 4.0}) {
      // the slip that friction_share * mu f_n would stop
      const double slide = w_t * friction_share * mu * f_n;
      const ContactProblem problem = single_contact(W, Vec3(-w_n * f_n, 0, 0) + slide * t, mu);
      VecX f;
      solver().solve(problem, exactly(), f);
      const Vec3 expected = Vec3(f_n, 0, 0) - std::min(friction_share, 1.0) * mu * f_n * t;
      EXPECT_NEAR((f - expected).norm(), 0.0, 1e-12) << degree << " " << friction_share;
    }
    VecX f;
    solver().solve(single_contact(W, Vec3(1e-6, 0, 0) + 1e-3 * t, mu), exactly(), f);
    EXPECT_EQ(f, VecX::Zero(3));
  }
}

TEST_P(Sweeping, OrderOfTheContactsDoesNotChangeAUniqueAnswer) {
  const ContactProblem problem = elastic_problem(15, 0.2, 7);
  VecX reference;
  SolverOptions options;
  options.tolerance = 1e-13;
  solver().solve(problem, options, reference);
  for (const auto& [order, seed] : {std::pair{ContactOrder::reversed, 0u},
                                    {ContactOrder::shuffled, 1u},
                                    {ContactOrder::shuffled, 2u}}) {
    options.order = order;
    options.seed = seed;
    VecX f;
    EXPECT_EQ(solver().solve(problem, options, f).status, SolveStatus::converged);
    EXPECT_NEAR((f - reference).norm(), 0.0, 1e-10 * reference.norm());
    VecX again;
    solver().solve(problem, options, again);
    EXPECT_EQ(f, again);
  }
}

TEST_P(Sweeping, WarmStartTakesFewerSweepsAndToleratesRubbish) {
  ContactProblem problem = elastic_problem(30, 0.3, 8);
  SolverOptions options;
  options.tolerance = 1e-8;
  VecX f;
  const int cold = solver().solve(problem, options, f).iterations;
  problem.delta_free *= 1.001;
  options.warm_start = true;
  const SolveResult warm = solver().solve(problem, options, f);
  EXPECT_EQ(warm.status, SolveStatus::converged);
  EXPECT_LT(warm.iterations, cold);

  f.setConstant(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(solver().solve(problem, options, f).status, SolveStatus::converged);
  f.setConstant(-1e30);
  EXPECT_EQ(solver().solve(problem, options, f).status, SolveStatus::converged);
}

TEST_P(Sweeping, EmptyProblemIsSolved) {
  const ContactProblem problem{BlockMatrix::dense(MatX(0, 0)), VecX(), VecX()};
  VecX f;
  EXPECT_EQ(solver().solve(problem, exactly(), f).status, SolveStatus::converged);
  EXPECT_EQ(solver().solve(problem, {}, f).status, SolveStatus::converged);
}

INSTANTIATE_TEST_SUITE_P(Solvers, Sweeping,
                         testing::Values("gauss-seidel", "block-gauss-seidel", "auto"));

}  // namespace
}  // namespace stickslip
