#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip {

// The scene of the haptic bench: a rigid cube over a floor, in a hand on a simulated device.

inline constexpr double bench_tick = 1e-3;         ///< of the haptic loop [s]
inline constexpr double bench_tool_size = 0.02;    ///< [m]
inline constexpr double bench_tool_mass = 0.015;   ///< [kg]
inline constexpr double bench_tool_start = 0.005;  ///< height of its underside [m]
inline constexpr double bench_wait_s = 0.4;        ///< until the forces have come up
/// Heights of the tool's middle. [m]
inline constexpr double bench_touching = 0.5 * bench_tool_size;
inline constexpr double bench_resting = bench_touching + bench_tool_start;

inline int bench_ticks(double seconds) {
  return static_cast<int>(std::lround(seconds / bench_tick));
}

/// Who holds what, and how it is rendered.
struct TrialSetup {
  DeviceModel device;
  HandModel hand;
  RenderingMode mode = RenderingMode::resolved;
  int ticks_per_step = 1;  ///< of the simulation
  CouplingGains gains;
};

/// A stiffness with the damping that choose_gains() gives it.
CouplingGains bench_gains(double stiffness);

/// The floor, z = 0, and the tool at rest over it, in reach of one hand.
Scene make_tool_scene(double dt, const CouplingGains& gains);

/// One tick of a trial.
struct TrialTick {
  TickRecord record;
  Pose truth;              ///< where the device is
  double port_energy = 0;  ///< that the hand has put in, by the device's own motion [J]
  bool is_update = false;  ///< a new step of the simulation came
};

/// A scene in the hand of an operator, by counted ticks. The device starts where the intention
/// does, and holds the tool from the first tick on.
class HapticTrial {
 public:
  HapticTrial(Scene scene, const TrialSetup& setup, const Intention& intention);

  const TrialTick& tick();
  /// The simulation stands still for so many ticks.
  void stall(int ticks) { turns_.stall(ticks); }
  HapticSession& session() { return session_; }
  const StepReport* step_report() const { return turns_.step_report(); }
  /// Of the contact forces on a body over the last step, about its centre of mass.
  const Vec6& contact_wrench(int body) const { return data_.body_steps[uz(body)].contact_wrench; }

 private:
  Scene scene_;
  State state_;
  StepData data_;
  std::shared_ptr<SimulatedDevice> device_;
  HapticSession session_;
  TurnTaking turns_;
  TrialTick now_;
  std::uint64_t step_number_ = 0;
};

}  // namespace stickslip
