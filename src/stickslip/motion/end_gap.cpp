#include "stickslip/motion/end_gap.hpp"

#include <algorithm>

namespace stickslip {

namespace {

/// Where a point ends by the motion that is linear in the forces, and where it really does.
struct EndOfWay {
  Vec3 linear;
  Vec3 real;
};

EndOfWay end_of_way(const MovingBody& moving, const BodyState& next, const SurfacePoint& point) {
  const Vec3 real = moving.body->position(next, point);
  if (moving.body->frame().is_held()) return {real, real};
  const FrameStep& frame = moving.step->frame;
  const Vec6 moved = frame.displacement + frame.compliance * moving.step->contact_wrench;
  const Vec3 start = moving.body->position(*moving.state, point);
  Vec3 deformed = Vec3::Zero();
  if (moving.body->deformation() != nullptr) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int corner = point.corner[k];
      deformed +=
          point.weight[k] * (next.deformation.u[corner] - moving.state->deformation.u[corner]);
    }
  }
  const Vec3 arm = start - moving.state->frame.position;
  return {start + moved.head<3>() + moved.tail<3>().cross(arm) + moving.step->R * deformed, real};
}

}  // namespace

EndGap gap_at_end(const MeetingSearch& search, ExactMeetings& exact,
                  std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                  const Proximity& where) {
  const auto b1 = uz(where.body_1);
  const auto b2 = uz(where.body_2);
  const EndOfWay P = end_of_way(moving[b1], next[b1], where.P);
  const EndOfWay Q = end_of_way(moving[b2], next[b2], where.Q);
  const double linear = where.gap_of(P.linear - Q.linear);
  if (is_exact(where.kind)) {
    return {linear, exact.gap_at_end(where, moving, next, where.gap_of(P.real - Q.real))};
  }

  // the features turn, and slide along each other
  const auto at = [&](std::size_t b, int point) {
    const SurfacePoint place = search.topology(static_cast<int>(b)).at_point(point);
    return moving[b].body->position(next[b], place);
  };
  Vec3 normal = where.normal;
  if (where.kind == FeatureKind::edge_edge) {
    const auto& ends_1 = search.topology(where.body_1).edges()[uz(where.feature_1)].point;
    const auto& ends_2 = search.topology(where.body_2).edges()[uz(where.feature_2)].point;
    const Vec3 u = at(b1, ends_1[1]) - at(b1, ends_1[0]);
    const Vec3 v = at(b2, ends_2[1]) - at(b2, ends_2[0]);
    const Vec3 apart = at(b1, ends_1[0]) - at(b2, ends_2[0]);
    normal = u.cross(v);
    const double squared = normal.squaredNorm();
    const double share_1 = v.cross(apart).dot(normal) / squared;
    const double share_2 = u.cross(apart).dot(normal) / squared;
    // past its end an edge holds nothing
    if (!(std::min({share_1, share_2, 1.0 - share_1, 1.0 - share_2}) >= 0.0)) {
      return {linear, std::max(linear, 0.0)};
    }
    if (normal.dot(where.normal) < 0.0) normal = -normal;
  } else if (where.kind != FeatureKind::supplied) {
    const bool is_face_of_2 = where.kind == FeatureKind::vertex_face;
    const SurfacePoint& on_face = is_face_of_2 ? where.Q : where.P;
    const std::size_t b = is_face_of_2 ? b2 : b1;
    const Vec3 a = at(b, on_face.corner[0]);
    normal = (at(b, on_face.corner[1]) - a).cross(at(b, on_face.corner[2]) - a);
    if (!is_face_of_2) normal = -normal;
  }
  normal.normalize();
  constexpr double turned = 0.8;
  if (!(normal.dot(where.normal) > turned)) normal = where.normal;
  return {linear, normal.dot(P.real - Q.real) + where.bend};
}

}  // namespace stickslip
