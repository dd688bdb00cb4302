#pragma once

#include <vector>

#include "stickslip/body/deformation.hpp"
#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"

namespace stickslip {

/// Deformation whose inner forces K(u) are linearised anew at each step (paper, sections 2.1 and
/// 3.4): a model only says its forces and their slope; implicit Euler, the factorisation of
/// K-tilde (Eq. 2) and the compliance are here. Nothing is precomputed.
class RelinearisedDeformation : public Deformation {
 public:
  /// M, D, the surface and the load cases come from `model`; the pattern of model.K is that of
  /// every slope. Held nodes do not move in the frame; there must be some. The slope plus the
  /// inertia of a step must be positive definite. The factorisation of each step uses BLAS.
  RelinearisedDeformation(const DeformationModel& model, std::span<const int> held_nodes,
                          const MatX& load_cases, double dt);

  DeformationState rest() const override;
  std::unique_ptr<Step> make_step(int max_points) const override;
  void compute_free_motion(const DeformationState& state, std::span<const double> load_weights,
                           double dt, Step& step) const override;
  void compute_compliance(const NodeShares& points, Step& step, Eigen::Ref<MatX> C) const override;
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, Step& step,
               DeformationState& state) const override;

 protected:
  /// Inner forces at u, and their derivative written into the values of `slope`, which has the
  /// pattern of model.K. Must not allocate.
  virtual void linearise(const VecX& u, VecX& forces, SparseMatrix& slope) const = 0;

 private:
  struct NonlinearStep;

  double dt_;
  SparseMatrix M_;
  MatX load_cases_;
  SparseMatrix pattern_;          ///< of the slope
  SparseMatrix inertial_;         ///< M/dt^2 + D/dt on the pattern of K-tilde
  std::vector<int> slope_entry_;  ///< entry of the slope -> entry of K-tilde
  std::vector<int> active_;       ///< unknown -> itself, or -1 where it is held
};

}  // namespace stickslip
