#pragma once

#include <span>
#include <string_view>

#include "stickslip/haptics/models/device.hpp"

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

/// What devices of a kind have whose makers do not tell. Unknown counts as the worst within it.
struct DeviceClass {
  std::string_view name;
  double strongest = 0.0;   ///< peak force up to which a device is one of these [N]
  double lightest = 0.0;    ///< apparent mass at the handle [kg]
  double heaviest = 0.0;    ///< [kg]
  double stiffness = 0.0;   ///< that all of them render [N/m]
  double resolution = 0.0;  ///< of the position, at worst [m]
};
std::span<const DeviceClass> device_classes();

/// By its peak force.
const DeviceClass& class_of(const DeviceLimits& device);

/// Null where the name is not known.
const KnownDevice* find_known_device(std::string_view name);

}  // namespace stickslip
