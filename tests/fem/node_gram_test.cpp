#include "stickslip/fem/node_gram.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>

#include "stickslip/fem/elasticity.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

/// A block whose stiffness has been made regular.
SparseMatrix some_stiffness(double added) {
  const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {3, 3, 3}, ElementType::tet4);
  SparseMatrix K = assemble_stiffness(mesh, {1e5, 0.3, 1000.0});
  for (int i = 0; i < K.rows(); ++i) K.coeffRef(i, i) += added;
  return K;
}

/// Points in triangles over the first few nodes.
NodeShares points_on(int node_count, int count, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  std::uniform_int_distribution<int> node(0, node_count - 3);
  std::uniform_real_distribution<double> weight(0.1, 0.5);
  NodeShares points(count);
  for (int i = 0; i < count; ++i) {
    const int first = node(random);
    const double a = weight(random);
    const double b = weight(random);
    points.add(SurfacePoint{{first, first + 1, first + 2}, {a, b, 1.0 - a - b}});
  }
  return points;
}

TEST(NodeGram, EqualsTheInverseBetweenThePointsOnFewNodesAndOnMany) {
  constexpr int count = 12;
  SparseMatrix K = some_stiffness(10.0);
  SparseCholesky factor(K);
  SparseCholesky::Workspace workspace = factor.make_workspace(3 * count);
  const auto size = static_cast<int>(K.rows());
  std::vector<int> active(uz(size));
  std::iota(active.begin(), active.end(), 0);
  NodeGram gram(size / 3, count);
  // few nodes, some of the same, others, many, and a new matrix
  struct Case {
    int nodes, points, seed;
    double added;
  };
  for (const Case& one : {Case{8, count, 1, 10.0}, Case{6, 5, 2, 10.0}, Case{9, count, 3, 10.0},
                          Case{60, count, 4, 10.0}, Case{8, count, 1, 30.0}}) {
    K = some_stiffness(one.added);
    if (one.added != 10.0) {
      ASSERT_TRUE(factor.refactorize(K));
      gram.forget();
    }
    const NodeShares points = points_on(one.nodes, one.points, one.seed);
    MatX H = MatX::Zero(3 * one.points, size);
    for (int i = 0; i < one.points; ++i) {
      for (const NodeShares::Share& share : points.of(i)) {
        H.block<3, 3>(3 * i, 3 * share.node) += share.weight * Mat3::Identity();
      }
    }
    const MatX expected = H * MatX(K).llt().solve(H.transpose());
    MatX C = MatX::Zero(3 * one.points, 3 * one.points);
    const std::size_t before = testing_support::allocation_count();
    gram.compute(factor, active, points, workspace, C);
    EXPECT_EQ(testing_support::allocation_count(), before);
    const MatX lower = C.triangularView<Eigen::Lower>();
    const MatX expected_lower = expected.triangularView<Eigen::Lower>();
    EXPECT_LT((lower - expected_lower).norm(), 1e-10 * expected.norm()) << one.seed;
  }
}

}  // namespace
}  // namespace stickslip
