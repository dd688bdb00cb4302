#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/body/deformation.hpp"
#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"

namespace stickslip {

/// How a relinearised deformation is stepped.
struct NewtonOptions {
  MatX load_cases = {};     ///< nodal loads (3n x cases) in the frame's axes, after gravity
  bool is_dynamic = false;  ///< false: without inertia
  double dt = 0.0;          ///< step of the dynamic deformation [s]
  int newton_steps = 1;     ///< of a time step, at most, unless it would gain energy
};

/// Deformation whose inner forces K(u) are linearised anew at each step (paper, sections 2.1 and
/// 3.4): a model only says its energy, forces and their slope; the rest is here. Nothing is
/// precomputed but the order of elimination.
///
/// A step is one of Newton's method from where the body is: free motion, compliance and correction
/// are those of K-tilde = M/dt^2 + D/dt + K'(u) (Eq. 2), implicit Euler, or of K'(u) alone without
/// inertia. Where K-tilde is not positive definite, one without what falls takes its place: the way
/// there is another, the equilibrium the same.
///
/// What the step leaves unbalanced is known, and so is whether the body has gained more than the
/// work of its forces. A step that raises the potential under these is shortened; then, where
/// energy would be gained, and as often as the options want, the step is solved again about where
/// it led, contacts included (`relinearise`).
class RelinearisedDeformation : public Deformation {
 public:
  /// M, D, the surface and the load cases come from `model`; the pattern of model.K is that of
  /// every slope. Held nodes do not move in the frame; there must be some, and without inertia they
  /// must hold every part. The factorisation of each step uses BLAS.
  RelinearisedDeformation(const DeformationModel& model, std::span<const int> held_nodes,
                          const NewtonOptions& options);

  DeformationState rest() const override;
  std::unique_ptr<Step> make_step(int max_points) const override;
  void compute_free_motion(const DeformationState& state, std::span<const double> load_weights,
                           double dt, Step& step) const override;
  void compute_compliance(const NodeShares& points, Step& step, Eigen::Ref<MatX> C) const override;
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, Step& step,
               DeformationState& state) const override;

  /// Whether the last correct, which led from `begin` to `end`, is to be followed by another solve
  /// of the step from the same beginning: linearised where it led, u_free and the compliance are
  /// those of that place from then on.
  bool relinearise(const DeformationState& begin, const DeformationState& end, Step& step) const;

  /// The largest force that the last correct left unbalanced on a node. [N]
  static double imbalance(const Step& step);

 protected:
  /// Which slope is wanted: not_negative is one without negative eigenvalues near the exact one.
  enum class Slope : std::uint8_t { none, exact, not_negative };

  /// Energy at u, and the inner forces, its derivative; where a slope is wanted, theirs is written
  /// into the values of `slope`, which has the pattern of model.K. Must not allocate. [J, N, N/m]
  virtual double respond(const VecX& u, Slope wanted, VecX& forces, SparseMatrix& slope) const = 0;

 private:
  struct NewtonStep;

  void linearise_at(const VecX& u, const DeformationState& begin, NewtonStep& step) const;
  void factorise(NewtonStep& step) const;
  void solve(VecX& full, NewtonStep& step) const;
  double add_inertia(const VecX& u, const DeformationState& begin, VecX& forces,
                     NewtonStep& step) const;
  double go_downhill(const DeformationState& begin, VecX& u, NewtonStep& step) const;
  double kinetic_energy(const VecX& v, NewtonStep& step) const;

  NewtonOptions options_;
  SparseMatrix M_;
  SparseMatrix D_;
  MatX load_cases_;
  SparseMatrix pattern_;       ///< of the slope
  std::vector<int> active_;    ///< unknown -> unknown of the factorisation, or -1 where it is held
  SparseMatrix inertial_;      ///< M/dt^2 + D/dt between the active ones, on the pattern of K-tilde
  std::vector<int> source_;    ///< of each entry of K-tilde: the entry of the slope, or -1
  VecX rest_;                  ///< K at rest, at the entries of K-tilde
  double energy_noise_ = 0.0;  ///< differences of the energy that mean nothing [J]
};

}  // namespace stickslip
