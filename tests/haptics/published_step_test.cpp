#include "stickslip/haptics/loop/published_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {
namespace {

/// Contacts along a line, which move their neighbours along; every third one is open.
ContactProblem line_of_contacts(int m, bool is_dense) {
  MatX W = MatX::Zero(3 * m, 3 * m);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  ContactProblem problem;
  problem.delta_free.resize(3 * m);
  problem.mu = VecX::Constant(m, 0.3);
  for (int i = 0; i < m; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(m - 1, i + 2); ++j) {
      W.block<3, 3>(3 * i, 3 * j) = Mat3::Identity() * (i == j ? 1.0 : 0.2);
    }
    const double gap = i % 3 == 0 ? 2.0 + uniform(random) : -uniform(random);
    problem.delta_free.segment<3>(3 * i) = Vec3(gap, uniform(random) - 0.5, uniform(random) - 0.5);
  }
  problem.W = is_dense ? BlockMatrix::dense(W) : BlockMatrix::sparse(W.sparseView());
  return problem;
}

VecX solution(const ContactProblem& problem) {
  SolverOptions options;
  options.tolerance = 1e-13;
  VecX f;
  EXPECT_EQ(make_solver("auto")->solve(problem, options, f).status, SolveStatus::converged);
  return f;
}

class PublishedGroupOf : public testing::TestWithParam<bool> {};

TEST_P(PublishedGroupOf, AFewContactsIsTheProblemItself) {
  const ContactProblem problem = line_of_contacts(most_contacts_of_tick, GetParam());
  const VecX f = solution(problem);
  PublishedGroup group;
  group.take(problem, f);
  EXPECT_EQ(group.problem.W.to_dense(), problem.W.to_dense());
  EXPECT_EQ(group.f, f);
  EXPECT_LT((group.problem.delta_free - problem.delta_free).norm(), 1e-14);
}

TEST_P(PublishedGroupOf, ManyContactsHasTheirForcesAndMotionsAsItsSolution) {
  const int m = 2 * most_contacts_of_tick;
  const ContactProblem problem = line_of_contacts(m, GetParam());
  const VecX f = solution(problem);
  ASSERT_GT((f.array() != 0.0).count(), 3 * most_contacts_of_tick);
  PublishedGroup group;
  group.take(problem, f);
  ASSERT_EQ(group.problem.contact_count(), most_contacts_of_tick);
  EXPECT_LT(natural_map_error(group.problem, group.f).plain, 1e-12);

  VecX u;
  problem.W.multiply(f, u);
  u += problem.delta_free;
  double least_push = 1e9;
  for (std::size_t k = 0; k < group.chosen.size(); ++k) {
    const int c = 3 * group.chosen[k];
    const int at = static_cast<int>(3 * k);
    EXPECT_EQ(group.f.segment<3>(at), f.segment<3>(c));
    EXPECT_LT((group.u.segment<3>(at) - u.segment<3>(c)).norm(), 1e-13);
    least_push = std::min(least_push, group.f[at]);
  }
  // the others push no harder
  for (int c = 0; c < m; ++c) {
    if (std::binary_search(group.chosen.begin(), group.chosen.end(), c)) continue;
    EXPECT_LE(f[3 * c], least_push);
  }
}

TEST_P(PublishedGroupOf, ManyOpenContactsHasTheNearest) {
  const int m = 2 * most_contacts_of_tick;
  ContactProblem problem = line_of_contacts(m, GetParam());
  for (int c = 0; c < m; ++c) problem.delta_free[3 * c] = 1.0 + (c * 37) % m;
  PublishedGroup group;
  group.take(problem, VecX::Zero(3 * m));
  ASSERT_EQ(group.problem.contact_count(), most_contacts_of_tick);
  EXPECT_LE(group.u(Eigen::seq(0, Eigen::last, 3)).maxCoeff(), most_contacts_of_tick);
}

INSTANTIATE_TEST_SUITE_P(Storage, PublishedGroupOf, testing::Values(true, false),
                         [](const auto& info) { return info.param ? "dense" : "sparse"; });

}  // namespace
}  // namespace stickslip
