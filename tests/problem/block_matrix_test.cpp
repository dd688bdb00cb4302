#include "stickslip/problem/block_matrix.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

namespace stickslip {
namespace {

// six contacts, a third of the blocks, unsymmetric
SparseMatrix sparse_example() {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  SparseMatrix W(18, 18);
  for (int j = 0; j < 18; ++j) {
    for (int i = 0; i < 18; ++i) {
      if ((i / 3 + 2 * (j / 3)) % 3 == 0 && uniform(random) > -0.5) {
        W.insert(i, j) = uniform(random);
      }
    }
  }
  W.makeCompressed();
  return W;
}

TEST(BlockMatrix, DenseAndSparseFormsAgreeInEveryProduct) {
  const SparseMatrix W = sparse_example();
  const MatX reference = MatX(W);
  VecX f = VecX::Random(18);
  f.segment<3>(6).setZero();
  for (const BlockMatrix& matrix : {BlockMatrix::dense(reference), BlockMatrix::sparse(W)}) {
    EXPECT_EQ(matrix.contact_count(), 6);
    EXPECT_EQ(matrix.to_dense(), reference);
    VecX u;
    matrix.multiply(f, u);
    EXPECT_NEAR((u - reference * f).norm(), 0.0, 1e-14);
    for (int i = 0; i < 6; ++i) {
      Vec3 delta(1.0, 2.0, 3.0);
      matrix.add_row(i, f, std::array{0, 1, 3, 4, 5}, delta);
      const Vec3 row = Vec3(1.0, 2.0, 3.0) + reference.middleRows<3>(3 * i) * f;
      EXPECT_NEAR((delta - row).norm(), 0.0, 1e-14);
      VecX sum = VecX::Ones(18);
      matrix.add_column(i, Vec3(1.0, -2.0, 0.5), sum);
      const VecX expected = VecX::Ones(18) + reference.middleCols<3>(3 * i) * Vec3(1.0, -2.0, 0.5);
      EXPECT_NEAR((sum - expected).norm(), 0.0, 1e-14);
      for (int j = 0; j < 6; ++j) {
        EXPECT_EQ(matrix.block(i, j), (reference.block<3, 3>(3 * i, 3 * j)));
      }
    }
    EXPECT_NEAR(matrix.mean_diagonal(), reference.trace() / 18.0, 1e-15);
  }
}

TEST(BlockMatrix, StoresOnlyTheBlocksThatHoldSomething) {
  SparseMatrix W(9, 9);
  W.insert(0, 0) = 1.0;
  W.insert(8, 2) = 2.0;
  W.insert(4, 4) = 3.0;
  const BlockMatrix matrix = BlockMatrix::sparse(W);
  EXPECT_EQ(matrix.block_count(), 3);
  EXPECT_EQ(matrix.block(2, 2), Mat3::Zero());
}

TEST(BlockMatrix, IsFilledByItsLowerHalf) {
  // contacts 0 and 2 feel each other, 1 and 3 as well; twice, as what was there must not matter
  const std::vector<int> column_start = {0, 2, 4, 6, 8};
  const std::vector<int> rows = {0, 2, 1, 3, 0, 2, 1, 3};
  BlockMatrix sparse;
  BlockMatrix dense;
  for (int run = 0; run < 2; ++run) {
    sparse.resize_sparse(column_start, rows);
    dense.resize_dense(4);
    MatX expected = MatX::Zero(12, 12);
    for (const int j : {0, 1}) {
      const std::array<int, 2> both = {j, j + 2};
      const Eigen::Matrix<double, 6, 3> column = Eigen::Matrix<double, 6, 3>::Random();
      const Eigen::Matrix<double, 3, 3> last = Mat3::Random();
      for (BlockMatrix* W : {&sparse, &dense}) {
        W->add_blocks(both, j, column);
        W->add_blocks(std::span(both).last(1), j + 2, last);
      }
      expected.block<3, 3>(3 * j, 3 * j) =
          0.5 * (column.topRows<3>() + column.topRows<3>().transpose());
      expected.block<3, 3>(3 * j + 6, 3 * j) = column.bottomRows<3>();
      expected.block<3, 3>(3 * j, 3 * j + 6) = column.bottomRows<3>().transpose();
      expected.block<3, 3>(3 * j + 6, 3 * j + 6) = 0.5 * (last + last.transpose());
    }
    for (BlockMatrix* W : {&sparse, &dense}) {
      W->mirror();
      EXPECT_EQ(W->to_dense(), expected);
    }
    EXPECT_EQ(sparse.block_count(), 8);
  }
}

TEST(BlockMatrix, MayBeEmpty) {
  const BlockMatrix matrix;
  VecX u;
  matrix.multiply(VecX(), u);
  EXPECT_EQ(u.size(), 0);
  EXPECT_EQ(matrix.mean_diagonal(), 0.0);
}

}  // namespace
}  // namespace stickslip
