#include "stickslip/solver/solvers.hpp"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "stickslip/error.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/problem/friction_cone.hpp"
#include "tests/solver/example_problems.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

void expect_sound(const ContactProblem& problem, const VecX& f, const SolveResult& result,
                  Criterion criterion) {
  ASSERT_EQ(f.size(), 3 * problem.contact_count());
  ASSERT_TRUE(f.allFinite());
  for (int i = 0; i < problem.contact_count(); ++i) {
    ASSERT_TRUE(FrictionCone{problem.mu[i]}.contains(f.segment<3>(3 * i)))
        << f.segment<3>(3 * i).transpose() << " mu " << problem.mu[i];
  }
  const NaturalMapError error = natural_map_error(problem, f);
  const double judged = criterion == Criterion::plain ? error.plain : error.rescaled;
  ASSERT_NEAR(result.error, judged, 1e-9 * judged + 1e-13);
}

class EverySolver : public testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<Solver> solver_ = make_solver(GetParam());
  bool is_frictionless() const { return GetParam().starts_with("frictionless"); }
};

TEST_P(EverySolver, AdversarialProblemsNeverGiveNaNNorForcesOutsideTheirCones) {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  SolverOptions options;
  options.tolerance = 1e-10;
  options.max_iterations = 300;
  for (int trial = 0; trial < 3000; ++trial) {
    const int m = 1 + trial % 5;
    const int n = 3 * m;
    MatX B(n, n);
    VecX delta_free(n);
    for (int i = 0; i < n; ++i) {
      delta_free[i] = normal(random);
      for (int j = 0; j < n; ++j) B(i, j) = normal(random);
    }
    MatX W = B * B.transpose();
    switch ((trial / 5) % 8) {
      case 0:  // rank one
        W = B.col(0) * B.col(0).transpose();
        break;
      case 1: {  // condition 1e12
        VecX scale(n);
        for (int i = 0; i < n; ++i) scale[i] = std::pow(10.0, -6.0 * i / std::max(1, n - 1));
        W = scale.asDiagonal() * W * scale.asDiagonal();
        break;
      }
      case 2:  // zero blocks
        W.middleRows(0, 3).setZero();
        W.middleCols(0, 3).setZero();
        break;
      case 3:  // all zero
        W.setZero();
        break;
      case 4:  // not positive at all
        W = B;
        break;
      case 5:  // tiny compliance
        W *= 1e-12;
        break;
      case 6:  // unsymmetric
        W += 0.3 * (B - B.transpose());
        break;
      default:
        break;
    }
    const double friction[] = {0.0, 0.3, 1.0, 10.0, 1e-9};
    const double mu = is_frictionless() ? 0.0 : friction[trial % 5];
    const ContactProblem problem{
        trial % 2 == 0 ? BlockMatrix::dense(W) : BlockMatrix::sparse(SparseMatrix(W.sparseView())),
        delta_free, VecX::Constant(m, mu)};
    options.criterion = trial % 3 == 0 ? Criterion::rescaled : Criterion::plain;
    VecX f;
    const SolveResult result = solver_->solve(problem, options, f);
    expect_sound(problem, f, result, options.criterion);
    if (HasFatalFailure()) FAIL() << "trial " << trial;
    EXPECT_TRUE(result.status != SolveStatus::converged || result.error <= *options.tolerance);
  }
}

TEST_P(EverySolver, RepeatedSolveOfTheSameSizeAllocatesNothing) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const double mu = is_frictionless() ? 0.0 : 0.3;
  for (const bool is_dense : {true, false}) {
    ContactProblem problem = elastic_problem(24, mu, 13);
    if (!is_dense) {
      problem.W = BlockMatrix::sparse(SparseMatrix(problem.W.to_dense().sparseView()));
    }
    SolverOptions options;
    options.tolerance = 1e-9;
    options.order = ContactOrder::shuffled;
    VecX f;
    solver_->solve(problem, options, f);
    const ContactProblem other{problem.W, VecX(elastic_problem(24, mu, 14).delta_free), problem.mu};
    const std::size_t before = testing_support::allocation_count();
    solver_->solve(other, options, f);
    options.warm_start = true;
    solver_->solve(problem, options, f);
    EXPECT_EQ(testing_support::allocation_count(), before);
  }
  // the count counts
  const std::size_t before = testing_support::allocation_count();
  const VecX probe = VecX::Zero(1000);
  EXPECT_GT(testing_support::allocation_count(), before);
}

TEST_P(EverySolver, AContactThatNoForceOfItsOwnOpensCarriesNone) {
  // W_nn of the second contact is zero or negative; the warm start pushes there
  for (const double W_nn : {0.0, -1e-3}) {
    const double mu = is_frictionless() ? 0.0 : 0.4;
    ContactProblem problem = elastic_problem(3, mu, 17);
    MatX W = problem.W.to_dense();
    W.row(3).setZero();
    W.col(3).setZero();
    W(3, 3) = W_nn;
    problem.W = BlockMatrix::dense(W);
    SolverOptions options;
    options.tolerance = 1e-9;
    options.max_iterations = 50;
    options.warm_start = true;
    VecX f = VecX::Zero(9);
    f[0] = f[3] = f[6] = 1.0;
    // the direct methods solve for all forces at once, and tell when there are none
    if (solver_->solve(problem, options, f).status == SolveStatus::failed) continue;
    EXPECT_EQ(f[3], 0.0) << W_nn;
  }
}

TEST_P(EverySolver, GivesTheSameBitsEveryTime) {
  const ContactProblem problem = elastic_problem(25, is_frictionless() ? 0.0 : 0.4, 15);
  SolverOptions options;
  options.tolerance = 1e-9;
  VecX first;
  VecX second;
  solver_->solve(problem, options, first);
  solver_->solve(elastic_problem(7, 0.0, 1), options, second);
  solver_->solve(problem, options, second);
  EXPECT_EQ(first, second);
}

TEST_P(EverySolver, ReturnsWithinItsDeadlineAndItsErrorIsTrue) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitized program is too slow";
  const auto thread_us = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
  };
  // a tableau pivot on fewer unknowns takes as long as a sweep
  const bool is_pyramid = GetParam() == "pyramid";
  const int m = is_pyramid ? 10 : 150;
  const ContactProblem problem = elastic_problem(m, is_frictionless() ? 0.0 : 0.8, 16);
  SolverOptions options;
  options.tolerance = 0.0;
  options.max_iterations = 1'000'000'000;
  options.deadline_us = 400.0;
  int late = 0;
  constexpr int trials = 200;
  for (int trial = 0; trial < trials; ++trial) {
    VecX f;
    f.resize(3 * m);
    const double start = thread_us();
    const SolveResult result = solver_->solve(problem, options, f);
    late += thread_us() - start > options.deadline_us ? 1 : 0;
    expect_sound(problem, f, result, options.criterion);
  }
  EXPECT_LE(late, trials / 2);  // a busy machine slows some
}

TEST_P(EverySolver, NumbersWhoseSquaresAreNoneAreNeverSaidToBeSolved) {
  ContactProblem problem = elastic_problem(3, is_frictionless() ? 0.0 : 0.4, 21);
  problem.delta_free *= 1e170;
  SolverOptions options;
  options.max_iterations = 100;
  for (const double tolerance : {1e-8, 1e-2}) {
    options.tolerance = tolerance;
    VecX f;
    EXPECT_NE(solver_->solve(problem, options, f).status, SolveStatus::converged);
    EXPECT_TRUE(f.allFinite());
  }
}

INSTANTIATE_TEST_SUITE_P(Named, EverySolver,
                         testing::ValuesIn(solver_names().begin(), solver_names().end()),
                         [](const auto& test) {
                           std::string name(test.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Solvers, UnknownNameListsTheKnownOnes) {
  try {
    make_solver("magic");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("block-gauss-seidel"), std::string::npos);
  }
}

TEST(Solvers, ProblemsOfTheWorldAreSolved) {
  const std::filesystem::path folder = world_problems();
  if (folder.empty()) GTEST_SKIP() << "set STICKSLIP_FC3D to the folder of problems";
  // the error is judged by the code that no solver shares
  for (const char* name :
       {"Box_Stacks-i0122-82-5", "KaplasTower-i1061-4", "NESpheres_10_1", "Rover1039",
        "Spheres-i099-356-679", "beam_feet_mu02", "synth_dense_m0100a", "torus_mu08"}) {
    const ContactProblem problem = read_fclib(folder / (std::string(name) + ".hdf5")).problem;
    for (const char* solver : {"gauss-seidel", "block-gauss-seidel", "auto"}) {
      SolverOptions options;
      options.tolerance = 1e-8;
      VecX f;
      const SolveResult result = make_solver(solver)->solve(problem, options, f);
      EXPECT_EQ(result.status, SolveStatus::converged) << name << " " << solver;
      EXPECT_LE(natural_map_error(problem, f).plain, 1.0001e-8) << name << " " << solver;
    }
  }
}

TEST(AutoSolver, SolvesEveryProblemOfTheWorld) {
  const std::filesystem::path folder = world_problems();
  if (folder.empty()) GTEST_SKIP() << "set STICKSLIP_FC3D to the folder of problems";
  const std::unique_ptr<Solver> solver = make_solver("auto");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const ContactProblem problem = read_fclib(entry.path()).problem;
    for (const double tolerance : {1e-4, 1e-8}) {
      // the one that nobody is known to have solved further
      if (tolerance < 1e-4 && entry.path().stem() == "RockPile_tob1") continue;
      SolverOptions options;
      options.tolerance = tolerance;
      VecX f;
      const SolveResult result = solver->solve(problem, options, f);
      expect_sound(problem, f, result, options.criterion);
      EXPECT_EQ(result.status, SolveStatus::converged) << entry.path();
      EXPECT_LE(natural_map_error(problem, f).plain, 1.0001 * tolerance) << entry.path();
    }
  }
}

TEST(AutoSolver, NeverReturnsWorseThanItsBestForce) {
  const std::unique_ptr<Solver> solver = make_solver("auto");
  for (unsigned seed = 0; seed < 20; ++seed) {
    const ContactProblem problem = elastic_problem(20, 1.5, seed);
    SolverOptions options;
    options.tolerance = 0.0;
    double last = std::numeric_limits<double>::infinity();
    for (options.max_iterations = 0; options.max_iterations < 40; ++options.max_iterations) {
      VecX f;
      const double error = solver->solve(problem, options, f).error;
      EXPECT_LE(error, last + 1e-15);
      last = error;
    }
  }
}

TEST(AutoSolver, TakingALargeProblemDoesNotOverrunAShortDeadline) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitized program is too slow";
  // the error of no force is all there is time for; to take the problem would need ten times more
  const int m = 4000;
  SparseMatrix W(3 * m, 3 * m);
  W.setIdentity();
  const ContactProblem problem{BlockMatrix::sparse(W), VecX::Constant(3 * m, -1.0),
                               VecX::Constant(m, 0.5)};
  SolverOptions options;
  options.tolerance = 1e-8;
  VecX f = VecX::Zero(3 * m);
  double best_us = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 20; ++trial) {
    const std::unique_ptr<Solver> solver = make_solver("auto");
    options.deadline_us = 200.0;
    const SolveResult result = solver->solve(problem, options, f);
    EXPECT_EQ(result.status, SolveStatus::deadline);
    EXPECT_NEAR(result.error, natural_map_error(problem, f).plain, 1e-9);
    best_us = std::min(best_us, 1e6 * result.seconds);
  }
  EXPECT_LT(best_us, 400.0);
}

TEST(AutoSolver, AMillionSmallProblemsNeverGiveNaNNorAForceOutsideItsConeNorHang) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  const std::unique_ptr<Solver> solver = make_solver("auto");
  SolverOptions options;
  options.tolerance = 1e-8;
  options.max_iterations = 60;
  const double friction[] = {0.0, 0.2, 0.7, 1.0, 10.0};
  const double scales[] = {1.0, 1e-9, 1e9, 1e-3, 1e3};
  constexpr int trials = 1'000'000;
  int solved = 0;
  std::vector<MatX> B = {MatX(3, 3), MatX(6, 6), MatX(9, 9), MatX(12, 12)};
  std::vector<ContactProblem> problems;
  for (int m = 1; m <= 4; ++m) {
    problems.push_back(
        {BlockMatrix::dense(MatX(3 * m, 3 * m)), VecX(3 * m), VecX::Constant(m, 0.0)});
  }
  VecX f(12);
  for (int trial = 0; trial < trials; ++trial) {
    const int m = 1 + trial % 4;
    const int n = 3 * m;
    MatX& roots = B[uz(m - 1)];
    ContactProblem& problem = problems[uz(m - 1)];
    // a new body now and then, a new load each time
    if (trial % 64 < 4) {
      for (Eigen::Index k = 0; k < roots.size(); ++k) roots.data()[k] = normal(random);
      const int rank = 1 + static_cast<int>(random() % static_cast<unsigned>(n));
      problem.W.as_dense() =
          roots.leftCols(rank) * roots.leftCols(rank).transpose() * scales[random() % 5];
      if (random() % 8 == 0) problem.W.as_dense().setZero();
      if (random() % 8 == 0) problem.W.as_dense() = roots;
      problem.mu.setConstant(friction[random() % 5]);
    }
    for (int k = 0; k < n; ++k) problem.delta_free[k] = normal(random) - (k % 3 == 0 ? 0.5 : 0.0);
    const SolveResult result = solver->solve(problem, options, f);
    solved += result.status == SolveStatus::converged ? 1 : 0;
    bool is_sound = std::isfinite(result.error) && f.size() == n && f.allFinite();
    for (int i = 0; i < m && is_sound; ++i) {
      is_sound = FrictionCone{problem.mu[i]}.contains(f.segment<3>(3 * i));
    }
    ASSERT_TRUE(is_sound) << "trial " << trial << " f " << f.transpose();
  }
  EXPECT_GT(solved, trials / 2);
}

TEST(AutoSolver, ReachesAFineErrorThoughWIsNotQuiteSymmetric) {
  const std::unique_ptr<Solver> solver = make_solver("auto");
  std::mt19937 random(18);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (const double mu : {0.0, 0.3, 0.8}) {
    ContactProblem problem = elastic_problem(40, mu, 19);
    auto W = problem.W.as_dense();
    for (Eigen::Index k = 0; k < W.size(); ++k) W.data()[k] *= 1.0 + 2.5e-3 * uniform(random);
    SolverOptions options;
    options.tolerance = 1e-9;
    VecX f;
    const SolveResult result = solver->solve(problem, options, f);
    EXPECT_EQ(result.status, SolveStatus::converged) << mu;
    EXPECT_LE(natural_map_error(problem, f).plain, 1.0001e-9) << mu;
  }
}

TEST(AutoSolver, AWarmStartNeedsFewOfTheIterationsOfAColdOne) {
  const std::filesystem::path folder = world_problems();
  if (folder.empty()) GTEST_SKIP() << "set STICKSLIP_FC3D to the folder of problems";
  const std::unique_ptr<Solver> solver = make_solver("auto");
  for (const char* name : {"clip_snap_mu02", "clip_seated_mu08", "beam_feet_mu02", "torus_mu08",
                           "smooth_kernel_m100_mu02", "synth_dense_m0100a", "synth_dense_m0200a"}) {
    const ContactProblem problem = read_fclib(folder / (std::string(name) + ".hdf5")).problem;
    std::mt19937 random(20);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    int cold = 0;
    int warm = 0;
    for (int trial = 0; trial < 5; ++trial) {
      ContactProblem changed = problem;
      for (Eigen::Index k = 0; k < changed.delta_free.size(); ++k) {
        changed.delta_free[k] *= 1.0 + 1e-3 * uniform(random);
      }
      SolverOptions options;
      options.tolerance = 1e-4;
      VecX f;
      cold += solver->solve(changed, options, f).iterations;
      solver->solve(problem, options, f);
      options.warm_start = true;
      warm += solver->solve(changed, options, f).iterations;
    }
    EXPECT_LE(warm, 0.4 * cold) << name;
  }
}

}  // namespace
}  // namespace stickslip
