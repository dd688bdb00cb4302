#include "stickslip/fem/point_forces.hpp"

namespace stickslip {

void add_nodal_forces(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                      Eigen::Ref<VecX> f) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      f.segment<3>(3 * points[i].corner[c]) += points[i].weight[c] * forces[i];
    }
  }
}

PointColumns::PointColumns(int max_points, int entries_a_column) {
  rows_.reserve(uz(3 * max_points * entries_a_column));
  values_.reserve(uz(3 * max_points * entries_a_column));
  ends_.reserve(uz(3 * max_points));
  columns_.reserve(uz(3 * max_points));
}

void PointColumns::add_entry(int unknown, double value) {
  if (unknown < 0 || value == 0.0) return;
  rows_.push_back(unknown);
  values_.push_back(value);
}

std::span<const SparseCholesky::SparseColumn> PointColumns::fill(const NodeShares& points,
                                                                 std::span<const int> active) {
  rows_.clear();
  values_.clear();
  ends_.clear();
  for (int i = 0; i < points.count(); ++i) {
    const auto shares = points.of(i);
    for (int d = 0; d < 3; ++d) {
      for (std::size_t a = 0; a < shares.size(); ++a) {
        const int* unknown = &active[uz(3 * shares[a].node)];
        if (!points.has_turns()) {
          add_entry(unknown[d], shares[a].weight);
          continue;
        }
        // a force along d is that row of the share's matrix on its node
        for (int e = 0; e < 3; ++e) add_entry(unknown[e], points.turns(i)[a](d, e));
      }
      ends_.push_back(rows_.size());
    }
  }
  columns_.clear();
  std::size_t begin = 0;
  for (const std::size_t end : ends_) {
    columns_.push_back({std::span(rows_).subspan(begin, end - begin),
                        std::span(values_).subspan(begin, end - begin)});
    begin = end;
  }
  return columns_;
}

}  // namespace stickslip
