#include "stickslip/fem/vibration.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "stickslip/error.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"

namespace stickslip {

Vibration lowest_vibrations(const DeformationModel& model, std::span<const int> held_nodes,
                            int count) {
  // strike out what is held
  std::vector<int> active(uz(3 * model.node_count()), 0);
  for (const int node : held_nodes) {
    for (int d = 0; d < 3; ++d) active[uz(3 * node + d)] = -1;
  }
  int size = 0;
  for (int& a : active) a = a < 0 ? -1 : size++;
  if (size == 0) throw InputError("every node of the body is held: nothing can vibrate");
  const SparseMatrix K = restricted(model.K, active);
  const SparseMatrix M = restricted(model.M, active);
  const int wanted = std::min(count, size);
  const int block = std::min(2 * wanted + 8, size);

  // a small shift makes the matrix of a free body regular
  const double highest = (K.diagonal().array() / M.diagonal().array()).maxCoeff();
  const double shift = held_nodes.empty() ? 1e-6 * highest : 0.0;
  const SparseCholesky factor(K + shift * M);

  // start from a fixed pattern without symmetry, then iterate and project
  MatX X(size, block);
  std::uint64_t seed = 1;
  for (int j = 0; j < block; ++j) {
    for (int i = 0; i < size; ++i) {
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      X(i, j) = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
    }
  }
  VecX squared = VecX::Zero(block);
  constexpr int most_iterations = 200;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    MatX Y = M * X;
    factor.solve(Y);
    const MatX MY = M * Y;
    const MatX reduced_K = Y.transpose() * (K * Y);
    const MatX reduced_M = Y.transpose() * MY;
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatX> ritz(reduced_K, reduced_M);
    X.noalias() = Y * ritz.eigenvectors();
    const VecX change = (ritz.eigenvalues() - squared).cwiseAbs();
    squared = ritz.eigenvalues();
    const VecX scale = squared.array() + shift;
    if ((change.array() / scale.array()).head(wanted).maxCoeff() < 1e-10) break;
  }

  Vibration result;
  result.frequencies_hz.resize(wanted);
  result.modes = MatX::Zero(3 * model.node_count(), wanted);
  const double rigid = held_nodes.empty() ? 1e-6 * shift : 0.0;
  for (int k = 0; k < wanted; ++k) {
    const double omega = std::abs(squared[k]) < rigid ? 0.0 : std::sqrt(std::max(0.0, squared[k]));
    result.frequencies_hz[k] = omega / (2.0 * std::numbers::pi);
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    if (active[i] >= 0) {
      result.modes.row(static_cast<int>(i)) = X.row(active[i]).head(wanted);
    }
  }
  return result;
}

}  // namespace stickslip
