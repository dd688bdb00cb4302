#pragma once

#include <string>
#include <string_view>

#include "stickslip/haptics/coupling.hpp"
#include "stickslip/haptics/device.hpp"
#include "stickslip/haptics/hand.hpp"

namespace stickslip {

/// How stiff a coupling a device bears, felt at its handle. [N/m]
struct StiffnessLimits {
  double passive = 0.0;    ///< in whatever hand, with no damping but the device's own
  double stable = 0.0;     ///< in the worst of the known hands, damped as choose_gains() does
  std::string_view hand;   ///< the worst one
  double ripple = 0.0;     ///< one count of its sensors is barely felt; infinite where unknown
  double of_device = 0.0;  ///< what its maker states; infinite where unknown

  /// The largest to be used: half of what is stable, and no more than the others that are known,
  /// but for the passive one, which no hand needs.
  double recommended() const;
};

StiffnessLimits stiffness_limits(const DeviceLimits& device, double tick_s);

/// Gains that feel as stiff as the limits recommend, in the world that the map leads to. Damping
/// makes up for what a spring held over a tick gives away.
CouplingGains choose_gains(const StiffnessLimits& limits, const WorkspaceMap& map, double tick_s);

/// The limits and where these gains stand among them, for people; empty `warning`: all is well.
struct GainReport {
  std::string text;
  std::string warning;
};
GainReport report_gains(const CouplingGains& gains, const StiffnessLimits& limits,
                        const WorkspaceMap& map);

}  // namespace stickslip
