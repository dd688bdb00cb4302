#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "stickslip/body/deformation.hpp"
#include "stickslip/body/linear_deformation.hpp"
#include "stickslip/body/rigid_frame.hpp"
#include "stickslip/body/skin.hpp"
#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Everything needed to go on from here.
struct BodyState {
  FrameState frame;
  DeformationState deformation;
};

/// What acts on a body over a step besides contact.
struct BodyLoad {
  FrameLoad frame;
  std::span<const double> cases = {};  ///< weights of the load cases the body was made with
  /// What the deformation calls its load_displacement by gravity, at the beginning: the sum of each
  /// mass times its displacement, in the frame's axes. Turns a free frame under gravity. [kg m]
  Vec3 sag = Vec3::Zero();
};

/// Scratch of one step of one body, made once by Body::make_step.
struct BodyStep {
  FrameStep frame;
  Mat3 R = Mat3::Identity();  ///< of the deformation: at the beginning, or where a held frame ends
  std::unique_ptr<Deformation::Step> deformation;
  double energy_before = 0.0;  ///< of the deformation, at the end of the step before this [J]
  VecX load_weights;
  std::vector<Vec3> local_forces;  ///< contact forces in the frame's axes
  NodalForces nodal_forces;        ///< the same, of a body with a skin
  Vec6 contact_wrench =
      Vec6::Zero();         ///< resultant of the contact forces, about the centre of mass
  double share_gone = 1.0;  ///< of the way of the correction, where the body was left behind on it
};

/// A body: a rigid frame plus a local deformation (paper, section 6.2). The world position of a
/// point is that of the frame plus the turned sum of its rest position and its displacement.
///
/// A step calls compute_free_motion once; then, in each of its rounds, correct with the forces on
/// the points in contact, from the same beginning every time. PointCompliance tells what they
/// answer to forces, with the same A_eff and C. None allocates for up to the number of points the
/// scratch was made for.
class Body {
 public:
  /// `surface` is relative to the centre of mass, which stands at `centre` in the coordinates of
  /// the mesh; `deformation` may be null. The columns of case_resultants are the resultant
  /// wrenches of the load cases. Contact is limited to the first contact_count points unless that
  /// is -1.
  Body(Surface surface, const Vec3& centre, RigidFrame frame,
       std::shared_ptr<const Deformation> deformation,
       const Eigen::Matrix<double, 6, Eigen::Dynamic>& case_resultants = {},
       int contact_count = -1);

  /// Gives a body that deforms a surface of its own to touch with, relative to the centre of mass.
  /// Point v of `binding` says by which nodes its vertex v moves. States and scratch made before
  /// are not for the body afterwards.
  void wear(Surface skin, const NodeShares& binding);

  /// What it touches with: the boundary of its elements, or its skin.
  const Surface& surface() const { return skin_ ? skin_->surface() : surface_; }

  /// Whether contact points may lie in that triangle: all of its corners are among the first
  /// contact_count points, to which contact was limited (-1: not limited), or bound to them.
  bool may_touch(const std::array<int, 3>& triangle) const;

  /// Adds a contact point to a list of shares, by the nodes that it is shared among.
  void share(const SurfacePoint& point, NodeShares& shares) const {
    skin_ ? skin_->share(point, shares) : shares.add(point);
  }
  /// The most nodes that a contact point is shared among.
  int nodes_a_point() const { return skin_ ? skin_->nodes_a_point() : 3; }
  const RigidFrame& frame() const { return frame_; }
  const Deformation* deformation() const { return deformation_.get(); }

  /// Undeformed and at rest, the mesh's own origin and axes at the given place.
  BodyState initial_state(const Vec3& position = Vec3::Zero(),
                          const Quat& orientation = Quat::Identity()) const;

  BodyStep make_step(int max_points) const;

  /// Where the body would be after dt if nothing touched it.
  void compute_free_motion(const BodyState& state, const BodyLoad& load, double dt,
                           BodyStep& step) const;

  /// World position of a point of the surface now.
  Vec3 position(const BodyState& state, const SurfacePoint& point) const;

  /// The same at the end of the free motion that began at `state`. Linear in the motion of a free
  /// frame, as is what contact forces add to it: where they hold a body that would move far, what
  /// is left out is of the order of the motion that remains.
  Vec3 free_position(const BodyState& state, const BodyStep& step, const SurfacePoint& point) const;
  /// The same for a point whose position at the beginning is known.
  Vec3 free_position(const BodyState& state, const BodyStep& step, const SurfacePoint& point,
                     const Vec3& now) const;

  /// How far the contact forces of a correction take a point from where its free motion ends,
  /// linear in them, as PointCompliance has it. `after` is what the correction made. [m]
  Vec3 answer_to_forces(const BodyState& state, const BodyStep& step, const BodyState& after,
                        const SurfacePoint& point) const;

  /// All points of the surface, deformed, in the axes of the frame.
  void deformed_points(const BodyState& state, std::span<Vec3> points) const;

  /// World positions of all points of the surface.
  void surface_positions(const BodyState& state, std::span<Vec3> positions) const;

  /// From the beginning of the step, which `state` is, to its end, under world forces on the
  /// points. May be called again with that state as it was: nothing is left of the forces before.
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, BodyStep& step,
               BodyState& state) const;

  /// Displaces the frame as world forces on the points would over a step, but leaves velocities
  /// and deformation alone; its spin turns with it, so that it keeps its energy.
  void displace_frame(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                      const BodyStep& step, BodyState& state) const;

  /// Energy at the end of a step: kinetic, elastic, and potential in the field of gravity
  /// [m/s^2]. [J]
  double energy(const BodyState& state, const BodyStep& step, const Vec3& gravity) const;

  int load_case_count() const { return static_cast<int>(case_resultants_.cols()); }

  /// Work of the load cases over a step in which the frame moved by a translation and a rotation
  /// vector, from `state` on, and the loads by load_displacement from `displaced_before`. [J]
  double load_case_work(const BodyState& state, std::span<const double> weights, const Vec6& moved,
                        const VecX& displaced_before, const BodyStep& step) const;

 private:
  Vec6 resultant(const BodyState& state, std::span<const SurfacePoint> points,
                 std::span<const Vec3> forces) const;
  Vec6 load_case_wrench(const BodyState& state, std::span<const double> weights) const;
  Vec3 local_position(const Displacement& u, const SurfacePoint& point) const;

  Surface surface_;
  Vec3 centre_;
  RigidFrame frame_;
  std::shared_ptr<const Deformation> deformation_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> case_resultants_;
  int contact_count_;
  std::shared_ptr<const Skin> skin_;  ///< null: it touches with surface_
};

/// How a deformable body moves within its frame.
struct DeformationOptions {
  bool is_dynamic = false;  ///< false: without inertia
  Integration integration = Integration::implicit_euler;
  double dt = 0.0;       ///< step of the dynamic deformation [s]
  MatX load_cases = {};  ///< nodal loads (3n x cases) in the frame's axes, after gravity
  ComplianceOptions compliance = {};
};

/// A body that does not move, or moves as its frame's velocity is prescribed.
Body make_fixed_body(const Surface& surface);

/// A rigid body; the surface in the coordinates of its mesh.
Body make_rigid_body(const Surface& surface, const MassProperties& mass);

/// A deformable body whose frame stands still, held at some nodes (Eqs. 2, 3, 27).
Body make_deformable_body(const DeformationModel& model, std::span<const int> held_nodes,
                          const DeformationOptions& options);

/// The global corotational model: rigid motion of the whole plus linear deformation in the
/// moving frame, clamped to it at held_nodes (the grabbed spot), or free if there are none.
Body make_corotational_body(const DeformationModel& model, std::span<const int> held_nodes,
                            const DeformationOptions& options);

/// Young's modulus of a quasi-rigid body (paper, section 6.3): a node yields to a force, by
/// deformation over a step, about `ratio` times what the whole body does by its motion,
/// dt^2/mass. Small enough not to be noticed, large enough to make contact forces unique.
double quasi_rigid_young(const TetMesh& mesh, double mass, double dt, double ratio = 1e-2);

}  // namespace stickslip
