#pragma once

#include <string>
#include <utility>
#include <vector>

#include "apps/plot/drawing.hpp"
#include "experiments/snap_run.hpp"

namespace stickslip::experiments {

// The snap-in as a page tells it: moments, force curves, numbers.

/// The clip and what it goes onto after a step, seen along the pipe.
void draw_moment(Drawing& drawing, const Area& cell, const SnapRun& run, std::size_t step,
                 const std::string& name);

/// Five moments of a run beside each other, from the upper left corner on.
void draw_moments(Drawing& drawing, const Area& row, const SnapRun& run);

/// Runs of a scene by friction.
struct SnapStory {
  std::vector<std::pair<double, SnapRun>> runs;
  bool snaps = true;  ///< every one goes in and comes out
};

/// Runs a scene for each friction; names of numbers end on `what`. The picture shows moments of the
/// second.
SnapStory tell_snap(const Settings& settings, const std::string& scene,
                    const std::vector<double>& frictions, const std::string& file,
                    const std::string& what, Finding& finding);

/// "way in 1, 2 and 3 N, way out 4, 5 and 6 N at µ = ..."
std::string forces_of(const SnapStory& story);

}  // namespace stickslip::experiments
