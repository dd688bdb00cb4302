#include "stickslip/simulation/core_guard.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/simulation/fast_motion.hpp"

namespace stickslip {

namespace {

// shares of the depth of cores: what is left between them, and how far to look for others
constexpr double floor_share = 0.1;
constexpr double reach_share = 2.5;

// of bodies that are near, in depths
constexpr double margin_share = 20.0;

constexpr int gentle_rounds = 8;

bool is_same(const BodyState& a, const BodyState& b) {
  return a.frame.position == b.frame.position &&
         a.frame.orientation.coeffs() == b.frame.orientation.coeffs() &&
         a.deformation.u == b.deformation.u;
}

/// From each point of a surface straight in, by a depth.
std::vector<Vec3> draw_in(const Surface& surface, double depth) {
  std::vector<Vec3> inward(surface.points.size(), Vec3::Zero());
  for (const auto& triangle : surface.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& a = surface.points[uz(triangle[k])];
      const Vec3 b = surface.points[uz(triangle[(k + 1) % 3])] - a;
      const Vec3 c = surface.points[uz(triangle[(k + 2) % 3])] - a;
      const Vec3 across = b.cross(c);
      const double angle = std::atan2(across.norm(), b.dot(c));
      inward[uz(triangle[k])] -= angle * across.normalized();
    }
  }
  for (Vec3& v : inward) v = depth * v.normalized();
  return inward;
}

std::vector<Surface> make_cores(const Scene& scene, double depth) {
  std::vector<Surface> cores;
  for (const SceneBody& part : scene.bodies) {
    Surface core = part.body.surface();
    const std::vector<Vec3> inward = draw_in(core, depth);
    for (std::size_t i = 0; i < inward.size(); ++i) core.points[i] += inward[i];
    cores.push_back(std::move(core));
  }
  return cores;
}

std::vector<ProximityBody> core_bodies(const Scene& scene, const std::vector<Surface>& cores) {
  std::vector<ProximityBody> bodies = proximity_bodies(scene);
  for (std::size_t b = 0; b < bodies.size(); ++b) bodies[b].surface = &cores[b];
  return bodies;
}

}  // namespace

CoreGuard::CoreGuard(const Scene& scene, double depth)
    : depth_(depth), cores_(make_cores(scene, depth)), search_(core_bodies(scene, cores_)) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    double radius = 0.0;
    for (const Vec3& p : cores_[b].points) radius = std::max(radius, p.norm());
    radius_.push_back(radius);
    is_immobile_.push_back(yields(body) ? 0 : 1);
    from_points_.push_back(cores_[b].points);
    to_points_.push_back(cores_[b].points);
    last_.push_back(body.initial_state(scene.bodies[b].position, scene.bodies[b].orientation));
  }
  for (const auto& [i, j] : scene.excluded_pairs) excluded_.push_back(std::minmax(i, j));
  std::sort(excluded_.begin(), excluded_.end());
  ways_.resize(scene.bodies.size());
  boxes_.resize(scene.bodies.size());
  share_.resize(scene.bodies.size());
}

void CoreGuard::start(std::span<const MovingBody> moving) {
  bool is_known = true;
  for (std::size_t b = 0; b < moving.size(); ++b) is_known &= is_same(last_[b], *moving[b].state);
  if (is_known) return;
  for (std::size_t b = 0; b < moving.size(); ++b) last_[b] = *moving[b].state;
  margin_ = -1.0;
}

void CoreGuard::measure(std::span<const MovingBody> moving, const std::vector<BodyState>& next) {
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const FrameState& from = moving[b].state->frame;
    const FrameState& to = next[b].frame;
    double moved = 0.0;
    double stretched = 0.0;
    if (moving[b].body->deformation() != nullptr) {
      const VecX& u_0 = moving[b].state->deformation.u;
      const VecX& u_1 = next[b].deformation.u;
      for (int i = 0; i < moving[b].body->surface().point_count(); ++i) {
        const auto from_i = u_0.segment<3>(3 * i);
        const auto to_i = u_1.segment<3>(3 * i);
        moved = std::max(moved, (to_i - from_i).squaredNorm());
        stretched = std::max({stretched, from_i.squaredNorm(), to_i.squaredNorm()});
      }
    }
    ways_[b] = {to.position - from.position, turn_between(from.orientation, to.orientation),
                std::sqrt(moved), radius_[b] + std::sqrt(stretched)};
  }
}

double CoreGuard::most_closing() const {
  // the two that move most do so toward each other
  double most = 0.0;
  double second = 0.0;
  for (const Way& way : ways_) {
    const double motion = way.translation.norm() + way.deformation;
    second = std::max(second, std::min(most, motion));
    most = std::max(most, motion);
  }
  return most + second;
}

void CoreGuard::find_near(std::span<const MovingBody> moving) {
  const double motion = most_closing();
  if (motion <= margin_) return;
  margin_ = 2.0 * motion + margin_share * depth_;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Vec3 half = Vec3::Constant(ways_[b].radius + 0.5 * margin_);
    boxes_[b] = {moving[b].state->frame.position - half, moving[b].state->frame.position + half};
  }
  sweep_.find(boxes_, pairs_);
  near_.clear();
  for (const auto& [i, j] : pairs_) {
    if ((is_immobile_[uz(i)] && is_immobile_[uz(j)]) ||
        std::binary_search(excluded_.begin(), excluded_.end(), std::pair(i, j))) {
      continue;
    }
    near_.push_back({i, j, 0.0});
  }
}

double CoreGuard::closing(const NearPair& pair, std::span<const MovingBody> moving) const {
  // the velocities of two points differ by more than this only across the line between them
  const bool is_one_small = radius_[uz(pair.one)] < radius_[uz(pair.two)];
  const auto small = uz(is_one_small ? pair.one : pair.two);
  const auto large = uz(is_one_small ? pair.two : pair.one);
  const Vec3 arm = moving[small].state->frame.position - moving[large].state->frame.position;
  const Vec3 apart = ways_[small].translation - ways_[large].translation;
  const Vec3& turn = ways_[large].rotation;
  return (apart - turn.cross(arm)).norm() + turn.norm() * apart.norm() +
         (ways_[small].rotation - turn).norm() * ways_[small].radius + ways_[small].deformation +
         ways_[large].deformation;
}

void CoreGuard::place(int body, std::span<const MovingBody> moving,
                      const std::vector<BodyState>& next) {
  const auto b = uz(body);
  const BodyState& from = *moving[b].state;
  if (moving[b].body->deformation() != nullptr) {
    for (std::size_t i = 0; i < cores_[b].points.size(); ++i) {
      const int k = static_cast<int>(3 * i);
      from_points_[b][i] = cores_[b].points[i] + from.deformation.u.segment<3>(k);
      to_points_[b][i] = cores_[b].points[i] + next[b].deformation.u.segment<3>(k);
    }
  }
  search_.place(
      body, {from.frame.orientation.toRotationMatrix(), from.frame.position, from_points_[b]},
      {next[b].frame.orientation.toRotationMatrix(), next[b].frame.position, to_points_[b]});
}

CoreGuard::Advance CoreGuard::advance(NearPair& pair, std::span<const MovingBody> moving,
                                      const std::vector<BodyState>& next) {
  const double motion = closing(pair, moving);
  const double floor = floor_share * depth_;
  if (pair.apart > motion + floor || !std::isfinite(motion)) return {};
  place(pair.one, moving, next);
  place(pair.two, moving, next);
  pair.apart = search_.distance(pair.one, pair.two, reach_share * depth_);
  if (pair.apart > motion + floor) return {};

  // what overlaps so much from the beginning is free to come out
  if (pair.apart == 0.0) return {};
  Advance result;
  const double least = std::min(floor, 0.4 * pair.apart);
  result.time = search_.time_of_approach(pair.one, pair.two, least, result.nearest);
  return result;
}

bool CoreGuard::find(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                     std::vector<Proximity>& found) {
  start(moving);
  measure(moving, next);
  find_near(moving);
  bool are_apart = true;
  for (NearPair& pair : near_) {
    const Advance met = advance(pair, moving, next);
    if (met.time == 1.0) continue;
    are_apart = false;
    if (met.nearest.body_1 == met.nearest.body_2) continue;
    Proximity where = met.nearest;
    const auto b1 = uz(where.body_1);
    const auto b2 = uz(where.body_2);
    where.gap = where.normal.dot(moving[b1].body->position(*moving[b1].state, where.P) -
                                 moving[b2].body->position(*moving[b2].state, where.Q));
    found.push_back(where);
  }
  return are_apart;
}

bool CoreGuard::hold(std::span<const MovingBody> moving, std::vector<BodyState>& next,
                     bool is_frozen) {
  measure(moving, next);
  find_near(moving);
  std::fill(share_.begin(), share_.end(), 1.0);
  bool has_held = false;
  for (NearPair& pair : near_) {
    const Advance met = advance(pair, moving, next);
    if (met.time == 1.0) continue;
    has_held = true;
    for (const int b : {pair.one, pair.two}) {
      share_[uz(b)] = std::min(share_[uz(b)], is_frozen ? 0.0 : met.time);
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
    if (share_[b] == 0.0) to.frame.orientation = from.frame.orientation;
  }
  return has_held;
}

bool CoreGuard::hold_back(std::span<const MovingBody> moving, std::vector<BodyState>& next) {
  start(moving);
  bool has_held = false;
  // what is held may be met by others: in the end all that meet stay where they are, one more body
  // in each round
  const std::size_t most_rounds = gentle_rounds + next.size() + 1;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (!hold(moving, next, round >= gentle_rounds)) break;
    has_held = true;
  }
  return has_held;
}

void CoreGuard::accept(std::span<const MovingBody> moving, const std::vector<BodyState>& next) {
  measure(moving, next);
  for (NearPair& pair : near_) pair.apart = std::max(0.0, pair.apart - closing(pair, moving));
  margin_ -= most_closing();
  for (std::size_t b = 0; b < next.size(); ++b) last_[b] = next[b];
}

}  // namespace stickslip
