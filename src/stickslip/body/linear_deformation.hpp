#pragma once

#include <memory>
#include <vector>

#include "stickslip/body/deformation.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/deformation_model.hpp"

namespace stickslip {

/// Deformation without inertia: K u = f at every moment. With a precomputed compliance a step sets
/// the loads, and what they do to a node is computed where somebody asks for it: nothing of the
/// size of the mesh is touched, nor of its surface.
class QuasiStaticDeformation : public Deformation {
 public:
  /// `held_nodes` do not move in the frame; none: the frame is the mean motion of the body.
  /// Columns of load_cases (3n) are nodal loads, after gravity's three.
  QuasiStaticDeformation(const DeformationModel& model, std::span<const int> held_nodes,
                         const MatX& load_cases, const ComplianceOptions& options);

  DeformationState rest() const override;
  std::unique_ptr<Step> make_step(int max_points) const override;
  void compute_free_motion(const DeformationState& state, std::span<const double> load_weights,
                           double dt, Step& step) const override;
  void compute_compliance(const NodeShares& points, Step& step, Eigen::Ref<MatX> C) const override;
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, Step& step,
               DeformationState& state) const override;

  const Compliance& compliance() const { return *compliance_; }

 private:
  struct LinearStep;

  /// Adds up the forces on each node, in the order of nodes.
  static void gather_loads(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                           LinearStep& step, SurfaceLoads& loads);

  std::shared_ptr<const Compliance> compliance_;
  MatX load_answers_;  ///< surface displacements under each load case (3 ns x cases)
  MatX load_gram_;     ///< work of each load case on the displacements under each (cases x cases)
  std::shared_ptr<const SurfaceAnswers> answers_;  ///< null without a precomputed compliance
};

enum class Integration {
  implicit_euler,  ///< the paper's (Eq. 27); damps whatever vibrates
  trapezoidal,     ///< second order, keeps vibrations
};

/// Deformation with inertia and damping, (Eq. 27):
/// (M/dt^2 + D/dt + K) u_t = f_t + (M/dt^2 + D/dt) u_{t-1} + M/dt u'_{t-1}.
///
/// Both schemes are one theta-method: inner forces at theta of the step,
///   (M/(theta dt^2) + D/dt + theta K) u_t =
///       f_t + M (u_{t-1}/(theta dt^2) + u'_{t-1}/(theta dt)) + D/dt u_{t-1}
///       - (1 - theta) K u_{t-1},
/// theta = 1 is Euler's, theta = 1/2 the trapezoidal rule. Contact forces are constant over the
/// step and obey their law at its end, so that their work f (u_t - u_{t-1}) is never positive,
/// whichever theta.
///
/// The trapezoidal rule alone lets contact points bounce from step to step: a point held in place
/// over a step has its velocity turned round. After the step it shall move as it did in the mean of
/// the step, as with Euler's rule; the share of its contact force that drives it past that, from
/// none to half, is taken out of the velocities again. In lasting contact there is nothing to take
/// out, so that waves are reflected with their energy; where a point arrives, its own inertia is
/// stopped. Of what is taken out, no more is than leaves the least kinetic energy: contact can
/// only lose energy by it.
class DynamicDeformation : public Deformation {
 public:
  DynamicDeformation(const DeformationModel& model, std::span<const int> held_nodes,
                     const MatX& load_cases, Integration integration, double dt,
                     const ComplianceOptions& options);

  DeformationState rest() const override;
  std::unique_ptr<Step> make_step(int max_points) const override;
  void compute_free_motion(const DeformationState& state, std::span<const double> load_weights,
                           double dt, Step& step) const override;
  void compute_compliance(const NodeShares& points, Step& step, Eigen::Ref<MatX> C) const override;
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, Step& step,
               DeformationState& state) const override;

  const Compliance& compliance() const { return compliance_; }

  /// Kinetic and elastic energy. [J]
  double energy(const DeformationState& state) const;

 private:
  struct LinearStep;

  /// The velocity by which contact forces drive their points past the mean velocity of the step.
  void find_bounce(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                   const DeformationState& before, LinearStep& step) const;
  void take_out_bounce(LinearStep& step, DeformationState& state) const;

  double theta_;
  double dt_;
  SparseMatrix M_;
  SparseMatrix D_;
  SparseMatrix K_;
  MatX load_cases_;
  Compliance compliance_;
};

}  // namespace stickslip
