#include "stickslip/motion/exact_meetings.hpp"

#include <algorithm>

#include "stickslip/math/rotation.hpp"
#include "stickslip/scene/scene_surfaces.hpp"

namespace stickslip {

ExactMeetings::ExactMeetings(const Scene& scene)
    : alarm_distance_(scene.simulation.alarm_distance) {
  for (const SceneBody& part : scene.bodies) {
    is_exact_.push_back(part.exact ? 1 : 0);
    points_.push_back(part.body.surface().points);
    placed_.push_back({.points = points_.back()});
  }
  if (std::count(is_exact_.begin(), is_exact_.end(), 1) > 0) {
    search_ = std::make_unique<MeshProximity>(proximity_bodies(scene));
    search_->reserve(scene.simulation.contact_budget);
    found_.reserve(uz(4 * scene.simulation.contact_budget));
  }
}

void ExactMeetings::place(int body, const MovingBody& moving, const FrameState& frame,
                          const Displacement& u_to, double time) {
  const auto b = uz(body);
  const FrameState& from = moving.state->frame;
  PlacedSurface& placed = placed_[b];
  placed.position = (1.0 - time) * from.position + time * frame.position;
  const Vec3 turn = turn_between(from.orientation, frame.orientation);
  placed.R = rotation_exp(time * turn).toRotationMatrix() * from.orientation.toRotationMatrix();
  placed.has_new_shape = moving.body->deformation() != nullptr;
  placed.points = points_[b];
  if (!placed.has_new_shape) return;
  const VecX& u_from = moving.state->deformation.u.points();
  const VecX& u = u_to.points();
  for (std::size_t i = 0; i < points_[b].size(); ++i) {
    const auto k = static_cast<int>(3 * i);
    points_[b][i] = moving.body->surface().points[i] + (1.0 - time) * u_from.segment<3>(k) +
                    time * u.segment<3>(k);
  }
}

void ExactMeetings::place(const Pair& pair, std::span<const MovingBody> moving,
                          const std::vector<BodyState>& next, double time) {
  for (const int b : {pair.first, pair.second}) {
    place(b, moving[uz(b)], next[uz(b)].frame, next[uz(b)].deformation.u, time);
  }
}

double ExactMeetings::gap_when_free(const Proximity& where, std::span<const MovingBody> moving) {
  const auto free_position = [&](int b, const SurfacePoint& point) {
    const MovingBody& body = moving[uz(b)];
    return body.body->free_position(*body.state, *body.step, point);
  };
  for (const int b : {where.body_1, where.body_2}) {
    const BodyStep& step = *moving[uz(b)].step;
    place(b, moving[uz(b)], step.frame.free,
          step.deformation ? step.deformation->u_free : moving[uz(b)].state->deformation.u, 1.0);
  }
  const Vec3 QP = free_position(where.body_1, where.P) - free_position(where.body_2, where.Q);
  return search_->exact_gap(where, placed_[uz(where.body_1)], placed_[uz(where.body_2)],
                            where.gap_of(QP));
}

void ExactMeetings::replace_hits(const Pair& pair, std::span<const MovingBody> moving,
                                 const std::vector<BodyState>& next, std::size_t first,
                                 std::vector<Meeting>& hits) {
  // triangles lie within their shapes: what they do not meet may still overlap in the end
  double time = 1.0;
  for (std::size_t h = first; h < hits.size(); ++h) time = std::min(time, hits[h].time);
  hits.resize(first);
  place(pair, moving, next, time);
  found_.clear();
  search_->find_pair(pair.first, pair.second, placed_[uz(pair.first)], placed_[uz(pair.second)],
                     alarm_distance_, found_);
  for (const Proximity& met : found_) {
    Meeting hit{met, time, 0.0, 0.0};
    const auto apart = [&](const BodyState& one, const BodyState& two) {
      return met.gap_of(moving[uz(met.body_1)].body->position(one, met.P) -
                        moving[uz(met.body_2)].body->position(two, met.Q));
    };
    hit.where.gap = apart(*moving[uz(met.body_1)].state, *moving[uz(met.body_2)].state);
    const double linear = apart(next[uz(met.body_1)], next[uz(met.body_2)]);
    hit.depth = -gap_at_end(met, moving, next, linear);
    hits.push_back(hit);
  }
}

double ExactMeetings::gap_at_end(const Proximity& where, std::span<const MovingBody> moving,
                                 const std::vector<BodyState>& next, double linear) {
  const Pair pair(where.body_1, where.body_2);
  place(pair, moving, next, 1.0);
  return search_->exact_gap(where, placed_[uz(pair.first)], placed_[uz(pair.second)], linear);
}

}  // namespace stickslip
