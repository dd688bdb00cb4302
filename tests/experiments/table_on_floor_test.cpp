#include "experiments/table_on_floor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "experiments/table_problems.hpp"
#include "places.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip::experiments {
namespace {

const char* const table_mesh = STICKSLIP_SOURCE_DIR "/scenes/models/table_500.msh";

TEST(TableOnFloor, DelassusOperatorIsThatOfAnElasticBody) {
  const TableOnFloor table(table_mesh);
  const ContactProblem problem = table.make_problem(table.contact_count(), 0.1);
  ASSERT_EQ(problem.contact_count(), 36);
  const MatX W = problem.W.to_dense();
  EXPECT_LT((W - W.transpose()).norm(), 1e-10 * W.norm());
  EXPECT_EQ(Eigen::LLT<MatX>(W).info(), Eigen::Success);
}

TEST(TableOnFloor, ContactsOnTheSameLegAreFarMoreCoupledThanOnDifferentLegs) {
  // paper, 5.3: four blocks of contacts appear
  const TableOnFloor table(table_mesh);
  const ContactProblem problem = table.make_problem(12, 0.1);
  double same_leg = 1e300;
  double other_leg = 0.0;
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < i; ++j) {
      const double coupling = problem.W.block(i, j).norm();
      if (i % 4 == j % 4) {
        same_leg = std::min(same_leg, coupling);
      } else {
        other_leg = std::max(other_leg, coupling);
      }
    }
  }
  EXPECT_GT(same_leg, 100.0 * other_leg);
}

TEST(TableOnFloor, FootByFootItIsTheSameOperatorAlongTheAxesOfTheTable) {
  const TableOnFloor table(table_mesh);
  const MatX W = table.delassus_by_feet();
  const ContactProblem problem = table.make_problem(table.contact_count(), 0.1);
  EXPECT_NEAR(W.trace(), problem.W.to_dense().trace(), 1e-12 * W.trace());
  EXPECT_NEAR(W.norm(), problem.W.to_dense().norm(), 1e-12 * W.norm());
  // the first contact keeps its place, its normal its axis
  EXPECT_NEAR(W(0, 0), problem.W.block(0, 0)(0, 0), 1e-15 * W.trace());
}

TEST(TableOnFloor, TheSameSeedGivesTheSameLoad) {
  const TableOnFloor table(table_mesh);
  ContactProblem first = table.make_problem(8, 0.3);
  ContactProblem second = first;
  table.load(first, 1.0, 7);
  table.load(second, 1.0, 7);
  EXPECT_EQ(first.delta_free, second.delta_free);
  table.load(second, 1.0, 8);
  EXPECT_NE(first.delta_free, second.delta_free);
}

TEST(TableOnFloor, ItsProblemsAreFilesThatOthersCanRead) {
  const TestFolder folder;
  TableProblemSettings settings;
  settings.contacts = {8};
  settings.mu = {0.3};
  settings.motions = {0.5, 1.0};
  EXPECT_EQ(write_table_problems(TableOnFloor(table_mesh), folder.path(), settings), 2);
  const ContactProblem problem =
      read_fclib(folder.path() / "table_problems" / "table_m8_mu03_motion0.5.hdf5").problem;
  EXPECT_EQ(problem.contact_count(), 8);
  EXPECT_EQ(problem.mu, VecX::Constant(8, 0.3));
  EXPECT_NEAR(problem.W.mean_diagonal(), 1.0, 1e-12);
}

TEST(TableOnFloor, MeshWithoutFeetIsRefused) {
  EXPECT_THROW(TableOnFloor(STICKSLIP_SOURCE_DIR "/scenes/models/sphere_500.msh"), InputError);
}

}  // namespace
}  // namespace stickslip::experiments
