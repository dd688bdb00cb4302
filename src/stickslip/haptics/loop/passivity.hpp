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
  /// After so long without a force worth the name, debts are forgiven: nothing that swings takes
  /// such a rest, and no hand is to be braked in free air for what lies behind it. [s]
  double rest_s = 0.1;
  double least_force = 0.01;     ///< worth the name [N]
  double least_torque = 0.4e-3;  ///< [N m]
};

/// Keeps the energy that the hand has put in (about the device's port, in six dimensions) from
/// falling below zero: what is rendered gives back no more than it got, apart from what other
/// sources have put in. Observer and controller in the time domain (Hannaford and Ryu, 2002), for
/// wrenches that are held from tick to tick, and samples of the pose that come at any of them.
class Passivity {
 public:
  Passivity(const PassivityOptions& options, double tick_s);

  /// At every tick: the wrench (on the hand) that was sent at the last one was held for so long,
  /// and drives and gravity have put in so much. [J]
  void hold(const Vec6& sent, double supplied, double elapsed_s);

  /// The pose of now, under what was held since the last one.
  void observe(const Pose& pose);

  /// The wrench to render in place of `wanted` at this velocity, so long after the last. The coming
  /// tick is taken to be a nominal one; what a late one gives too much is seen and taken back.
  Vec6 control(const Vec6& wanted, const Vec6& velocity, double elapsed_s);

  /// The pose is not known, nor what was held: forget them, but not the energy.
  void restart();

  /// Forces begin anew, from a coupling that holds so much: a debt of before is nobody's, and what
  /// is held may be given back. [J]
  void forgive(double held = 0.0);

  double energy() const { return energy_; }      ///< put in by the hand and not given back [J]
  double removed() const { return removed_; }    ///< by the controller, so far [J]
  double forgiven() const { return forgiven_; }  ///< so far [J]
  bool is_acting() const { return is_acting_; }

 private:
  PassivityOptions options_;
  double tick_s_;
  bool has_pose_ = false;
  Pose pose_;
  Vec6 damper_ = Vec6::Zero();  ///< wrench of the controller over the last tick
  // since the last pose
  Vec6 impulse_ = Vec6::Zero();         ///< of what was sent [N s, N m s]
  Vec6 damper_impulse_ = Vec6::Zero();  ///< of the controller's part
  double held_s_ = 0.0;
  double supplied_ = 0.0;
  double energy_ = 0.0;
  double removed_ = 0.0;
  double forgiven_ = 0.0;
  double at_rest_s_ = 0.0;  ///< nothing was rendered for so long
  bool is_acting_ = false;
};

}  // namespace stickslip
