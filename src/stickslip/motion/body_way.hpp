#pragma once

#include <span>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// The motion of a body over a step.
struct BodyWay {
  Vec3 translation = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
  double deformation = 0.0;  ///< no point goes farther within the frame [m]
  double radius = 0.0;       ///< around all points about the frame, on the whole way [m]
};

/// Leaves a body after a share of its way, with the velocities it has at the end, its spin in its
/// own axes, as far as its frame gains no energy by that, its weight under gravity [m/s^2]
/// included. Within the frame a body is as much slower as its way is shorter: elastic energy that
/// did not leave it cannot be speed as well. `to` is the end at first.
void go_part_of_way(const MovingBody& moving, const BodyWay& way, double share, const Vec3& gravity,
                    BodyState& to);

/// The ways of all bodies of a scene. Only points that may touch count.
class BodyWays {
 public:
  explicit BodyWays(const Scene& scene);

  /// By the loads where displacements follow from them: cheap, and rather more than less.
  void measure(std::span<const MovingBody> moving, const std::vector<BodyState>& next);
  /// By all points.
  void measure_points(std::span<const MovingBody> moving, const std::vector<BodyState>& next);

  const BodyWay& operator[](std::size_t body) const { return ways_[body]; }

  /// Of the points around the frame, undeformed. [m]
  double rest_radius(std::size_t body) const { return rest_radius_[body]; }

  /// The first so many points of a surface are all that may touch.
  int point_count(std::size_t body) const { return point_count_[body]; }

 private:
  void measure_points(std::size_t body, const Displacement& from, const Displacement& to);

  std::vector<BodyWay> ways_;
  std::vector<double> rest_radius_;
  std::vector<int> point_count_;
};

}  // namespace stickslip
