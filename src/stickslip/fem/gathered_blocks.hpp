#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

class Compliance;

/// The blocks of a compliance table between the nodes that were in contact lately, side by side.
/// A contact that persists finds its blocks here instead of all over the table, whose size then
/// does not matter.
class GatheredBlocks {
 public:
  GatheredBlocks() = default;
  GatheredBlocks(int contact_nodes, int max_points);

  /// W(3i.., 3j..) += R C_ij R^T for surface points i, j, exactly symmetric. Reads the blocks of
  /// nodes that are new from the table.
  void add_compliance(const Compliance& compliance, std::span<const SurfacePoint> points,
                      const Mat3& R, Eigen::Ref<MatX> W);

 private:
  int count_nodes(std::span<const SurfacePoint> points);
  void gather(const Compliance& compliance, std::span<const SurfacePoint> points);

  std::vector<int> slot_;   ///< of each node that may touch, or -1
  std::vector<int> nodes_;  ///< in their slots
  std::vector<int> seen_;   ///< by each node, the last count that met it
  int counts_ = 0;
  int most_nodes_ = 0;
  // four rows a node, of which the last is zero, so that a column of a block is one vector
  MatX blocks_;  ///< of the slots in use
  Eigen::Matrix<double, Eigen::Dynamic, 3> answer_, turned_;
};

}  // namespace stickslip
