#pragma once

#include <span>
#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/fem/node_shares.hpp"

namespace stickslip {

/// Which of the motions of bodies a compliance is made of.
enum class Motion { whole, frames_only };

/// What forces on some points of one body move these by, each along axes of its own, at the end of
/// a step: (Eqs. 17, 29, 30) A (H C H^T + J A_eff^-1 J^T) A^T. The axes are taken into the frame of
/// the body, where C is known, and the columns of both parts are one product, of which the frame
/// has rank six: [A_i C_ij, J_i] times [A_j^T; A_eff^-1 J_j^T].
class PointCompliance {
 public:
  explicit PointCompliance(int max_points, int nodes_a_point = 3);

  /// Takes the points, which lie in triangles that may touch, and the axes of each, its rows, world
  /// axes, perhaps with the sign turned. `state` is that of the beginning of the step, after
  /// compute_free_motion; torque arms reach to the deformed points there, and K_c and B_c were
  /// symmetric. Does not allocate.
  void take(const Body& body, const BodyState& state, std::span<const SurfacePoint> points,
            std::span<const Mat3> axes, Motion motion, BodyStep& step);

  using Columns = Eigen::Ref<Eigen::Matrix<double, Eigen::Dynamic, 3>>;

  /// columns(3 (i - j).., :) = what the forces on point j move point i by, i >= j. The first block
  /// is symmetric but for rounding.
  void write_columns(int j, Columns columns);
  /// The same, added.
  void add_columns(int j, Columns columns);

  /// What one newton moves a point, in the mean over all points and directions. [m/N]
  double mean() const;

 private:
  using Axes = Eigen::Matrix<double, 4, 3>;  ///< with a row of zeros, so that a column is a vector

  template <bool adds>
  void compute_columns(int j, Columns columns);

  int count_ = 0;
  bool deforms_ = false;
  bool has_frame_ = false;
  NodeShares shares_;
  std::vector<Axes> axes_;  ///< in the frame of the deformation
  MatX C_;                  ///< of the deformation in its own axes, the lower half
  /// The left factor: A_i C_ij for the column at hand, then J_i along the axes.
  Eigen::Matrix<double, Eigen::Dynamic, 9> left_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> answers_;  ///< A_eff^-1 J_j^T
  double trace_ = 0.0;
};

/// The same for all points in world axes, the whole of it: W += A_eff^-1 and C between the points.
/// Allocates.
void add_world_compliance(const Body& body, const BodyState& state,
                          std::span<const SurfacePoint> points, BodyStep& step, Eigen::Ref<MatX> W);

}  // namespace stickslip
