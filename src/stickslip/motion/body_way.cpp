#include "stickslip/motion/body_way.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

void go_part_of_way(const MovingBody& moving, const BodyWay& way, double share, const Vec3& gravity,
                    BodyState& to) {
  const BodyState& from = *moving.state;
  const FrameState end = to.frame;
  moving.step->share_gone *= share;
  const VecX& start = from.deformation.u.all();
  to.deformation.u = start + share * (to.deformation.u.all() - start);
  to.deformation.v *= share;
  if (moving.step->deformation) {
    // no more than that: it is convex over the way
    double& energy = moving.step->deformation->energy;
    energy = (1.0 - share) * moving.step->energy_before + share * energy;
  }
  to.frame.position = from.frame.position + share * way.translation;
  to.frame.orientation =
      share == 0.0 ? from.frame.orientation
                   : (rotation_exp(share * way.rotation) * from.frame.orientation).normalized();
  const RigidFrame& frame = moving.body->frame();
  if (frame.is_held()) return;
  to.frame.angular_velocity =
      to.frame.orientation * (end.orientation.conjugate() * end.angular_velocity);

  // what a deformation that did not happen would have pushed
  if (moving.body->deformation() != nullptr) {
    const double before = frame.kinetic_energy(from.frame);
    const double now = frame.kinetic_energy(to.frame);
    if (now > before) {
      to.frame.velocity *= std::sqrt(before / now);
      to.frame.angular_velocity *= std::sqrt(before / now);
    }
  }

  // a fall that did not happen gave no speed
  const double fall = gravity.dot(end.position - to.frame.position);
  const double squared_speed = end.velocity.squaredNorm();
  if (fall > 0.0 && squared_speed > 0.0) {
    to.frame.velocity *= std::sqrt(std::max(0.0, 1.0 - 2.0 * fall / squared_speed));
  }
}

BodyWays::BodyWays(const Scene& scene) : ways_(scene.bodies.size()) {
  for (const SceneBody& part : scene.bodies) {
    const Surface& surface = part.body.surface();
    int count = 0;
    double radius = 0.0;
    for (const auto& triangle : surface.triangles) {
      if (!part.body.may_touch(triangle)) continue;
      for (const int corner : triangle) {
        count = std::max(count, corner + 1);
        radius = std::max(radius, surface.points[uz(corner)].norm());
      }
    }
    point_count_.push_back(count);
    rest_radius_.push_back(radius);
  }
}

void BodyWays::measure(std::span<const MovingBody> moving, const std::vector<BodyState>& next) {
  for (std::size_t b = 0; b < moving.size(); ++b) {
    const BodyState& from = *moving[b].state;
    const BodyState& to = next[b];
    BodyWay& way = ways_[b];
    way.translation = to.frame.position - from.frame.position;
    way.rotation = to.frame.orientation.coeffs() == from.frame.orientation.coeffs()
                       ? Vec3::Zero()
                       : turn_between(from.frame.orientation, to.frame.orientation);
    way.deformation = 0.0;
    way.radius = rest_radius_[b];
    if (moving[b].body->deformation() == nullptr) continue;
    const Displacement& u_from = from.deformation.u;
    const Displacement& u_to = to.deformation.u;
    const SurfaceAnswers* answers = u_to.answers();
    if (!u_from.has_loads() || !u_to.has_loads() || u_from.answers() != answers) {
      measure_points(b, u_from, u_to);
      continue;
    }
    way.deformation = u_to.most_softness() * answers->distance(u_from.loads(), u_to.loads());
    way.radius += way.deformation + u_to.most_softness() * answers->distance(u_to.loads());
  }
}

void BodyWays::measure_points(std::span<const MovingBody> moving,
                              const std::vector<BodyState>& next) {
  for (std::size_t b = 0; b < moving.size(); ++b) {
    if (moving[b].body->deformation() == nullptr) continue;
    measure_points(b, moving[b].state->deformation.u, next[b].deformation.u);
  }
}

void BodyWays::measure_points(std::size_t body, const Displacement& from, const Displacement& to) {
  double moved = 0.0;
  double stretched = 0.0;
  const VecX& u_from = from.points();
  const VecX& u_to = to.points();
  for (int i = 0; i < point_count_[body]; ++i) {
    const auto u = u_to.segment<3>(3 * i);
    moved = std::max(moved, (u - u_from.segment<3>(3 * i)).squaredNorm());
    stretched = std::max(stretched, u.squaredNorm());
  }
  ways_[body].deformation = std::sqrt(moved);
  ways_[body].radius = rest_radius_[body] + std::sqrt(moved) + std::sqrt(stretched);
}

}  // namespace stickslip
