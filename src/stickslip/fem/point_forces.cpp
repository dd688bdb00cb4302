#include "stickslip/fem/point_forces.hpp"

#include <cassert>

namespace stickslip {

void add_nodal_forces(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                      Eigen::Ref<VecX> f) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      f.segment<3>(3 * points[i].corner[c]) += points[i].weight[c] * forces[i];
    }
  }
}

PointColumns::PointColumns(int max_points)
    : rows_(uz(9 * max_points)), values_(uz(9 * max_points)), columns_(uz(3 * max_points)) {}

std::span<const SparseCholesky::SparseColumn> PointColumns::fill(
    std::span<const SurfacePoint> points, std::span<const int> active) {
  assert(3 * points.size() <= columns_.size());
  for (std::size_t k = 0; k < 3 * points.size(); ++k) {
    const SurfacePoint& point = points[k / 3];
    std::size_t filled = 0;
    int* rows = rows_.data() + 3 * k;
    double* values = values_.data() + 3 * k;
    for (std::size_t c = 0; c < 3; ++c) {
      const int unknown = active[3 * uz(point.corner[c]) + k % 3];
      if (unknown < 0) continue;
      rows[filled] = unknown;
      values[filled++] = point.weight[c];
    }
    columns_[k] = {{rows, filled}, {values, filled}};
  }
  return {columns_.data(), 3 * points.size()};
}

void add_turned(const Eigen::Ref<const MatX>& C, const Mat3& R, Eigen::Ref<MatX> W) {
  for (int i = 0; i < C.rows(); i += 3) {
    for (int j = 0; j <= i; j += 3) {
      const Mat3 turned = R * C.block<3, 3>(i, j) * R.transpose();
      if (i == j) {
        W.block<3, 3>(i, i) += 0.5 * (turned + turned.transpose());
      } else {
        W.block<3, 3>(i, j) += turned;
        W.block<3, 3>(j, i) += turned.transpose();
      }
    }
  }
}

}  // namespace stickslip
