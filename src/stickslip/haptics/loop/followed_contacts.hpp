#pragma once

#include <span>
#include <vector>

#include "stickslip/haptics/loop/published_step.hpp"

namespace stickslip {

/// Displacements of the tools since the beginning of a step.
struct ToolMotions {
  std::span<const Vec6> free;   ///< by its free motion
  std::span<const Vec6> moved;  ///< at its end
  std::span<const Vec6> slid;   ///< where slip is counted from
};

/// The contacts of a published group, taken along as the tools move on. A step knows them linearly
/// about its beginning; here normals turn with the surface or the edges that they belong to, lever
/// arms with their tools, what slides over a tool keeps its place on the other body, exact shapes
/// that roll are touched below their middle, and W follows.
/// The tools' part of W is that of the duration for which the step is made again: it differs from
/// the step's own by a term of rank six a tool. With any other, tools in balance would be pushed
/// away from where they are. What other bodies do is not known, nor how surfaces curve.
class FollowedContacts {
 public:
  /// Room for so many tools and a group of so many contacts.
  FollowedContacts(int tool_count, int max_contacts);

  /// Takes over a group as a step published it, whose tools yielded to wrenches so much.
  void take(const PublishedGroup& group, const ToolMotions& tools,
            std::span<const Mat6> compliances);

  /// Makes the group linear about where the tools are, each displaced by so much since the
  /// beginning of the step. Does nothing where they have hardly turned or slid on.
  void follow(std::span<const Vec6> moved, PublishedGroup& group);

  /// Writes W and delta_free of the problem: gaps and slip for displaced tools that yield to
  /// wrenches so much.
  void write_problem(std::span<const Vec6> moved, std::span<const Mat6> compliances,
                     PublishedGroup& group);

  /// After a solve: what slips is counted from here at the next tick.
  void note_slip(const PublishedGroup& group);

 private:
  /// How contacts move with a tool, three rows each.
  using Jacobian = Eigen::Matrix<double, Eigen::Dynamic, 6>;

  bool has_moved_on(std::span<const Vec6> moved) const;
  /// Of each tool.
  void find_jacobians(const PublishedGroup& group);
  /// W += sign times J C J^T of each tool.
  void add_tools(double sign, std::span<const Mat6> compliances, Eigen::Map<MatX> W);
  void follow(int c, std::span<const Vec6> moved, PublishedContact& contact);
  /// How far P goes against Q between two displacements of the tools, linear. [m]
  static Vec3 motion(const PublishedContact& contact, std::span<const Vec6> from,
                     std::span<const Vec6> to);
  Vec3 way_of(int tool, const Vec3& arm, std::span<const Vec6> moved) const;

  std::vector<Vec6> at_;      ///< displacements of the tools that the group is linear about
  std::vector<Vec3> rest_;    ///< gap and slip of each contact there, the tools' part of W left out
  std::vector<Vec3> origin_;  ///< where slip is counted from
  bool slides_over_tools_ = false;
  std::vector<Jacobian> J_;  ///< of each tool
  BlockMatrix others_;       ///< W without the frames of the tools
  // scratch
  std::vector<Mat3> turns_;  ///< of the tools
  std::vector<Mat3> axes_;   ///< turns of the axes of each contact
  Jacobian answer_;
};

}  // namespace stickslip
