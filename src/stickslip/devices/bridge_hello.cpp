#include "stickslip/devices/bridge_hello.hpp"

#include <fmt/core.h>

#include <array>

namespace stickslip::bridge {

namespace {

constexpr HelloRange sensed{"degrees of freedom sensed", "", 3.0, 6.0, false};
constexpr HelloRange actuated{"degrees of freedom actuated", "", 3.0, 6.0, false};

// from a feather of a device to an industrial arm
constexpr std::array<HelloRange, 9> ranges = {{
    {"peak force", "N", 0.01, 1000.0, false},
    {"peak torque", "N m", 1e-6, 100.0, true},
    {"stiffness", "N/m", 1.0, 1e7, true},
    {"radius of the workspace", "m", 1e-3, 10.0, true},
    {"mass", "kg", 1e-3, 100.0, true},
    {"damping", "N s/m", 1e-6, 1000.0, true},
    {"resolution", "m", 1e-9, 0.01, true},
    {"tick", "s", 5e-5, 0.1, false},
    {"watchdog", "ms", 1.0, 10000.0, true},
}};

bool is_allowed(const HelloRange& range, double value) {
  return (range.may_be_unknown && value == 0.0) || (value >= range.least && value <= range.most);
}

}  // namespace

std::optional<HelloFault> find_fault(const Hello& hello) {
  const DeviceLimits& limits = hello.limits;
  const auto is_dofs = [](int dofs) { return dofs == 3 || dofs == 6; };
  if (!is_dofs(limits.sensed_dofs)) return HelloFault{&sensed, 1.0 * limits.sensed_dofs};
  if (!is_dofs(limits.actuated_dofs)) return HelloFault{&actuated, 1.0 * limits.actuated_dofs};
  const std::array<double, ranges.size()> values = {
      limits.peak_force,       limits.peak_torque, limits.stiffness,
      limits.workspace_radius, limits.mass,        limits.damping,
      limits.resolution,       limits.tick_s,      static_cast<double>(hello.watchdog_ms)};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!is_allowed(ranges[i], values[i])) return HelloFault{&ranges[i], values[i]};
  }
  return std::nullopt;
}

std::string text_of(const HelloFault& fault) {
  const HelloRange& range = *fault.range;
  if (range.unit[0] == '\0') {
    return fmt::format("{} {:g}: give 3 or 6", range.field, fault.value);
  }
  return fmt::format("{} {:g} {}: give {:g} to {:g}{}", range.field, fault.value, range.unit,
                     range.least, range.most, range.may_be_unknown ? ", or 0 for unknown" : "");
}

}  // namespace stickslip::bridge
