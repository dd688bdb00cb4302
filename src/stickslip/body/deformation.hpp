#pragma once

#include <memory>
#include <span>

#include "stickslip/body/displacement.hpp"
#include "stickslip/fem/node_shares.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Displacements of a body's nodes in its own frame, those of the surface first.
struct DeformationState {
  Displacement u;  ///< [m]; at least the surface's nodes
  VecX v;          ///< their rate [m/s]; empty where the model has no inertia
};

/// The deformable part of a body: how its nodes move within its frame. This is what a user
/// implements to bring a model that is not ours; everything is in the axes of the frame.
///
/// A step calls compute_free_motion once, then compute_compliance and correct any number of times,
/// every correct from the same beginning: only the last one counts. A model that relinearises its
/// stiffness does so in compute_free_motion. None of them may allocate: what they need is made by
/// make_step.
class Deformation {
 public:
  /// Scratch of one step; models derive theirs from it.
  struct Step {
    virtual ~Step() = default;
    Displacement u_free;  ///< at the end of the free motion, like DeformationState::u
    VecX v_free;
    // written by correct, for the book of energies; models that do not know leave them zero
    double energy = 0.0;     ///< elastic and kinetic, at the end of the step [J]
    VecX load_displacement;  ///< how far each load case has gone: its loads times u [J]
  };

  virtual ~Deformation() = default;

  /// At rest, with its vectors sized for good.
  virtual DeformationState rest() const = 0;

  /// Scratch for steps with up to max_points contact points.
  virtual std::unique_ptr<Step> make_step(int max_points) const = 0;

  /// Displacements at the end of the step if nothing touched, under the weights of the load
  /// cases that the model was made with; the first three are gravity in the frame's axes.
  virtual void compute_free_motion(const DeformationState& state,
                                   std::span<const double> load_weights, double dt,
                                   Step& step) const = 0;

  /// C(3i.., 3j..) = the displacement of point i at the end of the step under a unit force on
  /// point j over the step, for i >= j: it is symmetric. What else is in C is left alone or
  /// overwritten, and does not count.
  virtual void compute_compliance(const NodeShares& points, Step& step,
                                  Eigen::Ref<MatX> C) const = 0;

  /// The state at the end of the step under contact forces on the points: free motion plus
  /// their answer, with the same compliance. `state` comes as it was at the beginning; what the
  /// call before wrote to `step` must not matter. Corners of points are nodes; what acts on the
  /// skin of a body comes as forces on its nodes.
  virtual void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                       Step& step, DeformationState& state) const = 0;
};

}  // namespace stickslip
