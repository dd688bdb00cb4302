#pragma once

#include <span>
#include <utility>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/motion/body_way.hpp"
#include "stickslip/motion/core_guard.hpp"
#include "stickslip/motion/end_gap.hpp"
#include "stickslip/motion/exact_meetings.hpp"
#include "stickslip/motion/meeting_search.hpp"
#include "stickslip/proximity/touching_pairs.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// Contacts that detection at the beginning of a step cannot know, since bodies move by more than
/// the alarm distance within it: found by following the surfaces from there to the corrected end.
///
/// A contact found that way is linear about the beginning like any other: the two points that meet
/// shall not be behind each other at the end, along the normal with which they meet. What met in
/// the motion before but would not any more has no force.
class FastMotion {
 public:
  explicit FastMotion(const Scene& scene);

  /// Forgets the step before.
  void start() {
    passing_.clear();
    watched_.clear();
  }

  /// Looks at the motion to `next`, which `contacts` and their forces f led to. If it goes through
  /// something, or a contact held a body that would have passed by, `found` becomes what to solve
  /// with instead, and the answer is true.
  bool find(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
            std::span<const Contact> contacts, const VecX& f, std::vector<Proximity>& found);

  /// Leaves bodies that would still go through each other where they meet, with their velocities.
  /// Whether there were any.
  bool hold_back(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                 std::vector<BodyState>& next);

  /// The last word on a step: nothing goes through, whatever was solved. Whether bodies were held.
  bool keep_cores_apart(std::span<const MovingBody> moving, std::vector<BodyState>& next);

 private:
  using Pair = std::pair<int, int>;

  double relative_motion(const Pair& pair, std::span<const MovingBody> moving) const;
  /// What distances are compared with: less than the alarm distance where bodies are thin. [m]
  double scale(const Pair& pair) const;
  /// Whether no two bodies move fast against each other, by how much each moves alone.
  bool are_all_slow() const;
  void find_fast_pairs(std::span<const MovingBody> moving, const std::vector<BodyState>& next);
  void place(int body, const MovingBody& moving, const FrameState& frame, const Displacement& u_to);
  /// Keeps the contacts that hold what is there: whether there were others.
  bool drop_ghosts(std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                   std::span<const Contact> contacts, const VecX& f, std::vector<Proximity>& kept);
  void find_passing_pairs(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                          const VecX& f);
  /// Whether an exact shape would go in where a contact holds it.
  bool is_stopped_shape(const Pair& pair, std::span<const MovingBody> moving,
                        std::span<const Contact> contacts, const VecX& f);
  void collect_hits(std::span<const MovingBody> moving, std::span<const Contact> contacts,
                    const std::vector<BodyState>& next);
  bool is_passing(const Pair& pair) const;
  bool is_watched(const Pair& pair) const;
  bool is_fast(const Pair& pair) const;

  MeetingSearch search_;
  TouchingPairs touching_pairs_;
  ExactMeetings exact_;
  double alarm_distance_;
  Vec3 gravity_;
  std::vector<double> thickness_;
  CoreGuard cores_;
  bool are_cores_apart_ = false;  ///< on the way that was looked at last
  std::vector<std::vector<Vec3>> from_points_, to_points_;
  BodyWays ways_;
  std::vector<double> share_;  ///< of its way that a body is left
  BroadPhase broad_phase_;
  std::vector<Box> boxes_;
  std::vector<Pair> pairs_;
  std::vector<Pair> passing_;  ///< of bodies whose distant contacts do not count in this step
  std::vector<Pair> watched_;  ///< of bodies that lost a contact in this step
  std::vector<Meeting> hits_;
};

}  // namespace stickslip
