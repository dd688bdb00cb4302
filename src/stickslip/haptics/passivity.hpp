#pragma once

#include "stickslip/math/pose.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

struct PassivityOptions {
  bool is_on = true;
  /// Energy that the hand put in and may get back later: what is beyond it is forgotten, lest a
  /// long history of friction excuse a rattling contact. [J]
  double largest_credit = 0.5;
  /// Of the damper that takes back what was given too much. [N s/m, N m s/rad]
  double damping = 5.0;
  double rotational_damping = 5e-3;
};

/// Keeps the energy that the hand has put in (about the device's port, in six dimensions) from
/// falling below zero: what is rendered gives back no more than it got, apart from what other
/// sources have put in. Observer and controller in the time domain (Hannaford and Ryu, 2002), for
/// a wrench that is held over a tick.
class Passivity {
 public:
  Passivity(const PassivityOptions& options, double tick_s);

  /// At a tick: the pose now, under the wrench (on the hand) that was sent at the last tick, and
  /// what drives and gravity have put in since. [J]
  void observe(const Pose& pose, const Vec6& sent, double supplied);

  /// The wrench to render in place of `wanted` at this velocity.
  Vec6 control(const Vec6& wanted, const Vec6& velocity);

  /// The pose jumped, or nothing was sent: forget it, but not the energy.
  void restart() { has_pose_ = false; }

  double energy() const { return energy_; }    ///< put in by the hand and not given back [J]
  double removed() const { return removed_; }  ///< by the controller, so far [J]
  bool is_acting() const { return is_acting_; }

 private:
  PassivityOptions options_;
  double tick_s_;
  bool has_pose_ = false;
  Pose pose_;
  Vec6 damper_ = Vec6::Zero();  ///< wrench of the controller over the last tick
  double energy_ = 0.0;
  double removed_ = 0.0;
  bool is_acting_ = false;
};

}  // namespace stickslip
