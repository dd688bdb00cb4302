#include "stickslip/body/body.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

Body::Body(Surface surface, const Vec3& centre, RigidFrame frame,
           std::shared_ptr<const Deformation> deformation,
           const Eigen::Matrix<double, 6, Eigen::Dynamic>& case_resultants, int contact_count)
    : surface_(std::move(surface)),
      centre_(centre),
      frame_(std::move(frame)),
      deformation_(std::move(deformation)),
      case_resultants_(case_resultants),
      contact_count_(contact_count < 0 ? surface_.point_count() : contact_count) {}

void Body::wear(Surface skin, const NodeShares& binding) {
  assert(deformation_ != nullptr);
  skin_ = std::make_shared<Skin>(std::move(skin), binding, contact_count_,
                                 deformation_->rest().u.answers());
}

bool Body::may_touch(const std::array<int, 3>& triangle) const {
  return std::all_of(triangle.begin(), triangle.end(), [&](int corner) {
    return skin_ ? skin_->may_touch(corner) : corner < contact_count_;
  });
}

BodyState Body::initial_state(const Vec3& position, const Quat& orientation) const {
  BodyState state;
  state.frame.position = position + orientation * centre_;
  state.frame.orientation = orientation.normalized();
  if (deformation_) state.deformation = deformation_->rest();
  if (skin_) state.deformation.u.wear(skin_);
  return state;
}

BodyStep Body::make_step(int max_points) const {
  BodyStep step;
  if (deformation_) {
    // forces on a skin reach it as forces on nodes
    const int forces = skin_ ? max_points * skin_->nodes_a_point() : max_points;
    step.deformation = deformation_->make_step(forces);
    step.deformation->load_displacement.setZero(3 + case_resultants_.cols());
  }
  step.load_weights.setZero(3 + case_resultants_.cols());
  step.local_forces.reserve(uz(max_points));
  if (skin_) {
    step.deformation->u_free.wear(skin_);
    step.nodal_forces = NodalForces(*skin_, max_points);
  }
  return step;
}

void Body::compute_free_motion(const BodyState& state, const BodyLoad& load, double dt,
                               BodyStep& step) const {
  assert(static_cast<Eigen::Index>(load.cases.size()) <= case_resultants_.cols());

  // load cases turn with the frame and act on it as a whole, too
  FrameLoad frame_load = load.frame;
  frame_load.wrench += load_case_wrench(state, load.cases);
  frame_load.sag_moment = state.frame.orientation * load.sag;
  frame_.compute_free_motion(state.frame, frame_load, dt, step.frame);
  step.R = (frame_.is_held() ? step.frame.free : state.frame).orientation.toRotationMatrix();
  if (!deformation_) return;
  step.energy_before = step.deformation->energy;

  // gravity as the frame ends: with the torque of the masses where they were, what falls by both
  // is what falls in all
  step.load_weights.setZero();
  step.load_weights.head<3>() =
      step.frame.free.orientation.toRotationMatrix().transpose() * load.frame.gravity;
  for (std::size_t k = 0; k < load.cases.size(); ++k) {
    step.load_weights[3 + static_cast<int>(k)] = load.cases[k];
  }
  const std::span<const double> weights(step.load_weights.data(), uz(step.load_weights.size()));
  deformation_->compute_free_motion(state.deformation, weights, dt, *step.deformation);
}

Vec6 Body::load_case_wrench(const BodyState& state, std::span<const double> weights) const {
  Vec6 sum = Vec6::Zero();
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Vec6 wrench = weights[k] * case_resultants_.col(static_cast<int>(k));
    sum.head<3>() += state.frame.orientation * wrench.head<3>();
    sum.tail<3>() += state.frame.orientation * wrench.tail<3>();
  }
  return sum;
}

Vec3 Body::local_position(const Displacement& u, const SurfacePoint& point) const {
  // (Eqs. 8, 9) U_P is interpolated from the corners of its triangle
  const std::vector<Vec3>& rest = surface().points;
  Vec3 local = Vec3::Zero();
  for (std::size_t c = 0; c < 3; ++c) {
    if (point.weight[c] == 0.0) continue;
    const int corner = point.corner[c];
    local += point.weight[c] * rest[uz(corner)];
    if (deformation_) local += point.weight[c] * u[corner];
  }
  return local;
}

Vec3 Body::position(const BodyState& state, const SurfacePoint& point) const {
  return state.frame.to_world(local_position(state.deformation.u, point));
}

Vec3 Body::free_position(const BodyState& state, const BodyStep& step,
                         const SurfacePoint& point) const {
  return free_position(state, step, point, position(state, point));
}

Vec3 Body::free_position(const BodyState& state, const BodyStep& step, const SurfacePoint& point,
                         const Vec3& now) const {
  const Displacement& u_free = deformation_ ? step.deformation->u_free : state.deformation.u;
  if (frame_.is_held()) return step.frame.free.to_world(local_position(u_free, point));
  const Vec3 arm = now - state.frame.position;
  Vec3 deformed = Vec3::Zero();
  if (deformation_) {
    deformed = local_position(u_free, point) - local_position(state.deformation.u, point);
  }
  return now + step.frame.displacement.head<3>() + step.frame.displacement.tail<3>().cross(arm) +
         step.R * deformed;
}

Vec3 Body::answer_to_forces(const BodyState& state, const BodyStep& step, const BodyState& after,
                            const SurfacePoint& point) const {
  Vec3 moved = Vec3::Zero();
  if (!frame_.is_held()) {
    const Vec6 answer = step.frame.compliance * step.contact_wrench;
    const Vec3 arm = position(state, point) - state.frame.position;
    moved = answer.head<3>() + answer.tail<3>().cross(arm);
  }
  if (deformation_) {
    moved += step.R * (local_position(after.deformation.u, point) -
                       local_position(step.deformation->u_free, point));
  }
  return moved;
}

void Body::deformed_points(const BodyState& state, std::span<Vec3> points) const {
  const std::vector<Vec3>& rest = surface().points;
  assert(points.size() == rest.size());
  std::copy(rest.begin(), rest.end(), points.begin());
  if (!deformation_) return;
  const VecX& u = state.deformation.u.points();
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] += u.segment<3>(static_cast<int>(3 * i));
  }
}

void Body::surface_positions(const BodyState& state, std::span<Vec3> positions) const {
  deformed_points(state, positions);
  const Mat3 R = state.frame.orientation.toRotationMatrix();
  for (Vec3& position : positions) position = state.frame.position + R * position;
}

Vec6 Body::resultant(const BodyState& state, std::span<const SurfacePoint> points,
                     std::span<const Vec3> forces) const {
  // Gamma_constraint = J^T f
  Vec6 wrench = Vec6::Zero();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 arm = position(state, points[i]) - state.frame.position;
    wrench.head<3>() += forces[i];
    wrench.tail<3>() += arm.cross(forces[i]);
  }
  return wrench;
}

void Body::correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                   BodyStep& step, BodyState& state) const {
  step.contact_wrench = resultant(state, points, forces);
  step.share_gone = 1.0;
  if (deformation_) {
    step.local_forces.clear();
    for (const Vec3& force : forces) step.local_forces.push_back(step.R.transpose() * force);
    std::span<const Vec3> local_forces = step.local_forces;
    if (skin_) {
      step.nodal_forces.gather(*skin_, points, local_forces);
      points = step.nodal_forces.points();
      local_forces = step.nodal_forces.forces();
    }
    deformation_->correct(points, local_forces, *step.deformation, state.deformation);
  }
  Vec3 sag = Vec3::Zero();
  if (deformation_ && step.deformation->load_displacement.size() >= 3) {
    sag = step.deformation->load_displacement.head<3>();
  }
  frame_.correct(step.frame, step.contact_wrench, state.frame, sag);
}

void Body::displace_frame(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                          const BodyStep& step, BodyState& state) const {
  const Vec6 displacement = step.frame.compliance * resultant(state, points, forces);
  const Quat turn = rotation_exp(displacement.tail<3>());
  state.frame.position += displacement.head<3>();
  state.frame.orientation = (turn * state.frame.orientation).normalized();
  state.frame.angular_velocity = turn * state.frame.angular_velocity;
}

double Body::energy(const BodyState& state, const BodyStep& step, const Vec3& gravity) const {
  double energy = frame_.kinetic_energy(state.frame);
  if (!frame_.is_held()) energy -= frame_.mass() * gravity.dot(state.frame.position);
  if (deformation_) {
    energy += step.deformation->energy;
    const VecX& gone = step.deformation->load_displacement;
    if (gone.size() >= 3) energy -= gravity.dot(state.frame.orientation * gone.head<3>());
  }
  return energy;
}

double Body::load_case_work(const BodyState& state, std::span<const double> weights,
                            const Vec6& moved, const VecX& displaced_before,
                            const BodyStep& step) const {
  double work = frame_.is_held() ? 0.0 : load_case_wrench(state, weights).dot(moved);
  for (std::size_t k = 0; deformation_ && k < weights.size(); ++k) {
    const auto column = static_cast<int>(3 + k);
    work += weights[k] * (step.deformation->load_displacement[column] - displaced_before[column]);
  }
  return work;
}

Body make_fixed_body(const Surface& surface) {
  return Body(surface, Vec3::Zero(), RigidFrame(), nullptr);
}

Body make_rigid_body(const Surface& surface, const MassProperties& mass) {
  Surface centred = surface;
  for (Vec3& point : centred.points) point -= mass.centre;
  return Body(std::move(centred), mass.centre, RigidFrame(mass.mass, mass.inertia), nullptr);
}

namespace {

Body make_with_frame(const DeformationModel& model, std::span<const int> held_nodes,
                     const DeformationOptions& options, const RigidFrame& frame) {
  std::shared_ptr<const Deformation> deformation;
  if (options.is_dynamic) {
    if (!(options.dt > 0.0)) {
      throw InputError(
          fmt::format("dt = {}: dynamic deformation needs a positive step in seconds", options.dt));
    }
    deformation = std::make_shared<DynamicDeformation>(
        model, held_nodes, options.load_cases, options.integration, options.dt, options.compliance);
  } else {
    deformation = std::make_shared<QuasiStaticDeformation>(model, held_nodes, options.load_cases,
                                                           options.compliance);
  }
  Eigen::Matrix<double, 6, Eigen::Dynamic> resultants(6, options.load_cases.cols());
  if (options.load_cases.cols() > 0) {
    resultants = rigid_modes(model.nodes).transpose() * options.load_cases;
  }
  return Body(model.surface, model.mass.centre, frame, deformation, resultants,
              model.contact_count);
}

}  // namespace

Body make_deformable_body(const DeformationModel& model, std::span<const int> held_nodes,
                          const DeformationOptions& options) {
  if (held_nodes.empty()) {
    throw InputError(
        "a deformable body whose frame is fixed must be held somewhere: name a "
        "region, or use a corotational body");
  }
  return make_with_frame(model, held_nodes, options, RigidFrame());
}

Body make_corotational_body(const DeformationModel& model, std::span<const int> held_nodes,
                            const DeformationOptions& options) {
  return make_with_frame(model, held_nodes, options,
                         RigidFrame(model.mass.mass, model.mass.inertia));
}

double quasi_rigid_young(const TetMesh& mesh, double mass, double dt, double ratio) {
  const double spacing = std::cbrt(volume(mesh) / mesh.node_count());
  return mass / (ratio * dt * dt * spacing);
}

}  // namespace stickslip
