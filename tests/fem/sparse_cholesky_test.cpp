#include "stickslip/fem/sparse_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numeric>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/fem/elasticity.hpp"

namespace stickslip {
namespace {

/// A body that is anchored everywhere a little: K + M.
SparseMatrix anchored_box(const std::array<int, 3>& cells, ElementType type) {
  const TetMesh mesh = make_box({1.0, 0.8, 0.6}, cells, type);
  const SparseMatrix K = assemble_stiffness(mesh, {1e3, 0.3, 1.0});
  const SparseMatrix M = assemble_mass(mesh, 1e3, MassKind::consistent);
  return K + M;
}

MatX random_matrix(int rows, int columns) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  return MatX::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// Symmetric, diagonally dominant, with a pattern that no mesh has.
SparseMatrix random_sparse(int size, double density, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<Eigen::Triplet<double>> entries;
  VecX diagonal = VecX::Constant(size, 0.1);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < i; ++j) {
      if (std::abs(uniform(random)) > density) continue;
      const double value = uniform(random);
      entries.emplace_back(i, j, value);
      entries.emplace_back(j, i, value);
      diagonal[i] += std::abs(value);
      diagonal[j] += std::abs(value);
    }
  }
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, diagonal[i]);
  SparseMatrix A(size, size);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

void expect_solves(const SparseMatrix& A) {
  const SparseCholesky factor(A);
  const int n = static_cast<int>(A.rows());
  const MatX B = random_matrix(n, 5);
  MatX X = B;
  factor.solve(X);
  EXPECT_LT((A * X - B).norm(), 1e-11 * B.norm());

  auto workspace = factor.make_workspace(1);
  VecX x = B.col(0);
  factor.solve_in_step(x, workspace);
  EXPECT_LT((x - X.col(0)).norm(), 1e-12 * x.norm());
}

TEST(SparseCholesky, SolvesWhatItFactorised) {
  expect_solves(anchored_box({4, 3, 2}, ElementType::tet4));
  expect_solves(anchored_box({3, 3, 3}, ElementType::tet10));
}

TEST(SparseCholesky, TakesAnyPattern) {
  expect_solves(random_sparse(1, 0.0, 1));
  expect_solves(random_sparse(40, 0.0, 2));  // diagonal
  for (unsigned seed = 3; seed < 40; ++seed) {
    expect_solves(random_sparse(60, 0.002 * seed, seed));  // loose parts, then nearly full
  }
}

TEST(SparseCholesky, InverseColumnsEqualTheDenseInverse) {
  const SparseMatrix A = anchored_box({3, 2, 2}, ElementType::tet10);
  const SparseCholesky factor(A);
  const MatX inverse = MatX(A).inverse();
  const auto position = factor.elimination_position();
  std::vector<int> unknown_at(position.size());
  for (std::size_t k = 0; k < position.size(); ++k)
    unknown_at[uz(position[k])] = static_cast<int>(k);

  MatX X;
  const std::vector<int> columns = {40, 41, 97, 300};
  for (const int from : {0, 40}) {
    factor.inverse_columns(columns, from, X);
    for (int i = from; i < A.rows(); ++i) {
      for (int k = 0; k < 4; ++k) {
        EXPECT_NEAR(X(i, k), inverse(unknown_at[uz(i)], unknown_at[uz(columns[uz(k)])]),
                    1e-12 * inverse.norm());
      }
    }
  }
}

TEST(SparseCholesky, GramOfSparseColumnsEqualsTheDenseProduct) {
  const SparseMatrix A = anchored_box({4, 3, 2}, ElementType::tet4);
  const int n = static_cast<int>(A.rows());
  const SparseCholesky factor(A);
  auto workspace = factor.make_workspace(21);

  MatX B = MatX::Zero(n, 21);
  std::vector<std::array<int, 3>> rows(21);
  std::vector<std::array<double, 3>> values(21);
  std::vector<SparseCholesky::SparseColumn> columns;
  for (int j = 0; j < 21; ++j) {
    for (int k = 0; k < 3; ++k) {
      rows[uz(j)][uz(k)] = (37 * j + 53 * k) % n;
      values[uz(j)][uz(k)] = 0.3 + 0.1 * j - 0.4 * k;
      B(rows[uz(j)][uz(k)], j) += values[uz(j)][uz(k)];
    }
    columns.push_back({rows[uz(j)], values[uz(j)]});
  }
  const MatX expected = B.transpose() * MatX(A).inverse() * B;
  for (int repeat = 0; repeat < 2; ++repeat) {
    MatX G = MatX::Zero(21, 21);
    factor.add_gram(columns, workspace, G);
    EXPECT_LT((G - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(SparseCholesky, RefactorisesAMatrixOfTheSamePattern) {
  SparseMatrix A = anchored_box({3, 3, 3}, ElementType::tet4);
  SparseCholesky factor(A);
  A *= 2.5;
  ASSERT_TRUE(factor.refactorize(A));
  const MatX B = random_matrix(static_cast<int>(A.rows()), 2);
  MatX X = B;
  factor.solve(X);
  EXPECT_LT((A * X - B).norm(), 1e-11 * B.norm());
}

TEST(SparseCholesky, GivesTheSameBitsOnOneThreadAndOnSeveral) {
  const SparseMatrix A = anchored_box({6, 6, 6}, ElementType::tet10);
  SparseCholesky factor(A);
  ASSERT_GT(factor.factor_flops(), 2e8) << "too small to be shared out among threads";
  const MatX B = random_matrix(static_cast<int>(A.rows()), 2);
  MatX several = B;
  factor.solve(several);
  EXPECT_LT((A * several - B).norm(), 1e-11 * B.norm());
  ASSERT_TRUE(factor.refactorize(A));
  MatX one = B;
  factor.solve(one);
  EXPECT_EQ(one, several);
}

TEST(SparseCholesky, RefusesAnIndefiniteMatrix) {
  SparseMatrix A = anchored_box({2, 2, 2}, ElementType::tet4);
  A.coeffRef(4, 4) = -1.0;
  EXPECT_THROW(SparseCholesky{A}, InputError);
}

}  // namespace
}  // namespace stickslip
