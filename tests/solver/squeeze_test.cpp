#include "stickslip/solver/squeeze.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/problem/no_solution.hpp"
#include "stickslip/solver/solvers.hpp"
#include "tests/solver/example_problems.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// One body that moves along three axes, between two walls whose normals are opposite and which
/// come closer by one on either side.
ContactProblem opposite_normals(double compliance = 1.0) {
  MatX H(6, 3);
  H << MatX::Identity(3, 3), MatX(Vec3(-1, -1, 1).asDiagonal());
  VecX delta_free = VecX::Zero(6);
  delta_free[0] = delta_free[3] = -1.0;
  return {BlockMatrix::dense(compliance * H * H.transpose()), delta_free, VecX::Constant(2, 0.5)};
}

/// A column of rigid bricks, each on four corners of the one below, between a floor and a ceiling
/// that leaves `room` [m]; bricks of random masses, corners not quite square.
ContactProblem column_of_bricks(int bricks, double room, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0.5, 1.5);
  const int contacts = 4 * (bricks + 1);
  MatX J = MatX::Zero(3 * contacts, 6 * bricks);
  VecX delta_free = VecX::Zero(3 * contacts);
  for (int face = 0; face <= bricks; ++face) {
    // gaps that sum up to the room
    const double gap = face == bricks ? room - 1e-4 * bricks : 1e-4;
    for (int corner = 0; corner < 4; ++corner) {
      const int row = 3 * (4 * face + corner);
      delta_free[row] = gap;
      const Vec3 at(0.1 * uniform(random) * (corner % 2 == 0 ? 1.0 : -1.0),
                    0.1 * uniform(random) * (corner / 2 == 0 ? 1.0 : -1.0), 0.0);
      for (const int side : {-1, 0}) {
        const int body = face + side;
        if (body < 0 || body >= bricks) continue;
        // normal up, towards the upper brick; the contact lies on top of the lower one
        const double sign = side == 0 ? 1.0 : -1.0;
        const Vec3 arm = at + Vec3(0.0, 0.0, -0.05 * sign);
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3 direction = sign * Vec3::Unit((axis + 2) % 3);
          J.block<1, 3>(row + axis, 6 * body) = direction.transpose();
          J.block<1, 3>(row + axis, 6 * body + 3) = 10.0 * arm.cross(direction).transpose();
        }
      }
    }
  }
  for (int k = 0; k < J.cols(); ++k) J.col(k) *= uniform(random);
  const MatX W = 1e-3 * J * J.transpose();
  return {BlockMatrix::sparse(SparseMatrix(W.sparseView())), delta_free,
          VecX::Constant(contacts, 0.5)};
}

VecX displacement(const ContactProblem& problem, const VecX& f) {
  VecX delta;
  problem.W.multiply(f, delta);
  return delta + problem.delta_free;
}

constexpr std::array<const char*, 3> with_friction = {"auto", "gauss-seidel", "block-gauss-seidel"};

TEST(NoSolution, OppositeNormalsAreNeverSaidToBeSolvedAtAnyTolerance) {
  for (const double compliance : {1.0, 1e-6, 1e6}) {
    ContactProblem problem = opposite_normals(compliance);
    for (const char* name :
         {"auto", "gauss-seidel", "block-gauss-seidel", "frictionless-gauss-seidel"}) {
      problem.mu.setConstant(std::string(name).starts_with("frictionless") ? 0.0 : 0.5);
      const std::unique_ptr<Solver> solver = make_solver(name);
      for (const double tolerance : {0.3, 1e-1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-12, 0.0}) {
        for (const Criterion criterion : {Criterion::plain, Criterion::rescaled}) {
          SolverOptions options;
          options.tolerance = tolerance;
          options.criterion = criterion;
          VecX f;
          const SolveResult result = solver->solve(problem, options, f);
          EXPECT_EQ(result.status, SolveStatus::failed) << name << " " << tolerance;
          EXPECT_EQ(result.message, none_exists_message) << name << " " << tolerance;
          // and leaves no force that has run away
          EXPECT_LT(compliance * f.norm(), 100.0) << name << " " << tolerance;
          const NaturalMapError error = natural_map_error(problem, f);
          EXPECT_NEAR(result.error, criterion == Criterion::plain ? error.plain : error.rescaled,
                      1e-12);
        }
      }
    }
  }
}

TEST(NoSolution, AWarmStartFromForcesThatRanAwayIsNotBelieved) {
  const ContactProblem problem = opposite_normals();
  for (const char* name : with_friction) {
    SolverOptions options;
    options.tolerance = 1e-6;
    options.warm_start = true;
    VecX f = VecX::Zero(6);
    f[0] = f[3] = 1e12;
    const SolveResult result = make_solver(name)->solve(problem, options, f);
    EXPECT_EQ(result.message, none_exists_message) << name;
    EXPECT_LT(f.norm(), 1e13) << name;
  }
}

TEST(NoSolution, ARuleOnChangesIsNotFooledEither) {
  SolverOptions options;  // no tolerance: the paper's own rule
  VecX f;
  const SolveResult result = make_solver("gauss-seidel")->solve(opposite_normals(), options, f);
  EXPECT_EQ(result.status, SolveStatus::failed);
  EXPECT_EQ(result.message, none_exists_message);
}

TEST(NoSolution, ColumnsOfBricksUnderACeilingAreProvenFromSmallToLarge) {
  Squeeze squeeze;
  for (const int bricks : {1, 3, 12, 40}) {
    squeeze.reserve(4 * (bricks + 1));
    for (const double room : {-1e-3, -1e-5}) {
      const ContactProblem problem = column_of_bricks(bricks, room, 3);
      // whatever the force that the gaps come from, as long as it does not hide the squeeze
      std::mt19937 random(4);
      std::uniform_real_distribution<double> uniform(-1.0, 1.0);
      for (const double size : {0.0, 1.0, room < -1e-4 ? 1e3 : 1e1}) {
        const VecX f = VecX::NullaryExpr(12 * (bricks + 1), [&] { return size * uniform(random); });
        Budget budget(unlimited);
        EXPECT_TRUE(
            squeeze.proves_no_solution_of(problem, displacement(problem, f), 0.0, budget, 0))
            << bricks << " bricks, room " << room << ", forces " << size;
      }
      if (bricks > 12) continue;
      for (const char* name : with_friction) {
        SolverOptions options;
        options.tolerance = 1e-4;
        options.criterion = Criterion::rescaled;
        VecX f;
        EXPECT_EQ(make_solver(name)->solve(problem, options, f).message, none_exists_message)
            << name << ", " << bricks << " bricks, room " << room;
      }
    }
  }
}

TEST(NoSolution, NothingIsProvenWhereThereIsRoom) {
  Squeeze squeeze;
  const std::unique_ptr<Solver> solver = make_solver("auto");
  for (const int bricks : {1, 3, 12, 40}) {
    squeeze.reserve(4 * (bricks + 1));
    for (const double room : {1e-3, 1e-5, 0.0}) {
      const ContactProblem problem = column_of_bricks(bricks, room, 5);
      std::mt19937 random(6);
      std::uniform_real_distribution<double> uniform(-1.0, 1.0);
      for (const double size : {0.0, 1.0, 1e3}) {
        const VecX f = VecX::NullaryExpr(12 * (bricks + 1), [&] { return size * uniform(random); });
        Budget budget(unlimited);
        EXPECT_FALSE(
            squeeze.proves_no_solution_of(problem, displacement(problem, f), 0.0, budget, 0.0));
      }
      SolverOptions options;
      options.tolerance = 1e-8;
      VecX f;
      EXPECT_EQ(solver->solve(problem, options, f).status, SolveStatus::converged)
          << bricks << " bricks, room " << room;
    }
  }
}

TEST(NoSolution, AContactThatIsOnlyStiffIsNoProof) {
  // a million million times stiffer than the others: it needs a large force, and there is one
  MatX W = MatX::Identity(9, 9);
  W.block<3, 3>(3, 3) *= 1e-12;
  const ContactProblem problem{BlockMatrix::dense(W), VecX::Constant(9, -1.0),
                               VecX::Constant(3, 0.5)};
  EXPECT_FALSE(proves_no_solution(problem, std::vector<int>{1}, VecX::Ones(1)));
  for (const char* name : with_friction) {
    SolverOptions options;
    options.tolerance = 1e-8;
    options.max_iterations = 3000;
    VecX f;
    EXPECT_NE(make_solver(name)->solve(problem, options, f).message, none_exists_message) << name;
  }
}

TEST(NoSolution, AnOverlapThatNothingMovesIsSaidAtOnce) {
  ContactProblem nothing_moves = opposite_normals(0.0);
  // one contact that nothing moves beside two that can be solved
  ContactProblem one_does_not = elastic_problem(3, 0.4, 17);
  one_does_not.W.as_dense().middleRows<3>(3).setZero();
  one_does_not.W.as_dense().middleCols<3>(3).setZero();
  one_does_not.delta_free[3] = -1e-3;
  for (const ContactProblem& problem : {nothing_moves, one_does_not}) {
    for (const char* name : with_friction) {
      SolverOptions options;
      options.tolerance = 1e-8;
      VecX f;
      const SolveResult result = make_solver(name)->solve(problem, options, f);
      EXPECT_EQ(result.message, none_exists_message) << name;
      EXPECT_LE(result.iterations, 5) << name;
    }
  }
}

TEST(NoSolution, TheSearchAllocatesNothingAndEndsWithItsTime) {
  const ContactProblem problem = column_of_bricks(40, -1e-3, 7);
  Squeeze squeeze;
  squeeze.reserve(problem.contact_count());
  const VecX delta = problem.delta_free;
  Budget budget(unlimited);
  const std::size_t before = testing_support::allocation_count();
  EXPECT_TRUE(squeeze.proves_no_solution_of(problem, delta, 0.0, budget, 0.0));
  if (testing_support::counts_allocations()) {
    EXPECT_EQ(testing_support::allocation_count(), before);
  }
  Budget none(0.0);
  EXPECT_FALSE(squeeze.proves_no_solution_of(problem, delta, 0.0, none, 0.0));
}

}  // namespace
}  // namespace stickslip
