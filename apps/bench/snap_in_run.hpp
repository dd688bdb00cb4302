#pragma once

#include <memory>

#include "apps/bench/step_times.hpp"
#include "stickslip/scene/scene.hpp"

namespace stickslip::bench {

/// The snap-in of the shelf in the hands of its simulated operator, by counted ticks.
struct SnapInRun {
  double dt = 0.0;  ///< of a step [s]
  StepTimes steps;
  struct Tick {
    double us = 0.0;   ///< the least of all runs
    int contacts = 0;  ///< of the step before it
  };
  std::vector<Tick> ticks;  ///< of the haptic loop

  double time_s(std::size_t step) const { return dt * static_cast<double>(step + 1); }
};

/// Runs `scenes/snap_in.toml` up to that time, several times, and spins in between.
SnapInRun run_snap_in(Setting& setting, double until_s);

}  // namespace stickslip::bench
