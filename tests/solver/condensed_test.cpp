#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/active_newton.hpp"
#include "stickslip/solver/exact_sweep.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

struct Prepared {
  explicit Prepared(const ContactProblem& problem) {
    for (int i = 0; i < problem.contact_count(); ++i) {
      blocks.emplace_back(problem.W.block(i, i), problem.mu[i]);
      all.push_back(i);
    }
    local.prepare(problem);
    local.gather(problem, blocks, all);
  }
  std::vector<ContactBlock> blocks;
  std::vector<int> all;
  LocalProblem local;
  Budget budget{std::numeric_limits<double>::infinity()};
};

/// The same problem with a W that is symmetric and positive definite.
ContactProblem definite_problem(int m, double mu, unsigned seed) {
  ContactProblem problem = elastic_problem(m, mu, seed);
  const MatX W = problem.W.to_dense();
  problem.W = BlockMatrix::dense(1e3 * W * W.transpose());
  return problem;
}

TEST(SymmetricInverse, TimesWIsOneToSinglePrecision) {
  // below, at and beyond the sizes of its tiles and panels
  for (const int m : {1, 5, 6, 16, 21, 32, 45}) {
    const ContactProblem problem = definite_problem(m, 0.3, 7);
    Prepared with(problem);
    SymmetricInverse inverse;
    inverse.reserve(3 * m);
    ASSERT_TRUE(inverse.invert(with.local, with.budget, 0.0));
    const MatX W = problem.W.to_dense();
    MatX product(3 * m, 3 * m);
    VecX column;
    for (int j = 0; j < 3 * m; ++j) {
      column = W.col(j);
      inverse.solve(column);
      product.col(j) = column;
    }
    EXPECT_LT((product - MatX::Identity(3 * m, 3 * m)).cwiseAbs().maxCoeff(), 1e-4) << m;
  }
}

TEST(SymmetricInverse, RefusesWhatSinglePrecisionCannotInvert) {
  ContactProblem problem = definite_problem(12, 0.3, 7);
  const Eigen::SelfAdjointEigenSolver<MatX> eigen(problem.W.to_dense());
  VecX values = eigen.eigenvalues();
  values[0] = 0.0;
  problem.W = BlockMatrix::dense(eigen.eigenvectors() * values.asDiagonal() *
                                 eigen.eigenvectors().transpose());
  Prepared with(problem);
  SymmetricInverse inverse;
  inverse.reserve(36);
  EXPECT_FALSE(inverse.invert(with.local, with.budget, 0.0));
}

TEST(CondensedStates, MeetEachConditionAndMoveTheRestByNothing) {
  const int m = 14;
  const ContactProblem problem = definite_problem(m, 0.3, 5);
  Prepared with(problem);
  CondensedStates states;
  states.reserve(m);
  DenseLu lu;
  lu.reserve(3 * m);
  const Vec3 on_step(-0.3, 0.6, 0.8);
  const Vec3 reaction(0.0, 0.6, 0.8);
  const Vec3 across(0.0, -0.8, 0.6);
  const double stiffness = 4e-3;
  const VecX delta = VecX::LinSpaced(3 * m, -1e-3, 2e-3);
  VecX step(3 * m);
  // twice with other conditions: the inverse is that of the first time
  for (const int sliding : {2, 9}) {
    states.conditions() = {{sliding, on_step, reaction}, {sliding, across, across, stiffness}};
    for (int c = 0; c < 3; ++c) states.conditions().push_back({5, Vec3::Unit(c), Vec3::Unit(c)});
    ASSERT_TRUE(states.solve(with.local, delta, lu, with.budget, 0.0, step));
    const VecX left = problem.W.to_dense() * step + delta;
    const double exact = 1e-4 * delta.norm();
    for (int i = 0; i < m; ++i) {
      if (i == 5 || i == sliding) continue;
      EXPECT_LT(left.segment<3>(3 * i).norm(), exact) << i;
    }
    EXPECT_LT(step.segment<3>(15).norm(), 1e-4 * step.norm());
    EXPECT_NEAR(on_step.dot(step.segment<3>(3 * sliding)), 0.0, 1e-4 * step.norm());
    EXPECT_NEAR(left[3 * sliding], 0.0, exact);
    EXPECT_NEAR(across.dot(left.segment<3>(3 * sliding)),
                -stiffness * across.dot(step.segment<3>(3 * sliding)), exact);
  }
}

TEST(ActiveNewton, FromTheInverseComesToTheSameForces) {
  // stuck, sliding and open contacts
  ContactProblem problem = definite_problem(40, 0.7, 21);
  for (int i = 0; i < 40; ++i) {
    problem.delta_free[3 * i] = i % 9 == 4 ? 5e-3 : -1e-3;
    problem.delta_free.segment<2>(3 * i + 1) *= i < 25 ? 0.0 : 0.02;
  }
  ExactSweep sweep;
  sweep.prepare(problem, {});
  Budget budget{std::numeric_limits<double>::infinity()};
  VecX swept = VecX::Zero(120);
  VecX delta(swept.size());
  sweep.refresh(swept, delta);
  for (int k = 0; k < 6; ++k) sweep.run(swept, delta, budget, 0.0);
  ASSERT_GT(natural_map_error(problem, swept).rescaled, 1e-9);
  int stuck = 0;
  int sliding = 0;
  for (int i = 0; i < 40; ++i) {
    if (!(swept[3 * i] > 0.0)) continue;
    const bool is_inside = swept.segment<2>(3 * i + 1).norm() < 0.7 * (1.0 - 1e-9) * swept[3 * i];
    is_inside ? ++stuck : ++sliding;
  }
  ASSERT_GT(stuck, 2);
  ASSERT_GT(sliding, 2);
  ASSERT_GT(40 - stuck - sliding, 0);

  for (const bool may_condense : {false, true}) {
    Prepared with(problem);
    ActiveNewton newton;
    newton.reserve(40, 120);
    VecX local_f = VecX::Zero(with.local.capacity());
    VecX local_delta = local_f;
    VecX moved = local_f;
    with.local.take(swept, local_f);
    for (int k = 0; k < 6; ++k) {
      with.local.refresh(local_f, local_delta);
      ASSERT_GT(newton.classify(with.local, local_f), 0);
      const ActiveNewton::Way way{.may_condense = may_condense};
      ASSERT_TRUE(newton.compute_step(with.local, way, local_f, local_delta, with.budget, 0.0));
      newton.move(with.local, local_f, 1.0, moved);
      local_f = moved;
    }
    EXPECT_EQ(newton.has_condensed(), may_condense);
    VecX f(120);
    with.local.give(local_f, f);
    EXPECT_LT(natural_map_error(problem, f).rescaled, 1e-12) << may_condense;
  }
}

}  // namespace
}  // namespace stickslip
