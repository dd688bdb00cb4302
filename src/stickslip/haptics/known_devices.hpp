#pragma once

#include <span>
#include <string_view>

#include "stickslip/haptics/device.hpp"

namespace stickslip {

/// A device that people own, by the name that the command line takes.
struct KnownDevice {
  std::string_view name;
  std::string_view title;
  std::string_view reached_by;
  DeviceLimits limits;
};

/// Devices on the market with their limits, as their makers publish them.
std::span<const KnownDevice> known_devices();

/// Null where the name is not known.
const KnownDevice* find_known_device(std::string_view name);

}  // namespace stickslip
