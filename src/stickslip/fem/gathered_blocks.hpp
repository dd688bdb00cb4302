#pragma once

#include <span>
#include <vector>

#include "stickslip/fem/node_shares.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

class Compliance;

/// The blocks of a compliance table between the nodes that were in contact lately, side by side.
/// A contact that persists finds its blocks here instead of all over the table, whose size then
/// does not matter. A table that is small and symmetric is read itself: bodies may share it, which
/// then have no copies that drive each other out of the caches.
class GatheredBlocks {
 public:
  GatheredBlocks() = default;
  GatheredBlocks(const Compliance& compliance, int max_points);

  /// C(3i.., 3j..) = C_ij for the points i >= j; nothing else of C is touched. Reads the blocks of
  /// nodes that are new from the table.
  void compute(const Compliance& compliance, const NodeShares& points, Eigen::Ref<MatX> C);

 private:
  /// Displacements of nodes by their slots.
  struct Answer {
    const double* first;
    Eigen::Index next_column;
    int next_node;
  };

  int count_nodes(const NodeShares& points);
  void gather(const Compliance& compliance, const NodeShares& points);
  /// The blocks of the slots: those gathered, or a whole table, in which a node has three rows.
  Answer blocks(const Compliance& compliance) const;
  Answer answer_to(const Answer& blocks, const NodeShares& points, int j);

  std::vector<int> slot_;   ///< of each node that may touch, or -1
  std::vector<int> nodes_;  ///< in their slots
  std::vector<int> seen_;   ///< by each node, the last count that met it
  int counts_ = 0;
  int most_nodes_ = 0;
  // four rows a node, of which the last is zero, so that a column of a block is one vector
  MatX blocks_;              ///< of the slots in use
  std::vector<int> needed_;  ///< the slots of the points from some point on
  Eigen::Matrix<double, Eigen::Dynamic, 3> answer_;
};

}  // namespace stickslip
