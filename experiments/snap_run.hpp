#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/finding.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace stickslip::experiments {

// The paper's task (7.2) by a steady hand: the clip of a scene goes onto its pipe and off again.

struct SnapRun {
  Scene scene;
  SnapFit fit;
  // one a step
  std::vector<int> contacts;
  std::vector<std::array<double, phase_count>> phase_us;
  std::vector<std::vector<Vec6>> hand_wrenches;  ///< what each hand feels
  std::vector<State> states;                     ///< where they were asked for

  // moments of the task, as numbers of steps
  std::size_t touch = 0;      ///< first contact that carries force
  std::size_t peak = 0;       ///< most force on the way in, before the snap
  std::size_t snap = 0;       ///< open widest
  std::size_t retention = 0;  ///< most force on the way out
  std::size_t release = 0;    ///< last contact that carries force

  double time_s(std::size_t step) const { return fit.samples[step].time_s; }
};

struct SnapRunOptions {
  std::string scene = "snap_in";
  std::vector<std::string> overrides = {};
  SnapFitOptions test = {0.02, 0.3};
  int repeats = 1;  ///< runs; of each time of a step the shortest counts
  bool keeps_states = false;
};

/// Throws InputError.
SnapRun run_snap(const Settings& settings, const SnapRunOptions& options);

}  // namespace stickslip::experiments
