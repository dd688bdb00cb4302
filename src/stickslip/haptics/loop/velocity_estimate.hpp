#pragma once

#include <array>

#include "stickslip/math/pose.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Velocity from positions that are rounded to a resolution: the slope of the longest line, back
/// from the newest sample, that misses no sample in between by more than the resolution. Slow
/// motion is averaged over many samples, fast motion over few. (The adaptive windowing of
/// Janabi-Sharifi, Hayward and Chen, 2000, for samples at any times.) A line is at least a tick
/// long, lest samples that came close together be taken for haste.
class VelocityEstimate {
 public:
  /// A resolution of 0 [m or rad] gives the slope over the last tick.
  VelocityEstimate(double tick_s, double resolution)
      : tick_s_(tick_s), squared_resolution_(resolution * resolution) {}

  /// The velocity at a new sample, so long after the last.
  Vec3 add(const Vec3& position, double elapsed_s);

  /// Forgets the past: the next sample is the first.
  void reset() { count_ = 0; }

 private:
  static constexpr int longest_window = 16;
  struct Sample {
    Vec3 position = Vec3::Zero();
    double ticks = 0.0;  ///< since the sample before it
  };
  const Sample& sample(int back) const;
  /// Whether a line of that slope a tick misses none of the samples within the window.
  bool fits(const Vec3& slope, int window) const;

  double tick_s_;
  double squared_resolution_;
  std::array<Sample, longest_window + 1> samples_ = {};
  int newest_ = 0;
  int count_ = 0;
};

/// The same of a pose that is told by its displacements.
class PoseVelocity {
 public:
  PoseVelocity(double tick_s, double resolution);

  /// A displacement since the last sample; there may be several.
  void move(const Pose& from, const Pose& to) { way_ += displacement_between(from, to); }

  /// Translation and rotation per second, at a sample so long after the last.
  Vec6 sample(double elapsed_s);

  /// The sum of the displacements so far.
  const Vec6& way() const { return way_; }

  void reset();

 private:
  VelocityEstimate translation_;
  VelocityEstimate rotation_;
  Vec6 way_ = Vec6::Zero();
};

}  // namespace stickslip
