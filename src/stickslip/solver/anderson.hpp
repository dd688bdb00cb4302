#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// Anderson acceleration of sweeps f -> G(f). From the last few sweeps it finds the combination
/// that would have changed least, and extrapolates; delta = W f + delta_free, affine in f, follows
/// with no product with W.
///
/// Changes are measured in the energy they store, step . W step, which does not see the forces
/// that a singular W leaves undetermined, plus a tenth of the mean compliance times |step|^2.
/// Vectors may be longer than the size it was reset to; what follows is not looked at. Allocates
/// only when the size grows.
class Anderson {
 public:
  /// Forgets all sweeps. `size` is that of f, `mean_compliance` is trace(W)/3m. [m/N]
  void reset(Eigen::Index size, double mean_compliance);

  /// Takes the sweep that led from (f_before, delta_before) to (f, delta), then replaces the
  /// latter by the extrapolated ones. Returns the sum of the weights of the combination, by which
  /// the rounding of delta may have grown; 0, leaving f and delta, while there is nothing to
  /// extrapolate from.
  double extrapolate(const VecX& f_before, const VecX& delta_before, VecX& f, VecX& delta);

 private:
  static constexpr int memory = 8;
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, memory, memory>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, memory, 1>;

  Eigen::Index size_ = 0;
  double force_weight_ = 0.0;
  bool has_last_ = false;
  int count_ = 0;  ///< differences held
  int next_ = 0;   ///< column to be overwritten
  VecX step_;      ///< what the sweep changed
  VecX image_;     ///< the metric times step_
  VecX last_step_;
  VecX last_image_;
  VecX last_f_;
  VecX last_delta_;
  MatX step_change_;   ///< size x memory, of one sweep against the one before, as all below
  MatX image_change_;  ///< size x memory
  MatX f_change_;      ///< size x memory
  MatX delta_change_;  ///< size x memory
  Eigen::Matrix<double, memory, memory> gram_;
};

}  // namespace stickslip
