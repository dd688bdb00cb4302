#pragma once

#include "stickslip/haptics/loop/tool_rendering.hpp"
#include "stickslip/haptics/models/operator.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {

/// One axis of a device in a hand that holds a free tool by a coupling, without friction and
/// rounding: the haptic loop renders once a tick, the simulation steps the tool implicitly once in
/// so many ticks, and its answer comes some ticks after it has read the hand.
struct CoupledTool {
  DeviceAxis device;
  HandAxis hand;
  double mass = 1.0;  ///< of the tool [kg], [kg m^2]
  double tick_s = 1e-3;
  int ticks_per_step = 1;
  int latency_ticks = 1;  ///< 1 to ticks_per_step
  RenderingMode mode = RenderingMode::resolved;
  double stiffness = 0.0;  ///< K of the coupling
  double damping = 0.0;    ///< B
  double delay_s = 0.0;    ///< from the rendered force to the force that acts
};

/// The largest size of an eigenvalue of the loop from one step of the simulation to the next. The
/// device moves without error between ticks (see advance()); grips, velocities and the lead from
/// step to step are those of HapticLoop. Where no spring holds the hand, all may stand elsewhere,
/// which is an eigenvalue of 1.
double spectral_radius(const CoupledTool& tool);

/// Whether nothing grows by more than rounding makes of a neutral motion, a millionth a step.
bool is_stable(const CoupledTool& tool);

}  // namespace stickslip
