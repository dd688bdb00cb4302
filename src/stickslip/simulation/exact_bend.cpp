#include "stickslip/simulation/exact_bend.hpp"

namespace stickslip {

double exact_bend(const Scene& scene, std::span<const MovingBody> moving, const Proximity& where) {
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

  const auto free_position = [&](std::size_t b, const SurfacePoint& point) {
    return moving[b].body->free_position(*moving[b].state, *moving[b].step, point);
  };
  const Vec3 P = free_position(uz(where.body_1), where.P);
  const Vec3 Q = free_position(uz(where.body_2), where.Q);
  // a point, or the middle of a round end, by the distance function of the other
  Vec3 centre = is_first ? P : Q;
  if (rounded) {
    const FrameState& frame = moving[named].step->frame.free;
    centre = frame.position + frame.orientation * rounded->end(feature);
  }
  const FrameState& frame = moving[other].step->frame.free;
  const auto nearest = shape->nearest(frame.orientation.conjugate() * (centre - frame.position));
  const double sign = is_first ? 1.0 : -1.0;
  // what would go through is not bent, but stopped
  if (sign * where.normal.dot(frame.orientation * nearest.normal) <= 0.0) return 0.0;
  const double gap = nearest.distance - (rounded ? rounded->radius : 0.0);
  return gap - where.normal.dot(P - Q);
}

}  // namespace stickslip
