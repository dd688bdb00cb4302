#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stickslip/studies/snap_fit.hpp"

namespace stickslip::cli {

/// Says on standard error, as a run goes on, in which phase of a snap fit it is.
class SnapTelling {
 public:
  /// Throws InputError where nothing in the scene leads a part in.
  SnapTelling(const Scene& scene, const State& start);

  /// After each step.
  void add(const State& state, const StepData& data);

  /// What the force curve says; empty where the mover never went back.
  std::string to_text() const;

 private:
  double way_of_mover(const StepData& data) const;

  SnapMover mover_;
  SnapGauge gauge_;
  SnapWatch watch_;
  std::vector<SnapSample> samples_;
  std::size_t farthest_ = 0;  ///< sample at which the mover was
  double farthest_way_ = 0.0;
};

/// What a person wants to know of it first, in one line.
std::string snap_fit_headline(const SnapFit& fit);

/// The figures of a snap fit, a line each, that one before them.
std::string snap_fit_text(const SnapFit& fit);

}  // namespace stickslip::cli
