#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stickslip/haptics/loop/tool_rendering.hpp"
#include "stickslip/haptics/models/coupling.hpp"
#include "stickslip/haptics/models/device.hpp"
#include "stickslip/haptics/models/hand.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {

/// What a hand has to move that holds a free body by a grip, along or about the easiest axis and
/// the hardest.
struct HeldMass {
  double lightest = 0.0;         ///< [kg]
  double heaviest = 0.0;         ///< [kg]
  double least_inertia = 0.0;    ///< [kg m^2]
  double largest_inertia = 0.0;  ///< [kg m^2]
};
HeldMass held_mass(const RigidFrame& frame, const Grip& grip);

/// What a coupling lies between, and how it is rendered.
struct CouplingPlace {
  DeviceLimits device;
  WorkspaceMap map;
  HeldMass held;
  double tick_s = 1e-3;
  double dt = 1e-3;  ///< of the simulation
  RenderingMode mode = RenderingMode::resolved;
  LinkTimes link{};  ///< of the device, as measured; its delay is that around the loop

  /// From a position to the force that answers it, at the worst: delay, jitter, and how long a
  /// device that delivers less often than the loop ticks keeps it waiting; 12 ticks at most. [s]
  double worst_delay_s() const;
  /// Twice what a spring gives away that is held over a tick and comes late.
  double damping_for(double stiffness) const;
};

/// How stiff a coupling a device bears, felt at its handle, damped as choose_gains() does. [N/m]
struct StiffnessLimits {
  double absolute = 0.0;      ///< with whatever hand and body, at the pace of the simulation
  double against_wall = 0.0;  ///< in the worst of the known hands, with a body that cannot move
  double with_body = 0.0;     ///< the same with the body of the hand, free
  std::string_view hand;      ///< the worst one for the smaller of these two
  /// A swing at full force dies out in the hands that hold it, although forces take their time to
  /// rise; infinite where there is no largest force.
  double in_swing = 0.0;
  double ripple = 0.0;     ///< one count of its sensors is barely felt; infinite where unknown
  double of_device = 0.0;  ///< what its maker states; infinite where unknown

  /// In the known hands, whether the body moves or not.
  double stable() const;

  /// The largest to be used: half of what is stable, or all of what is stable with whatever hand
  /// and body; and no more than the others that are known.
  double recommended() const;
};

/// Those of translation, and of rotation felt at handle_lever.
struct CouplingLimits {
  StiffnessLimits translation;
  StiffnessLimits rotation;
};
/// The work is bounded, whatever a finite place says: a step counts as 50 ticks at most.
CouplingLimits coupling_limits(const CouplingPlace& place);

/// A device's own mass and damping, from lightest to heaviest where it does not tell.
std::vector<DeviceAxis> mechanics_of(const DeviceLimits& device);

/// Gains that feel as stiff as the limits recommend, in the world that the map leads to. Damping is
/// place.damping_for() them.
CouplingGains choose_gains(const CouplingLimits& limits, const CouplingPlace& place);

/// The limits and where these gains stand among them, for people; empty `warning`: all is well.
struct GainReport {
  std::string text;
  std::string warning;
};
GainReport report_gains(const CouplingGains& gains, const CouplingLimits& limits,
                        const CouplingPlace& place);

}  // namespace stickslip
