#pragma once

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

inline DeviceLimits example_limits() {
  DeviceLimits limits;
  limits.name = "a device of a long name";
  limits.peak_force = 3.0;
  limits.stiffness = 500.0;
  limits.workspace_radius = 0.1;
  limits.mass = 0.07;
  limits.damping = 0.2;
  limits.resolution = 1e-5;
  return limits;
}

}  // namespace stickslip
