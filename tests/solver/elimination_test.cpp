#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "stickslip/solver/contact_groups.hpp"
#include "stickslip/solver/dense_lu.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"
#include "tests/solver/example_problems.hpp"

namespace stickslip {
namespace {

MatX random_matrix(int rows, int columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MatX result(rows, columns);
  for (Eigen::Index k = 0; k < result.size(); ++k) result.data()[k] = normal(random);
  return result;
}

/// Blocks (i, j) with |i - j| = 0, 1 or `far`, unsymmetric, the diagonal ones strong.
SparseMatrix banded(int contacts, int far, unsigned seed) {
  MatX W = random_matrix(3 * contacts, 3 * contacts, seed);
  for (int j = 0; j < contacts; ++j) {
    for (int i = 0; i < contacts; ++i) {
      const int distance = std::abs(i - j);
      if (distance > 1 && distance != far) W.block<3, 3>(3 * i, 3 * j).setZero();
    }
    W.block<3, 3>(3 * j, 3 * j) += 6.0 * Mat3::Identity();
  }
  return W.sparseView();
}

TEST(DenseLu, SolvesWhatNeedsRowExchanges) {
  DenseLu lu;
  lu.reserve(100);
  Budget budget(std::numeric_limits<double>::infinity());
  for (const int n : {1, 2, 15, 16, 17, 33, 100}) {
    MatX A = random_matrix(n, n, 3);
    A.diagonal().setZero();
    if (n == 1) A(0, 0) = 2.0;
    const VecX x = random_matrix(n, 1, 4);
    VecX solution = VecX::Zero(100);
    solution.head(n) = A * x;
    lu.matrix(n) = A;
    ASSERT_TRUE(lu.factorise(n, budget, 0.0));
    lu.solve(solution);
    EXPECT_LT((solution.head(n) - x).norm(), 1e-10 * x.norm()) << n;
  }
  lu.matrix(5).setZero();
  EXPECT_FALSE(lu.factorise(5, budget, 0.0));
}

TEST(SparseBlockLu, SolvesAnUnsymmetricMatrixAsItsDenseInverseDoes) {
  const int m = 40;
  const ContactProblem problem{BlockMatrix::sparse(banded(m, 7, 5)), VecX::Zero(3 * m),
                               VecX::Zero(m)};
  std::vector<ContactBlock> blocks(m);
  for (int i = 0; i < m; ++i) blocks[uz(i)] = ContactBlock(problem.W.block(i, i), 0.0);
  std::vector<int> all;
  for (int i = 0; i < m; ++i) all.push_back(i);
  LocalProblem local;
  local.prepare(problem);
  local.gather(problem, blocks, all);
  ASSERT_FALSE(local.is_dense());
  SparseBlockLu lu;
  Budget budget(std::numeric_limits<double>::infinity());
  ASSERT_EQ(lu.analyse(local, budget, 0.0), SparseBlockLu::Analysis::done);
  EXPECT_LT(lu.flops(), 0.3 * 2.0 / 3.0 * 120 * 120 * 120);

  // every fifth contact is left out
  const auto is_used = [](int i) { return i % 5 != 0; };
  const auto fill = [](int i, int j, const double* W_ij, Mat3& block) {
    block = Eigen::Map<const Eigen::Matrix<double, 4, 3>>(W_ij).topRows<3>();
    if (i == j) block.diagonal().array() += 0.25;
  };
  ASSERT_TRUE(lu.factorise(local, is_used, fill, budget, 0.0));
  MatX A = problem.W.to_dense();
  VecX x = random_matrix(3 * m, 1, 6);
  for (int i = 0; i < m; ++i) {
    if (is_used(i)) {
      A.block<3, 3>(3 * i, 3 * i).diagonal().array() += 0.25;
      continue;
    }
    A.middleRows(3 * i, 3).setZero();
    A.middleCols(3 * i, 3).setZero();
    A.block<3, 3>(3 * i, 3 * i).setIdentity();
    x.segment<3>(3 * i).setZero();
  }
  VecX solution = A * x;
  lu.solve(solution);
  EXPECT_LT((solution - x).norm(), 1e-11 * x.norm());
}

TEST(LocalProblem, MovesAsTheWholeDoesWhereTheOthersCarryNoForce) {
  for (const bool is_dense : {true, false}) {
    const int m = 30;
    const SparseMatrix W = banded(m, 4, 7);
    const VecX delta_free = random_matrix(3 * m, 1, 8);
    const ContactProblem problem{is_dense ? BlockMatrix::dense(MatX(W)) : BlockMatrix::sparse(W),
                                 delta_free, VecX::Constant(m, 0.3)};
    std::vector<ContactBlock> blocks(m);
    for (int i = 0; i < m; ++i) blocks[uz(i)] = ContactBlock(problem.W.block(i, i), 0.3);
    std::vector<int> chosen;
    for (int i = 1; i < m; i += i % 3 == 0 ? 2 : 1) chosen.push_back(i);
    LocalProblem local;
    local.prepare(problem);
    local.gather(problem, blocks, chosen);
    ASSERT_EQ(local.is_dense(), is_dense);

    VecX f = VecX::Zero(3 * m);
    for (const int i : chosen) f.segment<3>(3 * i) = Vec3(1.0 + i, 0.1, -0.2 * i);
    VecX local_f = VecX::Zero(local.capacity());
    VecX local_delta = local_f;
    local.take(f, local_f);
    local.refresh(local_f, local_delta);
    const VecX delta = MatX(W) * f + delta_free;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      EXPECT_LT((local_delta.segment<3>(local.stride() * static_cast<int>(k)) -
                 delta.segment<3>(3 * chosen[k]))
                    .norm(),
                1e-11);
    }
    VecX back = VecX::Zero(3 * m);
    local.give(local_f, back);
    EXPECT_EQ(back, f);
  }
}

TEST(ContactGroups, AreWhatWLinksAmongTheChosen) {
  // 0-1-2-3 and 4-5 are chains, 6 alone
  MatX W = MatX::Identity(21, 21);
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(1, 2), std::pair(2, 3), std::pair(4, 5)}) {
    W(3 * i, 3 * j) = W(3 * j + 1, 3 * i + 2) = 0.1;
  }
  const BlockMatrix sparse = BlockMatrix::sparse(SparseMatrix(W.sparseView()));
  const auto list = [](std::span<const int> group) {
    return std::vector<int>(group.begin(), group.end());
  };
  ContactGroups groups;
  const std::vector<int> all = {0, 1, 2, 3, 4, 5, 6};
  groups.find(sparse, all);
  ASSERT_EQ(groups.count(), 3);
  EXPECT_EQ(list(groups.group(0)), std::vector<int>({6}));
  EXPECT_EQ(list(groups.group(1)), std::vector<int>({4, 5}));
  EXPECT_EQ(list(groups.group(2)), std::vector<int>({0, 1, 2, 3}));

  // without 2 the first chain is cut
  const std::vector<int> some = {0, 1, 3, 5};
  groups.find(sparse, some);
  ASSERT_EQ(groups.count(), 3);
  EXPECT_EQ(list(groups.group(2)), std::vector<int>({0, 1}));

  groups.find(BlockMatrix::dense(W), some);
  ASSERT_EQ(groups.count(), 1);
  EXPECT_EQ(list(groups.group(0)), some);
  groups.find(sparse, std::vector<int>());
  EXPECT_EQ(groups.count(), 0);
}

/// Contacts, each linked with a few others anywhere, so that elimination fills W: the order takes
/// long to find.
ContactProblem linked_anywhere(int m) {
  std::mt19937 random(31);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 3 * m; ++i) entries.emplace_back(i, i, 1.0);
  for (int link = 0; link < 3 * m; ++link) {
    const int i = static_cast<int>(random() % static_cast<unsigned>(m));
    const int j = static_cast<int>(random() % static_cast<unsigned>(m));
    if (i == j) continue;
    entries.emplace_back(3 * i, 3 * j, 1e-3);
    entries.emplace_back(3 * j, 3 * i, 1e-3);
  }
  SparseMatrix W(3 * m, 3 * m);
  W.setFromTriplets(entries.begin(), entries.end());
  return {BlockMatrix::sparse(W), VecX::Constant(3 * m, -1.0), VecX::Constant(m, 0.5)};
}

/// Every contact linked with the next alone.
SparseMatrix chain(int contacts) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < 3 * contacts; ++i) entries.emplace_back(i, i, 1.0);
  for (int i = 0; i + 1 < contacts; ++i) {
    entries.emplace_back(3 * i, 3 * i + 3, 0.1);
    entries.emplace_back(3 * i + 3, 3 * i, 0.1);
  }
  SparseMatrix W(3 * contacts, 3 * contacts);
  W.setFromTriplets(entries.begin(), entries.end());
  return W;
}

TEST(SparseBlockLu, TakesThousandsOfContactsWithFewLinksAndNoMoreThanItSays) {
  for (const int m : {3000, SparseBlockLu::most_contacts + 1}) {
    const ContactProblem problem{BlockMatrix::sparse(chain(m)), VecX::Constant(3 * m, -1.0),
                                 VecX::Constant(m, 0.5)};
    const std::vector<ContactBlock> blocks(uz(m), ContactBlock(problem.W.block(0, 0), 0.5));
    std::vector<int> all;
    for (int i = 0; i < m; ++i) all.push_back(i);
    LocalProblem local;
    local.prepare(problem);
    local.gather(problem, blocks, all);
    SparseBlockLu lu;
    Budget budget(std::numeric_limits<double>::infinity());
    const bool fits = m <= SparseBlockLu::most_contacts;
    EXPECT_EQ(lu.analyse(local, budget, 0.0),
              fits ? SparseBlockLu::Analysis::done : SparseBlockLu::Analysis::too_large);
    if (fits) {
      EXPECT_LT(lu.flops(), 1e3 * m);
    }
  }
}

TEST(SparseBlockLu, TheSearchForAnOrderEndsWithItsTime) {
  const int m = 1500;
  const ContactProblem problem = linked_anywhere(m);
  std::vector<ContactBlock> blocks(uz(m));
  std::vector<int> all;
  for (int i = 0; i < m; ++i) {
    blocks[uz(i)] = ContactBlock(problem.W.block(i, i), 0.5);
    all.push_back(i);
  }
  LocalProblem local;
  local.prepare(problem);
  local.gather(problem, blocks, all);
  SparseBlockLu lu;
  // the best of some: a busy machine slows any
  double whole_us = std::numeric_limits<double>::infinity();
  for (int trial = 0; trial < 5; ++trial) {
    Budget unlimited(std::numeric_limits<double>::infinity());
    ASSERT_EQ(lu.analyse(local, unlimited, 0.0), SparseBlockLu::Analysis::done);
    whole_us = std::min(whole_us, unlimited.elapsed_us());
  }
  double best_us = whole_us;
  for (int trial = 0; trial < 20; ++trial) {
    Budget budget(0.1 * whole_us);
    ASSERT_EQ(lu.analyse(local, budget, 0.0), SparseBlockLu::Analysis::late);
    best_us = std::min(best_us, budget.elapsed_us());
  }
  EXPECT_LT(best_us, 0.5 * whole_us);
}

}  // namespace
}  // namespace stickslip
