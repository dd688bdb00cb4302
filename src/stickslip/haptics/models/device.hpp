#pragma once

#include <cstdint>
#include <string>

#include "stickslip/math/types.hpp"

namespace stickslip {

class SceneTime;

/// The arm by which a hand turns a handle: makes a rotation of a translation where a device or a
/// hand states only the latter. [m]
inline constexpr double handle_lever = 0.04;

/// What buttons do where a hand does not say otherwise.
inline constexpr std::uint32_t default_grab_button = 1;
inline constexpr std::uint32_t default_clutch_button = 2;

/// What a device can do. Zero stands for unknown where the comment says so.
struct DeviceLimits {
  std::string name;
  int sensed_dofs = 6;            ///< 3 (position) or 6 (and orientation)
  int actuated_dofs = 3;          ///< 3 (force) or 6 (and torque)
  double peak_force = 0.0;        ///< [N]; infinite: any
  double peak_torque = 0.0;       ///< [N m]
  double stiffness = 0.0;         ///< the largest it renders [N/m]; 0: unknown
  double workspace_radius = 0.0;  ///< [m]; 0: unknown
  double mass = 0.0;              ///< apparent at the handle [kg]; 0: unknown
  double damping = 0.0;           ///< its own [N s/m]; 0: unknown
  double resolution = 0.0;        ///< of the position [m]; 0: unknown
  double tick_s = 1e-3;           ///< nominal

  bool operator==(const DeviceLimits&) const = default;
};

/// What a device senses: SI units, in right-handed axes of its own that do not move.
struct DeviceReading {
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
  std::uint32_t buttons = 0;  ///< bit i: button i is down
  /// Of the sample, grows with each. The same as last time, or less: nothing new came. A device
  /// that does not count leaves it at 0, and every reading of it is taken for new.
  std::uint64_t sequence = 0;
  double age_s = 0.0;  ///< of the sample when it was read, where the device or its link tells [s]
};

/// How a device's link keeps time; all zero where nothing was measured.
struct LinkTimes {
  double delay_s;
  double jitter_s;
  double rate_hz;
};

/// A hand-held device, the place where a user plugs in one of their own. The haptic loop calls
/// read() and then write() once a tick, both from its own thread: they neither allocate, lock nor
/// throw, and wait for nothing but the device's own transfer.
class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceLimits& limits() const = 0;
  virtual LinkTimes link() const { return {}; }

  /// Whether a hand feels it, so that ticks must come by the clock on the wall.
  virtual bool needs_clock() const { return true; }

  /// The newest reading. False when the device is lost; the reading is then the last there was.
  /// A device that comes back says true again.
  virtual bool read(DeviceReading& reading) = 0;

  /// The force and the torque about `position` that the hand is to feel until the next call, in
  /// the device's axes. [N, N m] What exceeds the limits is cut by within_limits().
  virtual void write(const Vec6& wrench) = 0;

  /// Drops the force, now. A later write() takes up again.
  virtual void stop() = 0;

  /// Whose time its operator lives in, where he is simulated; null: in that of the ticks. Called
  /// while nobody ticks.
  virtual void follow(const SceneTime* /*scene*/) {}
};

/// No longer than that, in its direction.
Vec3 shortened(const Vec3& v, double longest);

/// The wrench that a device can render: force and torque keep their directions and are shortened
/// to their peaks, a torque is dropped where none is actuated, what is not finite becomes zero.
Vec6 within_limits(const Vec6& wrench, const DeviceLimits& limits);

}  // namespace stickslip
