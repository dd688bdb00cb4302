#pragma once

#include <limits>
#include <string>
#include <vector>

#include "stickslip/haptics/models/coupling.hpp"
#include "stickslip/haptics/models/operator.hpp"

namespace stickslip {

/// How a device's space lies in the world: a point p of it is at centre + scale * (turn * p).
struct WorkspaceMap {
  Vec3 centre = Vec3::Zero();  ///< where the middle of the device's workspace is [m]
  Quat turn = Quat::Identity();
  double motion_scale = 1.0;
  double force_scale = 1.0;  ///< of what the hand feels

  Pose to_world(const Pose& device) const;
  Pose to_device(const Pose& world) const;
  /// A wrench on the hand, from world axes to those of the device.
  Vec6 to_device(const Vec6& wrench) const;
};

/// What a hand asks of the next step.
struct HandInput {
  Pose pose;  ///< of the hand, in the world
  bool wants_hold = false;
  bool is_clutched = false;  ///< moves, but its target does not
  bool restarts = false;     ///< holds without a force, from where the grip is
  // told by the loop for the record; the step does not look at it
  Vec6 rendered = Vec6::Zero();  ///< wrench on the hand, in the axes of its device [N, N m]
  double energy = 0.0;           ///< that the hand has put in and not got back [J]
};

/// What all hands ask, and when.
struct HandInputs {
  double time_s = 0.0;  ///< of the loop, since it began; 0: nothing was asked yet
  std::vector<HandInput> hands;
};

/// A hand between two steps.
struct HandState {
  int body = -1;  ///< that it holds; -1: none
  Grip grip;
  // from the hand to its target for the grip; kept so that holding begins without a force
  Vec3 offset = Vec3::Zero();  ///< world axes [m]
  Quat turn = Quat::Identity();
  Pose target;  ///< of the grip, as the last step had it
  bool wanted_hold = false;

  /// Where a hand at that pose wants the grip to be.
  Pose target_of(const Pose& hand) const;

  /// Sets the offset so that a hand at that pose wants the grip where it is.
  void settle(const Pose& hand, const Pose& grip_now);
};

/// A spot of a body that a hand may hold.
struct Handle {
  int body = 0;
  Grip grip;
};

/// A hand of a scene: what it may hold, how, and by which device.
struct Hand {
  std::string name;
  std::vector<Handle> handles;
  double reach = std::numeric_limits<double>::infinity();  ///< to a handle it takes hold of [m]
  CouplingGains gains;  ///< not a number: to be chosen for the device

  // the device
  std::string device = "simulated";  ///< as make_device() takes it
  WorkspaceMap map;
  double max_force = std::numeric_limits<double>::infinity();   ///< the user's limit [N]
  double max_torque = std::numeric_limits<double>::infinity();  ///< [N m]
  bool starts_holding = true;
  Intention intention;  ///< of the operator of a simulated one, in its axes
};

}  // namespace stickslip
