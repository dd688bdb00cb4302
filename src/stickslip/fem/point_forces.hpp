#pragma once

#include <span>
#include <vector>

#include "stickslip/fem/node_shares.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// (Eqs. 10, 15) f += H^T forces: each force on a point is shared among the nodes of its
/// triangle.
void add_nodal_forces(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                      Eigen::Ref<VecX> f);

/// The columns of H^T for points of a body, three a point, over the unknowns of a factorisation.
/// Sized once, filled within a step.
class PointColumns {
 public:
  explicit PointColumns(int max_points = 0, int entries_a_column = 3);

  /// active maps each unknown 3 node + direction to one of the factorisation, or to -1 where it
  /// is held. Valid until the next call.
  std::span<const SparseCholesky::SparseColumn> fill(const NodeShares& points,
                                                     std::span<const int> active);

 private:
  void add_entry(int unknown, double value);

  std::vector<int> rows_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;  ///< of each column, in rows_ and values_
  std::vector<SparseCholesky::SparseColumn> columns_;
};

}  // namespace stickslip
