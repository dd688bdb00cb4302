#include "stickslip/solver/lemke.hpp"

#include <gtest/gtest.h>

#include <random>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/frictionless_gauss_seidel.hpp"
#include "stickslip/solver/frictionless_lemke.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

double complementarity_error(const MatX& M, const VecX& q, const VecX& z) {
  const VecX w = M * z + q;
  return z.cwiseMin(w).cwiseAbs().maxCoeff();
}

TEST(Lemke, SolvesRandomPositiveDefiniteProblems) {
  std::srand(11);
  Lemke lemke;
  Budget budget(std::numeric_limits<double>::infinity());
  for (int trial = 0; trial < 500; ++trial) {
    const int n = 1 + trial % 20;
    const MatX B = MatX::Random(n, n);
    const MatX M = B * B.transpose() + 0.1 * MatX::Identity(n, n);
    const VecX q = VecX::Random(n);
    VecX z(n);
    ASSERT_EQ(lemke.solve(M, q, 1000, budget, z), Lemke::Outcome::solved);
    EXPECT_GE(z.minCoeff(), 0.0);
    EXPECT_LE(complementarity_error(M, q, z), 1e-10);
  }
}

TEST(Lemke, DoesNotCycleWhereAllRatiosTie) {
  // many equal contacts on one support: every pivot is degenerate
  Lemke lemke;
  Budget budget(std::numeric_limits<double>::infinity());
  for (int n = 1; n <= 30; ++n) {
    const MatX M = MatX::Ones(n, n);
    const VecX q = -VecX::Ones(n);
    VecX z(n);
    ASSERT_EQ(lemke.solve(M, q, 10 * n, budget, z), Lemke::Outcome::solved);
    EXPECT_NEAR(z.sum(), 1.0, 1e-12);
  }
}

TEST(Lemke, SaysSoWhereThereIsNoSolution) {
  Lemke lemke;
  Budget budget(std::numeric_limits<double>::infinity());
  VecX z(2);
  const MatX M = MatX::Zero(2, 2);
  const VecX q(VecX::Constant(2, -1.0));
  EXPECT_EQ(lemke.solve(M, q, 100, budget, z), Lemke::Outcome::ray);
  const MatX P = MatX::Identity(2, 2);
  EXPECT_EQ(lemke.solve(P, q, 1, budget, z), Lemke::Outcome::pivots);
}

TEST(Frictionless, LemkeAndGaussSeidelAgreeOnTheExactForces) {
  FrictionlessLemke lemke;
  FrictionlessGaussSeidel sweeps;
  SolverOptions options;
  options.tolerance = 1e-12;
  options.criterion = Criterion::rescaled;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = elastic_problem(20, 0.0, seed);
    VecX by_lemke;
    VecX by_sweeps;
    EXPECT_EQ(lemke.solve(problem, options, by_lemke).status, SolveStatus::converged);
    EXPECT_EQ(sweeps.solve(problem, options, by_sweeps).status, SolveStatus::converged);
    EXPECT_LE(natural_map_error(problem, by_lemke).rescaled, 1e-12);
    EXPECT_LE(natural_map_error(problem, by_sweeps).rescaled, 1.01e-12);
    EXPECT_NEAR((by_lemke - by_sweeps).norm(), 0.0, 1e-9 * by_lemke.norm());
  }
}

TEST(Frictionless, RefusesFriction) {
  FrictionlessLemke lemke;
  FrictionlessGaussSeidel sweeps;
  const ContactProblem problem = elastic_problem(4, 0.1, 1);
  for (Solver* solver : {static_cast<Solver*>(&lemke), static_cast<Solver*>(&sweeps)}) {
    VecX f;
    const SolveResult result = solver->solve(problem, {}, f);
    EXPECT_EQ(result.status, SolveStatus::failed);
    EXPECT_NE(result.message.find("mu > 0"), std::string_view::npos);
    EXPECT_EQ(f, VecX::Zero(12));
  }
}

}  // namespace
}  // namespace stickslip
