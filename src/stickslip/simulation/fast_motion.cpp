#include "stickslip/simulation/fast_motion.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

// shares of the alarm distance:
// bodies that move less against each other have seen their contacts
constexpr double fast_share = 0.5;
// contacts nearer than that touch
constexpr double touching_share = 1e-4;
// what goes in by less is left to the next step
constexpr double tolerated_share = 1e-3;
// the same for contacts that are known, but whose normals turned on the way
constexpr double known_share = 0.05;
// how far from an arc the pieces may be that are taken for it
constexpr double arc_share = 0.01;

// of the way to where bodies meet: as far as they are let go
constexpr double held_share = 0.999;
constexpr int held_rounds = 8;

Proximity turned_to(const Proximity& known, const Proximity& met) {
  Proximity result = met;
  result.gap = known.gap;
  return result;
}

/// Whether a contact holds what was met, perhaps along another normal.
bool holds(const Proximity& known, const Proximity& met) {
  if (!is_same_contact(known, met)) return false;
  if (known.kind == FeatureKind::edge_edge) return known.feature_2 == met.feature_2;
  constexpr double same_side = 0.7;
  return known.normal.dot(met.normal) > same_side;
}

}  // namespace

std::vector<ProximityBody> proximity_bodies(const Scene& scene) {
  std::vector<ProximityBody> bodies;
  for (const SceneBody& part : scene.bodies) {
    bodies.push_back(
        {.surface = &part.body.surface(),
         .may_touch =
             [&part](const std::array<int, 3>& triangle) { return part.body.may_touch(triangle); },
         .is_immobile = !yields(part.body)});
  }
  return bodies;
}

FastMotion::FastMotion(const Scene& scene) : search_(proximity_bodies(scene)) {
  for (const SceneBody& part : scene.bodies) {
    double radius = 0.0;
    for (const Vec3& p : part.body.surface().points) radius = std::max(radius, p.norm());
    radius_.push_back(radius);
    is_immobile_.push_back(yields(part.body) ? 0 : 1);
    from_points_.push_back(part.body.surface().points);
    to_points_.push_back(part.body.surface().points);
  }
  for (const auto& [i, j] : scene.excluded_pairs) excluded_.push_back(std::minmax(i, j));
  std::sort(excluded_.begin(), excluded_.end());
  ways_.resize(scene.bodies.size());
  boxes_.resize(scene.bodies.size());
  share_.resize(scene.bodies.size());
  search_.set_accuracy(arc_share * scene.simulation.alarm_distance);
}

bool FastMotion::is_excluded(const Pair& pair) const {
  return (is_immobile_[uz(pair.first)] && is_immobile_[uz(pair.second)]) ||
         std::binary_search(excluded_.begin(), excluded_.end(), pair);
}

bool FastMotion::is_passing(const Pair& pair) const {
  return std::find(passing_.begin(), passing_.end(), pair) != passing_.end();
}

void FastMotion::measure(std::span<const MovingBody> moving, const std::vector<BodyState>& next) {
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const FrameState& from = moving[b].state->frame;
    const FrameState& to = next[b].frame;
    ways_[b].translation = to.position - from.position;
    ways_[b].rotation = turn_between(from.orientation, to.orientation);
    double squared = 0.0;
    if (moving[b].body->deformation() != nullptr) {
      const VecX& u_0 = moving[b].state->deformation.u;
      const VecX& u_1 = next[b].deformation.u;
      for (int i = 0; i < moving[b].body->surface().point_count(); ++i) {
        squared = std::max(squared, (u_1.segment<3>(3 * i) - u_0.segment<3>(3 * i)).squaredNorm());
      }
    }
    ways_[b].deformation = std::sqrt(squared);
  }
}

double FastMotion::relative_motion(const Pair& pair, std::span<const MovingBody> moving) const {
  // what meets lies within the smaller body: the motions there differ by at most
  const auto [small, large] = radius_[uz(pair.first)] < radius_[uz(pair.second)]
                                  ? pair
                                  : Pair(pair.second, pair.first);
  const Way& one = ways_[uz(small)];
  const Way& two = ways_[uz(large)];
  const double radius = radius_[uz(small)];
  const Vec3 arm = moving[uz(small)].state->frame.position - moving[uz(large)].state->frame.position;
  const double bend = one.rotation.squaredNorm() * radius +
                      two.rotation.squaredNorm() * std::min(radius_[uz(large)], arm.norm() + radius);
  return (one.translation - two.translation - two.rotation.cross(arm)).norm() +
         (one.rotation - two.rotation).norm() * radius + 0.5 * bend + one.deformation +
         two.deformation;
}

void FastMotion::find_fast_pairs(std::span<const MovingBody> moving,
                                 const std::vector<BodyState>& next, double distance) {
  pairs_.clear();

  // usually all are slow
  double most = 0.0;
  double second = 0.0;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Way& way = ways_[b];
    const double motion =
        way.translation.norm() + way.rotation.norm() * radius_[b] + way.deformation;
    second = std::max(second, std::min(most, motion));
    most = std::max(most, motion);
  }
  if (most + second <= distance) return;

  for (std::size_t b = 0; b < moving.size(); ++b) {
    double stretched = radius_[b];
    if (moving[b].body->deformation() != nullptr) {
      for (const VecX* u : {&moving[b].state->deformation.u, &next[b].deformation.u}) {
        for (int i = 0; i < moving[b].body->surface().point_count(); ++i) {
          const Vec3 p = moving[b].body->surface().points[uz(i)] + u->segment<3>(3 * i);
          stretched = std::max(stretched, p.norm());
        }
      }
    }
    const Vec3& from = moving[b].state->frame.position;
    const Vec3& to = next[b].frame.position;
    const Vec3 margin = Vec3::Constant(stretched);
    boxes_[b] = {from.cwiseMin(to) - margin, from.cwiseMax(to) + margin};
  }
  sweep_.find(boxes_, pairs_);
  std::erase_if(pairs_, [&](const Pair& pair) {
    return is_excluded(pair) || relative_motion(pair, moving) <= distance;
  });
}

void FastMotion::place(int body, const MovingBody& moving, const FrameState& frame, const VecX& u) {
  const auto b = uz(body);
  const Surface& surface = moving.body->surface();
  if (moving.body->deformation() != nullptr) {
    moving.body->deformed_points(*moving.state, from_points_[b]);
    for (std::size_t i = 0; i < to_points_[b].size(); ++i) {
      to_points_[b][i] = surface.points[i] + u.segment<3>(static_cast<int>(3 * i));
    }
  }
  const FrameState& from = moving.state->frame;
  search_.place(body, {from.orientation.toRotationMatrix(), from.position, from_points_[b]},
                {frame.orientation.toRotationMatrix(), frame.position, to_points_[b]});
}

bool FastMotion::drop_ghosts(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                             const VecX& f, double touching, double /*alarm_distance*/) {
  // pairs that a force keeps apart although they do not touch yet
  pairs_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    if (f[static_cast<int>(3 * c)] > 0.0) pairs_.emplace_back(where.body_1, where.body_2);
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (const Contact& contact : contacts) {
    if (contact.where.gap > touching) continue;
    std::erase(pairs_, Pair(contact.where.body_1, contact.where.body_2));
  }

  // would they pass each other without it?
  const std::size_t known = passing_.size();
  for (const auto& [i, j] : pairs_) {
    if (is_passing({i, j})) continue;
    for (const int b : {i, j}) {
      const BodyStep& step = *moving[uz(b)].step;
      place(b, moving[uz(b)], step.frame.free,
            step.deformation ? step.deformation->u_free : moving[uz(b)].state->deformation.u);
    }
    hits_.clear();
    search_.find(i, j, hits_);
    if (hits_.empty()) passing_.emplace_back(i, j);
  }
  return passing_.size() > known;
}

void FastMotion::collect_hits(const Scene& scene, std::span<const MovingBody> moving,
                              const std::vector<BodyState>& next) {
  const double alarm_distance = scene.simulation.alarm_distance;
  measure(moving, next);
  find_fast_pairs(moving, next, fast_share * alarm_distance);
  for (const Pair& pair : passing_) {
    if (std::find(pairs_.begin(), pairs_.end(), pair) == pairs_.end()) pairs_.push_back(pair);
  }
  hits_.clear();
  for (const auto& [i, j] : pairs_) {
    place(i, moving[uz(i)], next[uz(i)].frame, next[uz(i)].deformation.u);
    place(j, moving[uz(j)], next[uz(j)].frame, next[uz(j)].deformation.u);
    const std::size_t first = hits_.size();
    search_.find(i, j, hits_);
    const double least = is_passing({i, j}) ? 0.0 : tolerated_share * alarm_distance;
    hits_.erase(std::remove_if(hits_.begin() + static_cast<std::ptrdiff_t>(first), hits_.end(),
                               [&](const SweptHit& hit) { return hit.depth <= least; }),
                hits_.end());
    if (hits_.size() == first) continue;

    // what meets at first, and what is within the alarm distance then
    const auto begin = hits_.begin() + static_cast<std::ptrdiff_t>(first);
    const double earliest =
        std::min_element(begin, hits_.end(), [](const SweptHit& a, const SweptHit& b) {
          return a.time < b.time;
        })->time;
    const double latest = earliest + alarm_distance / relative_motion({i, j}, moving);
    hits_.erase(std::remove_if(begin, hits_.end(),
                               [&](const SweptHit& hit) { return hit.time > latest; }),
                hits_.end());
  }
}

bool FastMotion::find(const Scene& scene, std::span<const MovingBody> moving,
                      const std::vector<BodyState>& next, std::span<const Contact> contacts,
                      const VecX& f, std::vector<Proximity>& found) {
  const double alarm_distance = scene.simulation.alarm_distance;
  bool has_changed =
      drop_ghosts(moving, contacts, f, touching_share * alarm_distance, alarm_distance);
  if (has_changed) {
    found.clear();
    for (const Contact& contact : contacts) {
      if (!is_passing({contact.where.body_1, contact.where.body_2})) found.push_back(contact.where);
    }
    return true;
  }

  collect_hits(scene, moving, next);
  if (hits_.empty()) return false;
  found.clear();
  for (const Contact& contact : contacts) found.push_back(contact.where);
  for (const SweptHit& hit : hits_) {
    const auto known = std::find_if(found.begin(), found.end(), [&](const Proximity& where) {
      return holds(where, hit.where);
    });
    if (known == found.end()) {
      found.push_back(hit.where);
      has_changed = true;
    } else if (hit.depth > known_share * alarm_distance) {
      *known = turned_to(*known, hit.where);
      has_changed = true;
    }
  }
  return has_changed;
}

bool FastMotion::hold_back(const Scene& scene, std::span<const MovingBody> moving,
                           std::span<const Contact> contacts, std::vector<BodyState>& next) {
  const double alarm_distance = scene.simulation.alarm_distance;
  bool has_held = false;
  for (int round = 0; round < held_rounds; ++round) {
    collect_hits(scene, moving, next);
    std::erase_if(hits_, [&](const SweptHit& hit) {
      return hit.depth <= known_share * alarm_distance &&
             std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
               return holds(contact.where, hit.where);
             });
    });
    if (hits_.empty()) return has_held;
    has_held = true;

    // in the last round they stay
    std::fill(share_.begin(), share_.end(), 1.0);
    for (const SweptHit& hit : hits_) {
      const double share = round + 1 < held_rounds ? held_share * hit.time : 0.0;
      for (const int b : {hit.where.body_1, hit.where.body_2}) {
        share_[uz(b)] = std::min(share_[uz(b)], share);
      }
    }
    for (std::size_t b = 0; b < next.size(); ++b) {
      if (share_[b] == 1.0) continue;
      const BodyState& from = *moving[b].state;
      BodyState& to = next[b];
      to.frame.position = from.frame.position + share_[b] * ways_[b].translation;
      to.frame.orientation =
          (rotation_exp(share_[b] * ways_[b].rotation) * from.frame.orientation).normalized();
      to.deformation.u = from.deformation.u + share_[b] * (to.deformation.u - from.deformation.u);
    }
  }
  return has_held;
}

}  // namespace stickslip
