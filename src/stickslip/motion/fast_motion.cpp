#include "stickslip/motion/fast_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/motion/passed_contacts.hpp"
#include "stickslip/motion/thickness.hpp"
#include "stickslip/scene/scene_surfaces.hpp"

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

FastMotion::FastMotion(const Scene& scene)
    : search_(proximity_bodies(scene)),
      touching_pairs_(touching_pairs(scene)),
      exact_(scene),
      alarm_distance_(scene.simulation.alarm_distance),
      gravity_(scene.simulation.gravity),
      thickness_(thicknesses(scene)),
      cores_(scene, core_depth(alarm_distance_, thickness_)),
      ways_(scene) {
  for (const SceneBody& part : scene.bodies) {
    from_points_.push_back(part.body.surface().points);
    to_points_.push_back(part.body.surface().points);
  }
  boxes_.resize(scene.bodies.size());
  share_.resize(scene.bodies.size());
  search_.reserve();
  broad_phase_.reserve(static_cast<int>(scene.bodies.size()), pairs_);
  // a list of them holds one for each contact as well, and is cut down
  pairs_.reserve(pairs_.capacity() + uz(scene.simulation.contact_budget));
  passing_.reserve(pairs_.capacity());
  watched_.reserve(uz(scene.simulation.contact_budget));
  constexpr int hits_a_contact = 4;
  hits_.reserve(uz(hits_a_contact * scene.simulation.contact_budget));
  search_.set_accuracy(arc_share * alarm_distance_);
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

bool FastMotion::are_all_slow() const {
  double most = 0.0;
  double second = 0.0;
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const BodyWay& way = ways_[b];
    const double motion =
        way.translation.norm() + way.rotation.norm() * ways_.rest_radius(b) + way.deformation;
    second = std::max(second, std::min(most, motion));
    most = std::max(most, motion);
  }
  const double thinnest = *std::min_element(thickness_.begin(), thickness_.end());
  return most + second <= fast_share * std::min(alarm_distance_, thickness_share * thinnest);
}

void FastMotion::find_fast_pairs(std::span<const MovingBody> moving,
                                 const std::vector<BodyState>& next) {
  pairs_.clear();
  // usually all are slow, and no surface has to be looked at to know it
  if (are_all_slow()) return;
  ways_.measure_points(moving, next);
  if (are_all_slow()) return;

  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Vec3& from = moving[b].state->frame.position;
    const Vec3& to = next[b].frame.position;
    const Vec3 margin = Vec3::Constant(ways_[b].radius);
    boxes_[b] = {from.cwiseMin(to) - margin, from.cwiseMax(to) + margin};
  }
  broad_phase_.find(boxes_, pairs_);
  std::erase_if(pairs_, [&](const Pair& pair) {
    return !touching_pairs_.may_touch(pair) ||
           relative_motion(pair, moving) <= fast_share * scale(pair);
  });
}

void FastMotion::place(int body, const MovingBody& moving, const FrameState& frame,
                       const Displacement& u_to) {
  const auto b = uz(body);
  const Surface& surface = moving.body->surface();
  if (moving.body->deformation() != nullptr) {
    moving.body->deformed_points(*moving.state, from_points_[b]);
    const VecX& u = u_to.points();
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
    const Pair pair(contact.where.body_1, contact.where.body_2);
    const auto known = std::lower_bound(pairs_.begin(), pairs_.end(), pair);
    if (known != pairs_.end() && *known == pair) pairs_.erase(known);
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
                     [&](const Meeting& hit) { return hit.behind <= tolerated; }) &&
        !is_stopped_shape({i, j}, moving, contacts, f)) {
      passing_.emplace_back(i, j);
    }
  }
}

bool FastMotion::is_stopped_shape(const Pair& pair, std::span<const MovingBody> moving,
                                  std::span<const Contact> contacts, const VecX& f) {
  if (!exact_.concern(pair)) return false;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    if (Pair(where.body_1, where.body_2) != pair || !(f[static_cast<int>(3 * c)] > 0.0)) continue;
    if (exact_.gap_when_free(where, moving) < 0.0) return true;
  }
  return false;
}

void FastMotion::collect_hits(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                              const std::vector<BodyState>& next) {
  ways_.measure(moving, next);
  find_fast_pairs(moving, next);
  if (!passing_.empty() || !watched_.empty()) ways_.measure_points(moving, next);
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
    const auto is_tolerated = [&](const Meeting& hit) {
      if (hit.depth <= least) return true;
      return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
        // a shape rolls on with the overlap that it had
        const double had = is_exact(hit.where.kind) ? std::max(0.0, -contact.where.gap) : 0.0;
        return hit.depth <= known + had && holds(contact.where, hit.where);
      });
    };
    const auto goes_by = [&](const Meeting& hit) {
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
    std::for_each(begin, hits_.end(), [&](const Meeting& hit) {
      if (hit.behind <= tolerated) earliest = std::min(earliest, hit.time);
    });
    const double latest = earliest + alarm_distance_ / relative_motion({i, j}, moving);
    hits_.erase(std::remove_if(begin, hits_.end(),
                               [&](const Meeting& hit) {
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
      const EndGap end = gap_at_end(search_, exact_, moving, next, where);
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
  for (const Meeting& hit : hits_) {
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
      const EndGap end = gap_at_end(search_, exact_, moving, next, *known);
      known->turning = end.real - end.linear;
    }
  }
  return has_changed;
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
    for (const Meeting& hit : hits_) hold(hit.where, held_share * hit.time);
    for (const Contact& contact : contacts) {
      const Proximity& where = contact.where;
      if (!is_fast({where.body_1, where.body_2})) continue;
      const double excess =
          -gap_at_end(search_, exact_, moving, next, where).real - std::max(0.0, -where.gap);
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
