#include "stickslip/simulation/fast_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/simulation/passed_contacts.hpp"

namespace stickslip {

namespace {

// contacts nearer than this share of the alarm distance touch
constexpr double touching_share = 1e-4;
// how far from an arc, in alarm distances, the pieces may be that are taken for it
constexpr double arc_share = 0.002;

// shares of the alarm distance, or of a fifth of the thickness where that is less:
constexpr double thickness_share = 0.2;
// bodies that move less against each other have seen their contacts
constexpr double fast_share = 0.5;
// what goes in by less is left to the next step
constexpr double tolerated_share = 0.02;
// the same for contacts that are known, but turned on the way
constexpr double known_share = 0.05;

// of the way to where bodies meet: as far as they are let go
constexpr double held_share = 0.999;
constexpr int held_rounds = 8;

// how deep cores lie: shares of the thinnest body, and of the alarm distance
constexpr double core_share = 0.1;
constexpr double core_share_of_alarm = 2.0;

/// Whether a contact holds what was met.
bool holds(const Proximity& known, const Proximity& met) {
  if (!is_same_contact(known, met)) return false;
  if (known.kind == FeatureKind::edge_edge && known.feature_2 != met.feature_2) return false;
  constexpr double same_normal = 0.95;
  return known.normal.dot(met.normal) > same_normal;
}

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
      const int first = 3 * point.corner[k];
      deformed += point.weight[k] * (next.deformation.u.segment<3>(first) -
                                     moving.state->deformation.u.segment<3>(first));
    }
  }
  const Vec3 arm = start - moving.state->frame.position;
  return {start + moved.head<3>() + moved.tail<3>().cross(arm) + moving.step->R * deformed, real};
}

/// How far it is through a body, where it is thinnest: straight in from the middles of some of its
/// triangles. Infinite for what has no other side.
double thickness(const Surface& surface) {
  constexpr int samples = 200;
  const int step = std::max(1, surface.triangle_count() / samples);
  double thinnest = std::numeric_limits<double>::infinity();
  for (int t = 0; t < surface.triangle_count(); t += step) {
    const auto corner = [&](int triangle, std::size_t k) {
      return surface.points[uz(surface.triangles[uz(triangle)][k])];
    };
    const Vec3 from = (corner(t, 0) + corner(t, 1) + corner(t, 2)) / 3.0;
    const Vec3 inward =
        (corner(t, 2) - corner(t, 0)).cross(corner(t, 1) - corner(t, 0)).normalized();
    for (int other = 0; other < surface.triangle_count(); ++other) {
      const Vec3 a = corner(other, 0);
      const Vec3 b = corner(other, 1);
      const Vec3 c = corner(other, 2);
      const Vec3 n = (b - a).cross(c - a);
      const double along = n.dot(inward);
      if (other == t || along <= 0.0) continue;
      const double way = n.dot(a - from) / along;
      const Vec3 x = from + way * inward;
      if (way > 0.0 && way < thinnest && n.dot((b - a).cross(x - a)) >= 0.0 &&
          n.dot((c - b).cross(x - b)) >= 0.0 && n.dot((a - c).cross(x - c)) >= 0.0) {
        thinnest = way;
      }
    }
  }
  return thinnest;
}

std::vector<double> thicknesses(const Scene& scene) {
  std::vector<double> result;
  for (const SceneBody& part : scene.bodies) result.push_back(thickness(part.body.surface()));
  return result;
}

double core_depth(double alarm_distance, std::span<const double> thickness) {
  double depth = core_share_of_alarm * alarm_distance;
  for (const double t : thickness) depth = std::min(depth, core_share * t);
  return depth;
}

}  // namespace

std::vector<ProximityBody> proximity_bodies(const Scene& scene) {
  std::vector<ProximityBody> bodies;
  for (const SceneBody& part : scene.bodies) {
    bodies.push_back(
        {.surface = &part.body.surface(),
         .may_touch =
             [&part](const std::array<int, 3>& triangle) { return part.body.may_touch(triangle); },
         .is_immobile = !yields(part.body),
         .exact = part.exact ? &*part.exact : nullptr});
  }
  return bodies;
}

FastMotion::FastMotion(const Scene& scene)
    : search_(proximity_bodies(scene)),
      exact_(scene),
      alarm_distance_(scene.simulation.alarm_distance),
      gravity_(scene.simulation.gravity),
      thickness_(thicknesses(scene)),
      cores_(scene, core_depth(alarm_distance_, thickness_)),
      ways_(scene) {
  for (const SceneBody& part : scene.bodies) {
    is_immobile_.push_back(yields(part.body) ? 0 : 1);
    from_points_.push_back(part.body.surface().points);
    to_points_.push_back(part.body.surface().points);
  }
  for (const auto& [i, j] : scene.excluded_pairs) excluded_.push_back(std::minmax(i, j));
  std::sort(excluded_.begin(), excluded_.end());
  boxes_.resize(scene.bodies.size());
  share_.resize(scene.bodies.size());
  watched_.reserve(uz(scene.simulation.contact_budget));
  search_.set_accuracy(arc_share * alarm_distance_);
}

bool FastMotion::is_excluded(const Pair& pair) const {
  return (is_immobile_[uz(pair.first)] && is_immobile_[uz(pair.second)]) ||
         std::binary_search(excluded_.begin(), excluded_.end(), pair);
}

double FastMotion::scale(const Pair& pair) const {
  return std::min({alarm_distance_, thickness_share * thickness_[uz(pair.first)],
                   thickness_share * thickness_[uz(pair.second)]});
}

bool FastMotion::is_passing(const Pair& pair) const {
  return std::find(passing_.begin(), passing_.end(), pair) != passing_.end();
}

bool FastMotion::is_watched(const Pair& pair) const {
  return std::find(watched_.begin(), watched_.end(), pair) != watched_.end();
}

double FastMotion::relative_motion(const Pair& pair, std::span<const MovingBody> moving) const {
  // what meets lies within the smaller body: the motions there differ by at most
  const auto rest_radius = [&](int b) { return ways_.rest_radius(uz(b)); };
  const auto [small, large] =
      rest_radius(pair.first) < rest_radius(pair.second) ? pair : Pair(pair.second, pair.first);
  const BodyWay& one = ways_[uz(small)];
  const BodyWay& two = ways_[uz(large)];
  const double radius = rest_radius(small);
  const Vec3 arm =
      moving[uz(small)].state->frame.position - moving[uz(large)].state->frame.position;
  const double bend =
      one.rotation.squaredNorm() * radius +
      two.rotation.squaredNorm() * std::min(rest_radius(large), arm.norm() + radius);
  return (one.translation - two.translation - two.rotation.cross(arm)).norm() +
         (one.rotation - two.rotation).norm() * radius + 0.5 * bend + one.deformation +
         two.deformation;
}

void FastMotion::find_fast_pairs(std::span<const MovingBody> moving,
                                 const std::vector<BodyState>& next) {
  pairs_.clear();

  // usually all are slow
  double most = 0.0;
  double second = 0.0;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const BodyWay& way = ways_[b];
    const double motion =
        way.translation.norm() + way.rotation.norm() * ways_.rest_radius(b) + way.deformation;
    second = std::max(second, std::min(most, motion));
    most = std::max(most, motion);
  }
  const double thinnest = *std::min_element(thickness_.begin(), thickness_.end());
  if (most + second <= fast_share * std::min(alarm_distance_, thickness_share * thinnest)) return;

  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Vec3& from = moving[b].state->frame.position;
    const Vec3& to = next[b].frame.position;
    const Vec3 margin = Vec3::Constant(ways_[b].radius);
    boxes_[b] = {from.cwiseMin(to) - margin, from.cwiseMax(to) + margin};
  }
  sweep_.find(boxes_, pairs_);
  std::erase_if(pairs_, [&](const Pair& pair) {
    return is_excluded(pair) || relative_motion(pair, moving) <= fast_share * scale(pair);
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

bool FastMotion::drop_ghosts(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                             std::span<const Contact> contacts, const VecX& f,
                             std::vector<Proximity>& kept) {
  const auto known = static_cast<std::ptrdiff_t>(passing_.size());
  find_passing_pairs(moving, contacts, f);
  const auto begins_to_pass = [&](const Pair& pair) {
    return std::find(passing_.begin() + known, passing_.end(), pair) != passing_.end();
  };
  kept.clear();
  const double touching = touching_share * alarm_distance_;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    if (begins_to_pass({where.body_1, where.body_2})) continue;
    if (where.gap > touching && f[static_cast<int>(3 * c)] > 0.0 &&
        has_passed(contacts[c], moving, next, search_.topology(where.body_1),
                   search_.topology(where.body_2), touching)) {
      // what was behind it may meet now
      if (!is_watched({where.body_1, where.body_2})) {
        watched_.emplace_back(where.body_1, where.body_2);
      }
      continue;
    }
    kept.push_back(where);
  }
  return kept.size() < contacts.size();
}

void FastMotion::find_passing_pairs(std::span<const MovingBody> moving,
                                    std::span<const Contact> contacts, const VecX& f) {
  // pairs that a force keeps apart although they do not touch yet
  pairs_.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    if (f[static_cast<int>(3 * c)] > 0.0) pairs_.emplace_back(where.body_1, where.body_2);
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  for (const Contact& contact : contacts) {
    if (contact.where.gap > touching_share * alarm_distance_) continue;
    std::erase(pairs_, Pair(contact.where.body_1, contact.where.body_2));
  }

  // would they pass each other without it?
  for (const auto& [i, j] : pairs_) {
    if (is_passing({i, j})) continue;
    for (const int b : {i, j}) {
      const BodyStep& step = *moving[uz(b)].step;
      place(b, moving[uz(b)], step.frame.free,
            step.deformation ? step.deformation->u_free : moving[uz(b)].state->deformation.u);
    }
    hits_.clear();
    search_.find(i, j, hits_);
    const double tolerated = tolerated_share * scale({i, j});
    if (std::none_of(hits_.begin(), hits_.end(),
                     [&](const SweptHit& hit) { return hit.behind <= tolerated; }) &&
        !(exact_.concern({i, j}) && exact_.overlap_when_free({i, j}, moving))) {
      passing_.emplace_back(i, j);
    }
  }
}

void FastMotion::collect_hits(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                              const std::vector<BodyState>& next) {
  ways_.measure(moving, next);
  find_fast_pairs(moving, next);
  for (const auto* looked_at : {&passing_, &watched_}) {
    for (const Pair& pair : *looked_at) {
      if (!is_fast(pair)) pairs_.push_back(pair);
    }
  }
  hits_.clear();
  for (const auto& [i, j] : pairs_) {
    place(i, moving[uz(i)], next[uz(i)].frame, next[uz(i)].deformation.u);
    place(j, moving[uz(j)], next[uz(j)].frame, next[uz(j)].deformation.u);
    const std::size_t first = hits_.size();
    search_.find(i, j, hits_);
    if (exact_.concern({i, j})) exact_.replace_hits({i, j}, moving, next, first, hits_);
    const double tolerated = tolerated_share * scale({i, j});
    const bool lost_contact = is_watched({i, j});
    const double least = is_passing({i, j}) ? 0.0
                         : lost_contact     ? touching_share * alarm_distance_
                                            : tolerated;
    const double known = known_share * scale({i, j});
    const auto is_tolerated = [&](const SweptHit& hit) {
      return hit.depth <= least ||
             (hit.depth <= known &&
              std::any_of(contacts.begin(), contacts.end(),
                          [&](const Contact& contact) { return holds(contact.where, hit.where); }));
    };
    const auto goes_by = [&](const SweptHit& hit) {
      return is_tolerated(hit) ||
             goes_round_bend(hit, moving, next, search_.topology(hit.where.body_1),
                             search_.topology(hit.where.body_2), known,
                             touching_share * alarm_distance_);
    };
    hits_.erase(
        std::remove_if(hits_.begin() + static_cast<std::ptrdiff_t>(first), hits_.end(), goes_by),
        hits_.end());

    // what meets at first, and what is within the alarm distance then; where a ghost was dropped
    // it would come back with that
    const auto begin = hits_.begin() + static_cast<std::ptrdiff_t>(first);
    double earliest = std::numeric_limits<double>::infinity();
    std::for_each(begin, hits_.end(), [&](const SweptHit& hit) {
      if (hit.behind <= tolerated) earliest = std::min(earliest, hit.time);
    });
    const double latest = earliest + alarm_distance_ / relative_motion({i, j}, moving);
    hits_.erase(std::remove_if(begin, hits_.end(),
                               [&](const SweptHit& hit) {
                                 return hit.time < earliest || hit.time > latest ||
                                        (lost_contact && hit.behind > tolerated);
                               }),
                hits_.end());
  }
}

bool FastMotion::find(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                      std::span<const Contact> contacts, const VecX& f,
                      std::vector<Proximity>& found) {
  are_cores_apart_ = false;
  if (drop_ghosts(moving, next, contacts, f, found)) return true;

  collect_hits(moving, contacts, next);
  found.clear();
  are_cores_apart_ = cores_.find(moving, next, ways_, found);
  bool has_changed = !are_cores_apart_;
  if (pairs_.empty() && !has_changed) return false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    Proximity where = contacts[c].where;
    if (is_fast({where.body_1, where.body_2})) {
      const EndGap end = gap_at_end(moving, next, where);
      const double depth = std::max(0.0, -where.gap);
      const double miss = end.real + depth;
      const bool is_loaded = f[static_cast<int>(3 * c)] > 0.0;
      const double tolerated = known_share * scale({where.body_1, where.body_2});
      if (miss < -tolerated || (is_loaded && miss > tolerated)) {
        where.turning = end.real - end.linear;
        has_changed = true;
      }
    }
    found.push_back(where);
  }
  for (const SweptHit& hit : hits_) {
    const auto known = std::find_if(found.begin(), found.end(), [&](const Proximity& where) {
      return holds(where, hit.where);
    });
    has_changed = true;
    if (known == found.end()) {
      found.push_back(hit.where);
    } else {
      // along the normal with which they meet
      const double gap = known->gap;
      *known = hit.where;
      known->gap = gap;
      const EndGap end = gap_at_end(moving, next, *known);
      known->turning = end.real - end.linear;
    }
  }
  return has_changed;
}

FastMotion::EndGap FastMotion::gap_at_end(std::span<const MovingBody> moving,
                                          const std::vector<BodyState>& next,
                                          const Proximity& where) {
  const auto b1 = uz(where.body_1);
  const auto b2 = uz(where.body_2);
  const EndOfWay P = end_of_way(moving[b1], next[b1], where.P);
  const EndOfWay Q = end_of_way(moving[b2], next[b2], where.Q);
  const double linear = where.gap_of(P.linear - Q.linear);
  if (is_exact(where.kind)) {
    return {linear, exact_.gap_at_end(where, moving, next, where.gap_of(P.real - Q.real))};
  }

  // the features turn, and slide along each other
  const auto at = [&](std::size_t b, int point) {
    const SurfacePoint place = search_.topology(static_cast<int>(b)).at_point(point);
    return moving[b].body->position(next[b], place);
  };
  Vec3 normal = where.normal;
  if (where.kind == FeatureKind::edge_edge) {
    const auto& ends_1 = search_.topology(where.body_1).edges()[uz(where.feature_1)].point;
    const auto& ends_2 = search_.topology(where.body_2).edges()[uz(where.feature_2)].point;
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

bool FastMotion::is_fast(const Pair& pair) const {
  return std::find(pairs_.begin(), pairs_.end(), pair) != pairs_.end();
}

bool FastMotion::hold_back(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                           std::vector<BodyState>& next) {
  are_cores_apart_ = false;
  bool has_held = false;
  for (int round = 0; round < held_rounds; ++round) {
    collect_hits(moving, contacts, next);
    std::fill(share_.begin(), share_.end(), 1.0);
    const bool is_last = round + 1 == held_rounds;
    const auto hold = [&](const Proximity& where, double share) {
      for (const int b : {where.body_1, where.body_2}) {
        share_[uz(b)] = std::min(share_[uz(b)], is_last ? 0.0 : share);
      }
    };
    for (const SweptHit& hit : hits_) hold(hit.where, held_share * hit.time);
    for (const Contact& contact : contacts) {
      const Proximity& where = contact.where;
      if (!is_fast({where.body_1, where.body_2})) continue;
      const double excess = -gap_at_end(moving, next, where).real - std::max(0.0, -where.gap);
      const double allowed = known_share * scale({where.body_1, where.body_2});
      // what touches goes in from the beginning on
      if (excess > allowed && where.gap <= allowed) hold(where, held_share * allowed / excess);
    }
    if (std::all_of(share_.begin(), share_.end(), [](double share) { return share == 1.0; })) {
      return has_held;
    }
    has_held = true;
    for (std::size_t b = 0; b < next.size(); ++b) {
      if (share_[b] < 1.0) go_part_of_way(moving[b], ways_[b], share_[b], gravity_, next[b]);
    }
  }
  return has_held;
}

bool FastMotion::keep_cores_apart(std::span<const MovingBody> moving,
                                  std::vector<BodyState>& next) {
  const bool has_held = !are_cores_apart_ && cores_.hold_back(moving, next, ways_);
  cores_.accept(moving, next, ways_);
  return has_held;
}

}  // namespace stickslip
