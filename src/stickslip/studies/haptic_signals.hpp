#pragma once

#include "stickslip/studies/haptic_trial.hpp"

namespace stickslip {

/// What of a signal is above a frequency: Butterworth's filter of the second order, bilinear.
class HighPass {
 public:
  HighPass(double corner_hz, double tick_s);
  /// The first sample is taken to have been there for ever.
  double add(double sample);

 private:
  double gain_, a_1_, a_2_;
  bool has_started_ = false;
  double in_1_ = 0.0, in_2_ = 0.0, out_1_ = 0.0, out_2_ = 0.0;
};

/// By how much the rendered force steps at a tick: how much more it changes there than at the tick
/// before and at the one after, whichever is more; what motion does to it, it does to one of those
/// as well. Where a new step of the simulation comes, no more of it is laid to that step than the
/// coupling makes of its jump of the grip, lest a contact that begins at that very tick count.
struct ForceSteps {
  double at_updates = 0.0;  ///< the largest at ticks with a new step of the simulation [N]
  double elsewhere = 0.0;   ///< the largest at the others [N]

  /// Each tick in turn.
  void add(const TrialTick& tick, const CouplingGains& gains);

 private:
  int count_ = 0;
  Vec3 force_ = Vec3::Zero();
  double change_ = 0.0;         ///< at the last tick
  double change_before_ = 0.0;  ///< at the tick before it
  bool was_update_ = false;
  double of_jump_ = 0.0;  ///< what the coupling makes of the jump at the last tick
};

}  // namespace stickslip
