#include "stickslip/motion/core_guard.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/proximity/box_distance.hpp"
#include "stickslip/scene/scene_surfaces.hpp"

namespace stickslip {

namespace {

// shares of the depth of cores: what is left between them, and how far to look for others
constexpr double floor_share = 0.1;
constexpr double reach_share = 2.5;
constexpr double box_reach_share = 10.0;

// for how many steps a distance of boxes shall do
constexpr double box_steps = 8.0;

// of bodies that are near, in depths
constexpr double margin_share = 20.0;

constexpr int gentle_rounds = 8;

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
    : depth_(depth),
      gravity_(scene.simulation.gravity),
      touching_pairs_(touching_pairs(scene)),
      cores_(make_cores(scene, depth)),
      search_(core_bodies(scene, cores_)) {
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    trees_.emplace_back(search_.topology(static_cast<int>(b)), cores_[b].points);
    from_points_.push_back(cores_[b].points);
    to_points_.push_back(cores_[b].points);
    const SceneBody& part = scene.bodies[b];
    last_.emplace_back();
    keep(b, part.body.initial_state(part.position, part.orientation));
  }
  is_fitted_.resize(scene.bodies.size());
  search_.reserve();
  int largest = 0;
  int second = 0;
  for (const SurfaceTree& tree : trees_) {
    second = std::max(second, std::min(largest, tree.leaf_count()));
    largest = std::max(largest, tree.leaf_count());
  }
  distance_.reserve(largest, second);
  broad_phase_.reserve(static_cast<int>(scene.bodies.size()), pairs_);
  near_.reserve(pairs_.capacity());
  boxes_.resize(scene.bodies.size());
  share_.resize(scene.bodies.size());
}

void CoreGuard::start(std::span<const MovingBody> moving) {
  std::fill(is_fitted_.begin(), is_fitted_.end(), 0);
  bool is_known = true;
  for (std::size_t b = 0; b < moving.size() && is_known; ++b) {
    const FrameState& frame = moving[b].state->frame;
    is_known = last_[b].position == frame.position &&
               last_[b].orientation == frame.orientation.coeffs() &&
               last_[b].u == moving[b].state->deformation.u;
  }
  if (is_known) return;
  for (std::size_t b = 0; b < moving.size(); ++b) keep(b, *moving[b].state);
  margin_ = -1.0;
}

void CoreGuard::keep(std::size_t body, const BodyState& state) {
  last_[body].position = state.frame.position;
  last_[body].orientation = state.frame.orientation.coeffs();
  last_[body].u = state.deformation.u;
}

double CoreGuard::most_closing(const BodyWays& ways) const {
  // the two that move most do so toward each other
  double most = 0.0;
  double second = 0.0;
  for (std::size_t b = 0; b < last_.size(); ++b) {
    const double motion = ways[b].translation.norm() + ways[b].deformation;
    second = std::max(second, std::min(most, motion));
    most = std::max(most, motion);
  }
  return most + second;
}

void CoreGuard::find_near(std::span<const MovingBody> moving, const BodyWays& ways) {
  const double motion = most_closing(ways);
  if (motion <= margin_) return;
  margin_ = 2.0 * motion + margin_share * depth_;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const Vec3 half = Vec3::Constant(ways[b].radius + depth_ + 0.5 * margin_);
    boxes_[b] = {moving[b].state->frame.position - half, moving[b].state->frame.position + half};
  }
  broad_phase_.find(boxes_, pairs_);
  near_.clear();
  for (const auto& [i, j] : pairs_) {
    if (touching_pairs_.may_touch(i, j)) near_.push_back({i, j, 0.0});
  }
}

double CoreGuard::closing(const NearPair& pair, std::span<const MovingBody> moving,
                          const BodyWays& ways) const {
  // the velocities of two points differ by more than this only across the line between them
  const bool is_one_small = ways.rest_radius(uz(pair.one)) < ways.rest_radius(uz(pair.two));
  const auto small = uz(is_one_small ? pair.one : pair.two);
  const auto large = uz(is_one_small ? pair.two : pair.one);
  const Vec3 arm = moving[small].state->frame.position - moving[large].state->frame.position;
  const Vec3 apart = ways[small].translation - ways[large].translation;
  const Vec3& turn = ways[large].rotation;
  return (apart - turn.cross(arm)).norm() + turn.norm() * apart.norm() +
         (ways[small].rotation - turn).norm() * (ways[small].radius + depth_) +
         ways[small].deformation + ways[large].deformation;
}

FittedSurface CoreGuard::fit(int body, const BodyState& state) {
  const auto b = uz(body);
  if (!is_fitted_[b] && state.deformation.u.size() > 0) {
    const VecX& u = state.deformation.u.points();
    for (std::size_t i = 0; i < from_points_[b].size(); ++i) {
      from_points_[b][i] = cores_[b].points[i] + u.segment<3>(static_cast<int>(3 * i));
    }
    trees_[b].refit(from_points_[b]);
  }
  is_fitted_[b] = 1;
  return {search_.topology(body), trees_[b], from_points_[b]};
}

double CoreGuard::distance(const NearPair& pair, std::span<const MovingBody> moving,
                           double motion) {
  const BodyState& state_1 = *moving[uz(pair.one)].state;
  const BodyState& state_2 = *moving[uz(pair.two)].state;
  const FittedSurface one = fit(pair.one, state_1);
  const FittedSurface two = fit(pair.two, state_2);
  const Mat3 back = state_2.frame.orientation.toRotationMatrix().transpose();
  const Placement to_2{back * state_1.frame.orientation.toRotationMatrix(),
                       back * (state_1.frame.position - state_2.frame.position)};
  const double floor = floor_share * depth_;
  const double boxes = BoxDistance(one.tree, two.tree, to_2)
                           .of_all(box_steps * motion + floor, box_reach_share * depth_);
  if (boxes > motion + floor) return boxes;
  return distance_.measure(one, two, to_2, std::max(motion + floor, depth_), reach_share * depth_);
}

void CoreGuard::place(int body, std::span<const MovingBody> moving,
                      const std::vector<BodyState>& next) {
  const auto b = uz(body);
  const BodyState& from = *moving[b].state;
  if (moving[b].body->deformation() != nullptr) {
    const VecX& u_from = from.deformation.u.points();
    const VecX& u_to = next[b].deformation.u.points();
    for (std::size_t i = 0; i < cores_[b].points.size(); ++i) {
      const int k = static_cast<int>(3 * i);
      from_points_[b][i] = cores_[b].points[i] + u_from.segment<3>(k);
      to_points_[b][i] = cores_[b].points[i] + u_to.segment<3>(k);
    }
  }
  search_.place(
      body, {from.frame.orientation.toRotationMatrix(), from.frame.position, from_points_[b]},
      {next[b].frame.orientation.toRotationMatrix(), next[b].frame.position, to_points_[b]});
}

CoreGuard::Advance CoreGuard::advance(NearPair& pair, std::span<const MovingBody> moving,
                                      const std::vector<BodyState>& next, BodyWays& ways) {
  double motion = closing(pair, moving, ways);
  const double floor = floor_share * depth_;
  if (pair.apart > motion + floor || !std::isfinite(motion)) return {};
  pair.apart = distance(pair, moving, motion);
  if (pair.apart > motion + floor) return {};
  // surfaces are looked at now: how far they really move is known, too
  ways.measure_points(moving, next);
  motion = closing(pair, moving, ways);
  if (pair.apart > motion + floor) return {};
  place(pair.one, moving, next);
  place(pair.two, moving, next);

  // what overlaps so much from the beginning is free to come out
  if (pair.apart == 0.0) return {};
  Advance result;
  const double least = std::min(floor, 0.4 * pair.apart);
  result.time = search_.time_of_approach(pair.one, pair.two, least, result.nearest);
  return result;
}

bool CoreGuard::find(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                     BodyWays& ways, std::vector<Proximity>& found) {
  start(moving);
  find_near(moving, ways);
  bool are_apart = true;
  for (NearPair& pair : near_) {
    const Advance met = advance(pair, moving, next, ways);
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
                     BodyWays& ways, bool is_frozen) {
  find_near(moving, ways);
  std::fill(share_.begin(), share_.end(), 1.0);
  bool has_held = false;
  for (NearPair& pair : near_) {
    const Advance met = advance(pair, moving, next, ways);
    if (met.time == 1.0) continue;
    has_held = true;
    for (const int b : {pair.one, pair.two}) {
      share_[uz(b)] = std::min(share_[uz(b)], is_frozen ? 0.0 : met.time);
    }
  }
  for (std::size_t b = 0; b < next.size(); ++b) {
    if (share_[b] < 1.0) go_part_of_way(moving[b], ways[b], share_[b], gravity_, next[b]);
  }
  return has_held;
}

bool CoreGuard::hold_back(std::span<const MovingBody> moving, std::vector<BodyState>& next,
                          BodyWays& ways) {
  start(moving);
  ways.measure(moving, next);
  bool has_held = false;
  // what is held may be met by others: in the end all that meet stay where they are, one more body
  // in each round
  const std::size_t most_rounds = gentle_rounds + next.size() + 1;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    if (!hold(moving, next, ways, round >= gentle_rounds)) break;
    ways.measure(moving, next);
    has_held = true;
  }
  return has_held;
}

void CoreGuard::accept(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                       const BodyWays& ways) {
  for (NearPair& pair : near_) pair.apart = std::max(0.0, pair.apart - closing(pair, moving, ways));
  margin_ -= most_closing(ways);
  for (std::size_t b = 0; b < next.size(); ++b) keep(b, next[b]);
}

}  // namespace stickslip
