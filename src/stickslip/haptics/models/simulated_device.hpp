#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/haptics/models/axis_motion.hpp"
#include "stickslip/haptics/models/device.hpp"
#include "stickslip/haptics/models/operator.hpp"

namespace stickslip {

/// Mechanics and sensing of a device along each of its axes, or about each.
struct DeviceAxis {
  double mass = 0.0;        ///< [kg], [kg m^2]; above 0
  double damping = 0.0;     ///< [N s/m], [N m s/rad]
  double friction = 0.0;    ///< dry [N], [N m]
  double resolution = 0.0;  ///< of its sensors [m], [rad]; 0: exact
};

struct DeviceModel {
  DeviceLimits limits;
  DeviceAxis translation;
  DeviceAxis rotation;
  double delay_s = 0.0;           ///< from write() to the force; any number of ticks, whole or not
  double jitter_s = 0.0;          ///< a write() takes up to so much longer, at random
  double force_resolution = 0.0;  ///< of its motors [N], at a lever of 40 mm for torques; 0: exact
  std::uint64_t seed = 1;         ///< of the jitter
};

/// Devices of a test bench: ideal (no damping, friction, error or limit), phantom, large; each
/// turns as its mass at a lever of 40 mm would.
std::span<const DeviceModel> known_device_models();

/// Of the test bench, or of known_devices() with the mechanics of `phantom`. Throws InputError
/// where the name is neither.
DeviceModel find_device_model(std::string_view name);

/// A device in the hand of an operator, as equations of motion. The hand is a mass that moves with
/// the handle, and a spring and a damper to the intended pose, which is taken to be straight
/// within a tick.
///
/// write() moves on by a tick, under the wrench of the last write() that has arrived by then:
/// within a tick where delay or jitter break it. None overtakes another. Each of the six axes is
/// right to rounding (see advance()). Friction acts on each axis by itself. Rotation is that of a
/// body with the same inertia about all axes: right to rounding about an axis that does not move;
/// where it does, the hand's spring is linear within a tick, which errs by the square of the angle
/// turned in it.
///
/// The handle moves by ticks in any case. An operator who follows a scene goes on in what he
/// intends as fast as the scene does.
///
/// Sensing is that of encoders: pose rounded to the resolution, velocity the difference of the
/// last two poses over the tick.
class SimulatedDevice : public Device {
 public:
  SimulatedDevice(const DeviceModel& model, Operator held_by);

  const DeviceLimits& limits() const override { return model_.limits; }
  LinkTimes link() const override;
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;
  bool needs_clock() const override { return false; }
  void follow(const SceneTime* scene) override { scene_ = scene; }

  /// Where the handle truly is.
  struct Truth {
    Pose pose;
    Vec3 velocity = Vec3::Zero();
    Vec3 angular_velocity = Vec3::Zero();
    double time_s = 0.0;
  };
  const Truth& truth() const { return truth_; }
  /// Puts the handle elsewhere or into motion, between ticks.
  void set_truth(const Truth& truth);

  const Operator& held_by() const { return operator_; }
  /// How far the operator is in what he intends: the time of the handle, unless he waits for a
  /// scene.
  double operator_time_s() const { return truth_.time_s - behind_s_; }

 private:
  /// A wrench and how long it takes until it acts, from now.
  struct OnItsWay {
    Vec6 wrench = Vec6::Zero();
    double left_s = 0.0;
  };

  void move(const Vec6& wrench, double duration);
  void sense();
  Vec6 rendered(const Vec6& wrench) const;
  double random_jitter_s();

  DeviceModel model_;
  Operator operator_;
  const SceneTime* scene_ = nullptr;
  double behind_s_ = 0.0;  ///< the operator is behind the handle's time by that
  AxisDynamics translation_;
  AxisDynamics rotation_;
  Truth truth_;
  DeviceReading reading_;
  std::uint64_t ticks_ = 0;
  Vec6 acting_ = Vec6::Zero();
  std::vector<OnItsWay> on_their_way_;  ///< the oldest first; never more than there is room for
  std::uint64_t random_;
};

}  // namespace stickslip
