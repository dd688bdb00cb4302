#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stickslip/studies/haptic_endurance.hpp"
#include "stickslip/studies/haptic_feel.hpp"
#include "stickslip/studies/haptic_stiffness.hpp"
#include "stickslip/studies/haptic_truth.hpp"

namespace stickslip {

// The haptic loop, closed by simulated devices and hands, in figures.

struct HapticsBenchOptions {
  bool is_quick = false;  ///< two devices, two rates, a minute of endurance
  std::function<void(double)> progress = {};
};

/// One device in one hand, rendered in one way. Stiffnesses are NaN where not looked for.
struct HandFigures {
  TrialSetup setup;                 ///< with the stiffness that is asked of the device
  double stable_still = 0.0;        ///< [N/m]
  double stable_after_stall = 0.0;  ///< [N/m]
  double stable_swaying = 0.0;      ///< [N/m]
  HoldResult hold;                  ///< at the stiffness asked
  ExerciseResult exercise;          ///< the same
  ExerciseResult stalled;           ///< the same, with a stall; not of hand "none"
};

struct FidelityFigures {
  TrialSetup setup;
  Fidelity fidelity;
};

struct SpringFigures {
  std::string device;
  std::string hand;
  SpringOracle oracle;
};

struct EnduranceFigures {
  TrialSetup setup;
  double seconds = 0.0;
  EnduranceResult result;
};

/// What a hand is given on elastic bodies.
struct TouchFigures {
  TouchSetup setup;
  StillTouch still;
  FollowedTouch followed;
  FirstTouch first;  ///< at 0.5 m/s, with rigid tools
};

/// A device behind a link that is late, with the gains chosen for it.
struct LinkFigures {
  TrialSetup setup;  ///< in the hand with the largest ripple
  HoldResult hold;   ///< still
  HoldResult swaying;
};

/// The loop by the clock.
struct ClockFigures {
  LiveReport report;
  std::string kernel;
  double missed_per_million = 0.0;
  SystemLoad load;  ///< of the loop's thread, from its hundredth tick on
};

struct HapticsBench {
  std::vector<HandFigures> hands;
  std::vector<FidelityFigures> fidelity;
  std::vector<SpringFigures> springs;
  std::vector<TouchFigures> touches;
  std::vector<LinkFigures> links;
  std::vector<EnduranceFigures> endurance;
  ClockFigures clock;

  /// The stiffness that the worst hand leaves a device in a still hold. [N/m]
  double worst_stiffness(const std::string& device, RenderingMode mode, int ticks_per_step) const;
  /// The same in a swaying hold, of those who hold it at all.
  double worst_swaying(const std::string& device, int ticks_per_step) const;
};

/// What the bench asks of a device. [N/m]
double asked_stiffness(const std::string& device);

HapticsBench run_haptics_bench(const HapticsBenchOptions& options);

/// A figure beside the one that is asked.
struct AskedFigure {
  std::string name;
  std::string unit;
  bool is_least = false;  ///< at least, else at most
  double asked = 0.0;
  double measured = 0.0;

  bool is_met() const { return is_least ? measured >= asked : measured <= asked; }
};

std::vector<AskedFigure> asked_figures(const HapticsBench& bench);

}  // namespace stickslip
