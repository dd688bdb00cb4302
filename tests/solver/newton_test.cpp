#include <gtest/gtest.h>

#include <random>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/active_newton.hpp"
#include "stickslip/solver/exact_sweep.hpp"
#include "stickslip/solver/local_solver.hpp"
#include "stickslip/solver/semismooth_newton.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

/// A rigid block on twelve points of a plane, pressed down and pushed: W has rank six of 36.
ContactProblem rigid_block(double push, double mu, bool is_dense) {
  const int m = 12;
  MatX H(3 * m, 6);
  for (int i = 0; i < m; ++i) {
    const int row = i / 4;
    const double x = 0.1 * (i % 4) - 0.15;
    const double y = 0.1 * row - 0.1;
    const double z = -0.05;
    // the velocity of the point: normal, tangent 1, tangent 2, from translation and rotation
    H.row(3 * i) << 0, 0, 1, y, -x, 0;
    H.row(3 * i + 1) << 1, 0, 0, 0, z, -y;
    H.row(3 * i + 2) << 0, 1, 0, -z, 0, x;
  }
  Eigen::Matrix<double, 6, 1> inverse_mass;
  inverse_mass << 1, 1, 1, 100, 80, 60;
  const MatX W = H * inverse_mass.asDiagonal() * H.transpose();
  Eigen::Matrix<double, 6, 1> motion;
  motion << push, 0.3 * push, -1, 0.2, -0.1, 0.1;
  return {is_dense ? BlockMatrix::dense(W) : BlockMatrix::sparse(SparseMatrix(W.sparseView())),
          H * motion, VecX::Constant(m, mu)};
}

struct Prepared {
  explicit Prepared(const ContactProblem& problem) {
    const int m = problem.contact_count();
    for (int i = 0; i < m; ++i) {
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

TEST(ActiveNewton, SquaresTheErrorOnceTheStatesAreRight) {
  // enough sweeps for the states, not for the forces
  const ContactProblem problem = elastic_problem(30, 0.4, 21);
  Prepared with(problem);
  ExactSweep sweep;
  sweep.prepare(problem, {});
  VecX f = VecX::Zero(90);
  VecX delta(f.size());
  sweep.refresh(f, delta);
  for (int k = 0; k < 5; ++k) sweep.run(f, delta, with.budget, 0.0);
  const double before = natural_map_error(problem, f).rescaled;
  ASSERT_GT(before, 1e-7);

  ActiveNewton newton;
  newton.reserve(30, 90);
  VecX local_f = VecX::Zero(with.local.capacity());
  VecX local_delta = local_f;
  VecX moved = local_f;
  with.local.take(f, local_f);
  for (int k = 0; k < 2; ++k) {
    with.local.refresh(local_f, local_delta);
    ASSERT_GT(newton.classify(with.local, local_f), 0);
    ASSERT_TRUE(newton.compute_step(with.local, {}, local_f, local_delta, with.budget, 0.0));
    newton.move(with.local, local_f, 1.0, moved);
    local_f = moved;
  }
  with.local.give(local_f, f);
  EXPECT_LT(natural_map_error(problem, f).rescaled, 1e-12);
}

TEST(SemismoothNewton, FindsTheForcesOfARigidBlockFromNothing) {
  for (const double push : {0.1, 0.5, 2.0}) {
    const ContactProblem problem = rigid_block(push, 0.5, true);
    Prepared with(problem);
    SemismoothNewton newton;
    newton.reserve(12, 36);
    VecX f = VecX::Zero(36);
    VecX local_f = VecX::Zero(with.local.capacity());
    const double compliance = with.local.mean_compliance();
    double alpha = 1e-5;
    newton.start(with.local, nullptr, local_f, 10.0, alpha * compliance);
    double least = 1.0;
    for (int outer = 0; outer < 12 && least > 1e-10; ++outer) {
      for (int inner = 0; inner < 12; ++inner) {
        if (newton.step(with.local, with.budget, 0.0) == SemismoothNewton::Step::done) break;
        newton.project(with.local, local_f);
        with.local.give(local_f, f);
        least = std::min(least, natural_map_error(problem, f).rescaled);
      }
      alpha *= 0.3;
      newton.recentre(with.local, alpha * compliance);
    }
    EXPECT_LT(least, 1e-9) << push;
  }
}

TEST(LocalSolver, ReachesItsGoalWhereSweepsAloneDoNot) {
  for (const bool is_dense : {true, false}) {
    for (const double push : {0.1, 0.5, 2.0}) {
      const ContactProblem problem = rigid_block(push, 0.5, is_dense);
      Prepared with(problem);
      LocalSolver solver;
      solver.prepare(problem);
      LocalSolver::Goal goal;
      goal.squared_map = 1e-20 * problem.delta_free.squaredNorm();
      goal.max_iterations = 2000;
      VecX f = VecX::Zero(36);
      const LocalSolver::Outcome outcome =
          solver.solve(problem, with.blocks, with.all, goal, with.budget, f);
      EXPECT_LE(outcome.squared_map, goal.squared_map) << push;
      EXPECT_LT(natural_map_error(problem, f).plain, 1.1e-10) << push;
    }
  }
}

}  // namespace
}  // namespace stickslip
