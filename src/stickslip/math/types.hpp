#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/SparseCore>
#include <concepts>
#include <cstddef>

// a program that disagrees with the library on this would corrupt its memory
static_assert(EIGEN_MAX_STATIC_ALIGN_BYTES == 32,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=32 -DEIGEN_MAX_STATIC_ALIGN_BYTES=32, as "
              "linking the CMake target stickslip::stickslip does");

namespace stickslip {

using Vec3 = Eigen::Vector3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;
using VecX = Eigen::VectorXd;
using Mat3 = Eigen::Matrix3d;
using Mat6 = Eigen::Matrix<double, 6, 6>;
using MatX = Eigen::MatrixXd;
using Quat = Eigen::Quaterniond;

/// Entries that lie somewhere one after the other, to rewrite or to read.
using VecView = Eigen::Ref<VecX>;
using ConstVecView = Eigen::Ref<const VecX>;

/// Compressed by columns, indices of 32 bits.
using SparseMatrix = Eigen::SparseMatrix<double>;

/// An index as the standard containers take it; indices of meshes and matrices are signed.
template <std::integral Index>
constexpr std::size_t uz(Index index) {
  return static_cast<std::size_t>(index);
}

}  // namespace stickslip
