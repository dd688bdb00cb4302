#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/motion/meeting_search.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// What fast motion has to know of exact shapes: the triangles that stand for them tell when bodies
/// meet on their way, the shapes themselves where and along which normal.
class ExactMeetings {
 public:
  using Pair = std::pair<int, int>;

  explicit ExactMeetings(const Scene& scene);

  /// Whether one of two bodies is an exact shape.
  bool concern(const Pair& pair) const {
    return is_exact_[uz(pair.first)] || is_exact_[uz(pair.second)];
  }

  /// The gap of a contact of an exact shape at the end of the free motion. [m]
  double gap_when_free(const Proximity& where, std::span<const MovingBody> moving);

  /// Puts the contacts of the shapes, as bodies i < j first meet on their way to `next`, in place
  /// of what their triangles hit, from the hit numbered `first` on.
  void replace_hits(const Pair& pair, std::span<const MovingBody> moving,
                    const std::vector<BodyState>& next, std::size_t first,
                    std::vector<Meeting>& hits);

  /// The gap of a contact of an exact shape at the end; `linear` where only that is known. [m]
  double gap_at_end(const Proximity& where, std::span<const MovingBody> moving,
                    const std::vector<BodyState>& next, double linear);

 private:
  /// Where a body is at a time, as a share of its way to a frame and a deformation.
  void place(int body, const MovingBody& moving, const FrameState& frame, const Displacement& u_to,
             double time);
  void place(const Pair& pair, std::span<const MovingBody> moving,
             const std::vector<BodyState>& next, double time);

  double alarm_distance_;
  std::vector<char> is_exact_;
  std::unique_ptr<MeshProximity> search_;  ///< null where no shape is exact
  std::vector<std::vector<Vec3>> points_;
  std::vector<PlacedSurface> placed_;
  std::vector<Proximity> found_;
};

}  // namespace stickslip
