#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/motion/body_way.hpp"
#include "stickslip/motion/meeting_search.hpp"
#include "stickslip/proximity/surface_distance.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// The last word on the motion of a step: whatever forces were found, nothing passes through.
///
/// The core of a body is its surface drawn in by a small depth. Surfaces may overlap by what solves
/// leave; cores that are apart stay apart at every moment of every step. That is proven by
/// conservative advancement: no distance changes faster than the motions of two bodies differ, so
/// cores at a distance d need not be looked at again before the bodies have moved by d against each
/// other. Slow bodies are looked at once in many steps therefore, and mostly boxes around parts of
/// their cores tell enough.
class CoreGuard {
 public:
  /// How deep surfaces are drawn in. [m]
  CoreGuard(const Scene& scene, double depth);

  /// Whether no cores meet on the ways to `next`. Else adds contacts that keep them apart, where
  /// there is time to follow them.
  bool find(std::span<const MovingBody> moving, const std::vector<BodyState>& next, BodyWays& ways,
            std::vector<Proximity>& found);

  /// Leaves bodies whose cores would meet where they do not yet, with their velocities. Whether
  /// there were any. `ways` are those to `next` in the end.
  bool hold_back(std::span<const MovingBody> moving, std::vector<BodyState>& next, BodyWays& ways);

  /// `next`, on the ways to which no cores meet, is the beginning of the next step.
  void accept(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
              const BodyWays& ways);

 private:
  /// A body as far as cores depend on it.
  struct Placed {
    Vec3 position;
    Eigen::Vector4d orientation;
    Displacement u;
  };
  struct NearPair {
    int one, two;
    double apart;  ///< no more than the distance of the cores at the beginning [m]
  };
  /// Where an advance ended: `time` is 1 where nothing is met.
  struct Advance {
    double time = 1.0;
    Proximity nearest;
  };

  void start(std::span<const MovingBody> moving);
  void keep(std::size_t body, const BodyState& state);
  void find_near(std::span<const MovingBody> moving, const BodyWays& ways);
  /// How much nearer any two bodies can come. [m]
  double most_closing(const BodyWays& ways) const;
  /// How much the distance of two bodies can change on their way. [m]
  double closing(const NearPair& pair, std::span<const MovingBody> moving,
                 const BodyWays& ways) const;
  Advance advance(NearPair& pair, std::span<const MovingBody> moving,
                  const std::vector<BodyState>& next, BodyWays& ways);
  /// No more than the distance of cores at the beginning; that itself where they may come nearer
  /// than the floor, moving by so much. [m]
  double distance(const NearPair& pair, std::span<const MovingBody> moving, double motion);
  FittedSurface fit(int body, const BodyState& state);
  void place(int body, std::span<const MovingBody> moving, const std::vector<BodyState>& next);
  bool hold(std::span<const MovingBody> moving, std::vector<BodyState>& next, BodyWays& ways,
            bool is_frozen);

  double depth_;
  Vec3 gravity_;
  TouchingPairs touching_pairs_;
  std::vector<Surface> cores_;
  MeetingSearch search_;
  SurfaceDistance distance_;
  std::vector<SurfaceTree> trees_;  ///< of cores, in the axes of their bodies
  std::vector<char> is_fitted_;     ///< a tree, to the beginning of the step
  std::vector<std::vector<Vec3>> from_points_, to_points_;
  std::vector<double> share_;  ///< of its way that a body is left
  BroadPhase broad_phase_;
  std::vector<Box> boxes_;
  std::vector<std::pair<int, int>> pairs_;

  // what is known of the bodies as the last step left them
  std::vector<Placed> last_;
  std::vector<NearPair> near_;
  double margin_ = -1.0;  ///< bodies that are not near are farther apart than this [m]
};

}  // namespace stickslip
