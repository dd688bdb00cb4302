#pragma once

#include <cstdint>
#include <functional>

#include "stickslip/simulation/run_summary.hpp"
#include "stickslip/studies/haptic_feel.hpp"
#include "stickslip/studies/haptic_trial.hpp"

namespace stickslip {

/// What the system did to a thread.
struct SystemLoad {
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t preemptions = 0;  ///< involuntary switches to another thread

  SystemLoad operator-(const SystemLoad& before) const;
  SystemLoad& operator+=(const SystemLoad& more);
};

/// Of the calling thread, so far.
SystemLoad system_load();

/// The scene of the bench and an elastic blade that stands on its floor.
Scene make_blade_scene(double dt, const CouplingGains& gains);

/// What an operator who cannot sit still does in it: pokes, strokes and twists on the floor, and
/// draws an edge of the tool over the blade until that snaps back, in random order for so long.
Intention restless_operator(const HandModel& hand, double stiffness, double seconds,
                            std::uint64_t seed);

struct EnduranceResult {
  PortEnergy energy;
  std::int64_t counted_ticks = 0;  ///< after the warm-up, without a step of the simulation
  SystemLoad of_ticks;             ///< in those
  SystemLoad of_steps;             ///< in the others
  RunSummary steps{0.0};
  double force_max = 0.0;          ///< rendered [N]
  double touching = 0.0;           ///< share of the ticks with a force above 0.1 N
  std::int64_t stopped_ticks = 0;  ///< without a force, for safety

  double removed_power() const;  ///< [W]
};

/// The first ticks of it, in which pages and room are made, are not counted. [s]
inline constexpr double endurance_warm_up_s = 20.0;

/// A restless operator for so long. `progress` takes the share done.
EnduranceResult endure(const TrialSetup& setup, double seconds, std::uint64_t seed,
                       const std::function<void(double)>& progress = {});

}  // namespace stickslip
