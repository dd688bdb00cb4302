#include "stickslip/fem/rigid_modes.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

RigidModes rigid_modes(const std::vector<Vec3>& nodes) {
  RigidModes R(3 * static_cast<int>(nodes.size()), 6);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto row = static_cast<int>(3 * i);
    R.block<3, 3>(row, 0).setIdentity();
    R.block<3, 3>(row, 3) = -skew(nodes[i]);
  }
  return R;
}

MassProperties mass_properties(const std::vector<Vec3>& nodes, const SparseMatrix& M) {
  const RigidModes R = rigid_modes(nodes);
  const Mat6 G = R.transpose() * (M * R);
  MassProperties result;
  result.mass = G.topLeftCorner<3, 3>().trace() / 3.0;
  // the lower left block is mass times skew(centre)
  const Mat3 S = G.bottomLeftCorner<3, 3>() / result.mass;
  result.centre = 0.5 * Vec3(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
  result.inertia =
      G.bottomRightCorner<3, 3>() + result.mass * skew(result.centre) * skew(result.centre);
  return result;
}

std::array<int, 6> isostatic_unknowns(const RigidModes& modes) {
  // rotations are scaled to the length of translations, then pivoting picks the six rows that
  // span most
  RigidModes scaled = modes;
  const double reach = modes.rightCols<3>().cwiseAbs().maxCoeff();
  scaled.rightCols<3>() /= reach;
  const Eigen::ColPivHouseholderQR<MatX> qr(scaled.transpose());
  std::array<int, 6> unknowns{};
  for (int k = 0; k < 6; ++k) unknowns[uz(k)] = qr.colsPermutation().indices()[k];
  return unknowns;
}

SparseMatrix restricted(const SparseMatrix& A, const std::vector<int>& new_index) {
  const int size = 1 + *std::max_element(new_index.begin(), new_index.end());
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(uz(A.nonZeros()));
  for (int j = 0; j < A.cols(); ++j) {
    if (new_index[uz(j)] < 0) continue;
    for (SparseMatrix::InnerIterator entry(A, j); entry; ++entry) {
      const int i = new_index[uz(entry.row())];
      if (i >= 0) entries.emplace_back(i, new_index[uz(j)], entry.value());
    }
  }
  SparseMatrix result(size, size);
  result.setFromTriplets(entries.begin(), entries.end());
  return result;
}

}  // namespace stickslip
