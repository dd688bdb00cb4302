#pragma once

#include <array>

#include "stickslip/math/pose.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Velocity from positions that are rounded to a resolution: the slope of the longest line, back
/// from the newest sample, that misses no sample in between by more than the resolution. Slow
/// motion is averaged over many samples, fast motion over few. (The adaptive windowing of
/// Janabi-Sharifi, Hayward and Chen, 2000.)
class VelocityEstimate {
 public:
  /// A resolution of 0 [m or rad] gives the difference of the last two samples.
  VelocityEstimate(double tick_s, double resolution)
      : tick_s_(tick_s), squared_resolution_(resolution * resolution) {}

  /// The velocity at a new sample, one tick after the last.
  Vec3 add(const Vec3& position);

  /// Forgets the past: the next sample is the first.
  void reset() { count_ = 0; }

 private:
  static constexpr int longest_window = 16;
  const Vec3& sample(int back) const;

  double tick_s_;
  double squared_resolution_;
  std::array<Vec3, longest_window + 1> samples_ = {};
  int newest_ = 0;
  int count_ = 0;
};

/// The same of a pose that is told by its displacements.
class PoseVelocity {
 public:
  PoseVelocity(double tick_s, double resolution);

  /// Translation and rotation per second, after a displacement of one tick between two poses.
  Vec6 add(const Pose& from, const Pose& to);

  void reset();

 private:
  VelocityEstimate translation_;
  VelocityEstimate rotation_;
  Vec6 way_ = Vec6::Zero();  ///< sum of the displacements
};

}  // namespace stickslip
