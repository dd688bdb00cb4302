#pragma once

#include <array>
#include <string>
#include <vector>

#include "experiments/finding.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::experiments {

// The paper's task (7.2) by a steady hand: the clip of scenes/snap_in.toml is drawn by a spring at
// its handle onto the pipe and off again.

/// How long the hand rests where it turns.
inline constexpr double snap_rest_s = 0.3;

struct SnapStep {
  double time_s = 0.0;
  double hand_m = 0.0;   ///< way of the hand toward the pipe
  double clip_m = 0.0;   ///< way of the clip
  double force_N = 0.0;  ///< of the pipe against the way in; negative where it pulls the clip in
  int contacts = 0;
  double penetration_m = 0.0;
  bool is_converged = true;
  std::array<double, phase_count> phase_us = {};
};

/// The stages of the task, as numbers of steps; found from the force.
struct SnapStages {
  std::size_t touch = 0;      ///< first contact that carries force
  std::size_t peak = 0;       ///< largest force on the way in
  std::size_t snap = 0;       ///< the clip's fastest step on the way in
  std::size_t turn = 0;       ///< the hand turns back
  std::size_t retention = 0;  ///< largest force on the way out
  std::size_t release = 0;    ///< last contact that carries force
};

struct SnapRun {
  Scene scene;
  std::vector<SnapStep> steps;
  std::vector<State> states;  ///< one a step, where they were asked for
  SnapStages stages;
};

struct SnapOptions {
  std::vector<std::string> overrides;  ///< of the scene
  double depth_m = 0.036;              ///< way of the hand
  double speed_m_s = 0.02;
  int repeats = 1;  ///< runs; of each time of a step the shortest counts
  bool keeps_states = false;
};

/// Throws InputError.
SnapRun run_snap(const Settings& settings, const SnapOptions& options);

}  // namespace stickslip::experiments
