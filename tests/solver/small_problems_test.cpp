#include "tests/solver/small_problems.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <Eigen/SVD>
#include <cstdlib>
#include <vector>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/problem/no_solution.hpp"
#include "stickslip/solver/auto_solver.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

SolverOptions fine() {
  SolverOptions options;
  options.tolerance = 1e-8;
  options.criterion = Criterion::rescaled;
  return options;
}

/// How many problems a run looks at: all behind ./check --long.
std::uint32_t fraction_of(std::uint32_t count) {
  return std::getenv("STICKSLIP_LONG") != nullptr ? count : count / 10;
}

TEST(SmallProblem, IsSolvedWhereAMotionOpensAllCones) {
  AutoSolver solver;
  for (std::uint32_t seed = 0; seed < fraction_of(200'000); ++seed) {
    const SmallProblem small = small_problem(seed);
    const ContactProblem& problem = small.problem;
    // the criterion of existence holds
    const VecX delta = small.opening + problem.delta_free;
    for (int i = 0; i < problem.contact_count(); ++i) {
      ASSERT_GT(delta[3 * i], problem.mu[i] * delta.segment<2>(3 * i + 1).norm()) << seed;
    }
    VecX f;
    const SolveResult result = solver.solve(problem, fine(), f);
    EXPECT_EQ(result.status, SolveStatus::converged) << seed << " ends at " << result.error;
    EXPECT_LE(natural_map_error(problem, f).rescaled, 1.0001e-8) << seed;
  }
}

/// Seeds of problems on which sweeps, descent and proximal steps all stall.
constexpr std::uint32_t hard_seeds[] = {280,   1174,  1490,  3678,  7422,  11590, 11628,
                                        12189, 12907, 13619, 16085, 18099, 19397, 19551};

TEST(SmallProblem, HardOnesAllocateNothingAndKeepTheirDeadline) {
  AutoSolver solver;
  std::vector<ContactProblem> problems;
  std::vector<VecX> forces;
  for (const std::uint32_t seed : hard_seeds) {
    problems.push_back(small_problem(seed).problem);
    forces.emplace_back(VecX::Zero(problems.back().delta_free.size()));
    ASSERT_EQ(solver.solve(problems.back(), fine(), forces.back()).status, SolveStatus::converged);
  }
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const std::size_t before = testing_support::allocation_count();
  for (std::size_t k = 0; k < problems.size(); ++k) {
    EXPECT_EQ(solver.solve(problems[k], fine(), forces[k]).status, SolveStatus::converged);
  }
  EXPECT_EQ(testing_support::allocation_count(), before);

  const auto thread_us = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
  };
  SolverOptions options = fine();
  options.tolerance = 0.0;  // never reached
  int late = 0;
  int runs = 0;
  for (const double deadline_us : {20.0, 100.0, 500.0, 2000.0}) {
    options.deadline_us = deadline_us;
    for (std::size_t k = 0; k < problems.size(); ++k, ++runs) {
      const double start = thread_us();
      EXPECT_NE(solver.solve(problems[k], options, forces[k]).status, SolveStatus::failed);
      late += thread_us() - start > deadline_us ? 1 : 0;
    }
  }
  EXPECT_LE(late, runs / 2);  // a busy machine slows some
}

/// A bar between walls at its ends that come closer by more than its gaps, and can be softer.
ContactProblem squeezed_bar(double compliance, double closing) {
  // motion along the bar and across it, no rotation; normals point inwards
  MatX J = MatX::Zero(6, 3);
  J.block<3, 3>(0, 0) << 1, 0, 0, 0, 1, 0, 0, 0, 1;
  J.block<3, 3>(3, 0) << -1, 0, 0, 0, 1, 0, 0, 0, -1;
  const MatX W = 1e-3 * (J * J.transpose() + compliance * MatX::Identity(6, 6));
  VecX delta_free(6);
  delta_free << -closing, 1e-4, 0.0, 0.2 * closing, 1e-4, 0.0;
  return {BlockMatrix::dense(W), delta_free, VecX::Constant(2, 0.6)};
}

TEST(SmallProblem, ThatNoneExistsIsSaidWithAProof) {
  AutoSolver solver;
  VecX f;
  const ContactProblem rigid = squeezed_bar(0.0, 1e-3);
  const SolveResult none = solver.solve(rigid, fine(), f);
  EXPECT_EQ(none.status, SolveStatus::failed);
  EXPECT_EQ(none.message, none_exists_message);
  const std::vector<int> both = {0, 1};
  EXPECT_TRUE(proves_no_solution(rigid, both, VecX::Ones(2)));
  EXPECT_FALSE(proves_no_solution(rigid, both, VecX::Unit(2, 0)));

  // room enough, or a little compliance, and there is one
  for (const ContactProblem& problem : {squeezed_bar(0.0, -1e-3), squeezed_bar(1e-6, 1e-3)}) {
    EXPECT_FALSE(proves_no_solution(problem, both, VecX::Ones(2)));
    EXPECT_EQ(solver.solve(problem, fine(), f).status, SolveStatus::converged);
  }
}

/// Whether normal forces squeeze the contacts so that no force opens them, by looking at all
/// choices of contacts: the extreme ones leave a single direction of forces that move nothing.
bool is_squeezed(const ContactProblem& problem) {
  const int m = problem.contact_count();
  const MatX W = problem.W.to_dense();
  for (int choice = 1; choice < (1 << m); ++choice) {
    std::vector<int> chosen;
    for (int i = 0; i < m; ++i) {
      if ((choice >> i) % 2 == 1) chosen.push_back(i);
    }
    const auto k = static_cast<Eigen::Index>(chosen.size());
    MatX columns(3 * m, k);
    VecX gap(k);
    for (Eigen::Index c = 0; c < k; ++c) {
      columns.col(c) = W.col(3 * chosen[uz(c)]);
      gap[c] = problem.delta_free[3 * chosen[uz(c)]];
    }
    const Eigen::JacobiSVD<MatX> svd(columns, Eigen::ComputeFullV);
    const VecX& sizes = svd.singularValues();
    if (sizes[k - 1] > 1e-13 * problem.W.mean_diagonal()) continue;
    if (k > 1 && sizes[k - 2] < 1e-9 * problem.W.mean_diagonal()) continue;
    VecX forces = svd.matrixV().col(k - 1);
    if (forces.sum() < 0.0) forces = -forces;
    if (forces.minCoeff() > -1e-9 && forces.dot(gap) < -1e-9 * gap.norm()) return true;
  }
  return false;
}

TEST(SmallProblem, ThatNoneExistsIsNeverSaidOfOthers) {
  // blocks held between opposite normals, and rods on any, moved anyhow: many have no solution
  AutoSolver solver;
  SolverOptions options = fine();
  options.max_iterations = 2000;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int squeezed = 0;
  int solved = 0;
  for (std::uint32_t trial = 0; trial < fraction_of(2000); ++trial) {
    const int m = 2 + static_cast<int>(trial % 3);
    MatX J = MatX::NullaryExpr(3 * m, 3, [&] { return normal(random); });
    if (trial % 2 == 0) J.row(3) = -std::abs(normal(random)) * J.row(0);
    const ContactProblem problem = {
        BlockMatrix::dense(J * J.transpose()),
        VecX::NullaryExpr(3 * m, [&] { return normal(random); }) - VecX::Constant(3 * m, 0.5),
        VecX::Constant(m, 0.8)};
    VecX f;
    const SolveResult result = solver.solve(problem, options, f);
    EXPECT_EQ(result.message == none_exists_message, is_squeezed(problem)) << trial;
    EXPECT_EQ(result.message.empty(), result.status == SolveStatus::converged) << trial;
    squeezed += result.message == none_exists_message ? 1 : 0;
    solved += result.status == SolveStatus::converged ? 1 : 0;
  }
  EXPECT_GT(squeezed, 10);
  EXPECT_GT(solved, 50);
}

}  // namespace
}  // namespace stickslip
