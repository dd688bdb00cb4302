#include "stickslip/simulation/exact_bend.hpp"

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// Where a frame is after a step at the velocities it has.
Pose pose_after(const FrameState& frame, double dt) {
  return {frame.position + dt * frame.velocity,
          rotation_exp(dt * frame.angular_velocity) * frame.orientation};
}

}  // namespace

double exact_bend(const Scene& scene, std::span<const BodyState> states, const Proximity& where) {
  if (!is_exact(where.kind)) return 0.0;
  const bool is_first = where.kind == FeatureKind::exact_1;
  const auto named = uz(is_first ? where.body_1 : where.body_2);
  const auto other = uz(is_first ? where.body_2 : where.body_1);
  const auto& shape = scene.bodies[other].exact;
  const auto& rounded = scene.bodies[named].exact;
  const int feature = is_first ? where.feature_1 : where.feature_2;
  if (!shape || (rounded && !(rounded->has_round_ends && feature < rounded->end_count()))) {
    return 0.0;
  }

  const double dt = scene.simulation.dt;
  // as the solve moves points: linear in the turn
  const auto linear_after = [&](std::size_t b, const SurfacePoint& point) -> Vec3 {
    const FrameState& frame = states[b].frame;
    const Vec3 now = scene.bodies[b].body.position(states[b], point);
    return now + dt * (frame.velocity + frame.angular_velocity.cross(now - frame.position));
  };
  const Vec3 P = linear_after(uz(where.body_1), where.P);
  const Vec3 Q = linear_after(uz(where.body_2), where.Q);
  // a point, or the middle of a round end, by the distance function of the other
  Vec3 centre = is_first ? P : Q;
  if (rounded) {
    const Pose after = pose_after(states[named].frame, dt);
    centre = after.position + after.orientation * rounded->end(feature);
  }
  const Pose after = pose_after(states[other].frame, dt);
  const auto nearest = shape->nearest(after.orientation.conjugate() * (centre - after.position));
  const double sign = is_first ? 1.0 : -1.0;
  // what would go through is not bent, but stopped
  if (sign * where.normal.dot(after.orientation * nearest.normal) <= 0.0) return 0.0;
  const double gap = nearest.distance - (rounded ? rounded->radius : 0.0);
  return gap - where.normal.dot(P - Q);
}

}  // namespace stickslip
