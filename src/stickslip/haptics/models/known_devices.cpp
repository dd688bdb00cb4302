#include "stickslip/haptics/models/known_devices.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace stickslip {

namespace {

constexpr std::string_view open_haptics = "OpenHaptics, by the bridge";
constexpr std::string_view dhd = "DHD, by the bridge";

KnownDevice make(std::string_view name, std::string_view title, std::string_view reached_by,
                 double peak_force, double peak_torque, double stiffness, double workspace_radius) {
  DeviceLimits limits;
  limits.name = std::string(title);
  limits.actuated_dofs = peak_torque > 0.0 ? 6 : 3;
  limits.peak_force = peak_force;
  limits.peak_torque = peak_torque;
  limits.stiffness = stiffness;
  limits.workspace_radius = workspace_radius;
  return {name, title, reached_by, limits};
}

KnownDevice without_orientation(KnownDevice device) {
  device.limits.sensed_dofs = 3;
  return device;
}

}  // namespace

std::span<const KnownDevice> known_devices() {
  // peaks in N and N m, stiffness in N/m, radius in m
  static const std::array<KnownDevice, 11> table = {
      make("touch", "Touch", open_haptics, 3.3, 0.0, 400.0, 0.075),
      make("touch-x", "PHANToM Desktop, Touch X", open_haptics, 7.9, 0.0, 1000.0, 0.10),
      make("premium-6dof", "PHANToM Premium 1.5 6DOF", open_haptics, 8.5, 0.188, 800.0, 0.12),
      without_orientation(make("omega.3", "omega.3", dhd, 12.0, 0.0, 5000.0, 0.075)),
      make("omega.6", "omega.6", dhd, 12.0, 0.0, 5000.0, 0.075),
      make("omega.7", "omega.7", dhd, 12.0, 0.0, 5000.0, 0.075),
      make("sigma.7", "sigma.7", dhd, 12.0, 0.2, 4000.0, 0.075),
      make("lambda.7", "lambda.7", dhd, 12.0, 0.2, 8000.0, 0.1125),
      without_orientation(
          make("falcon", "Falcon", "a serial line, by the bridge", 8.0, 0.0, 3000.0, 0.04)),
      // its peaks; 30 N and 1.5 N m for longer
      make("virtuose-6d", "Virtuose 6D", "VirtuoseAPI, by the bridge", 70.0, 5.0, 0.0, 0.0),
      // about 5 N along each axis; orientation comes from a grip where there is one. No public
      // figure was found of its apparent mass, damping, stiffness and resolution (looked for on
      // docs.haply.co: developing-with-inverse3, inverseSDK/service): those of its class count
      make("inverse3", "Haply Inverse3", "haply", 5.0, 0.0, 0.0, 0.10),
  };
  return table;
}

std::span<const DeviceClass> device_classes() {
  // choices of ours about what makers publish: PHANToMs for the desk have 45 to 75 g at their tips
  static const std::array<DeviceClass, 2> table = {{
      {"desktop", 20.0, 0.04, 0.4, 3000.0, 30e-6},
      {"large", std::numeric_limits<double>::infinity(), 0.3, 3.0, 8000.0, 10e-6},
  }};
  return table;
}

const DeviceClass& class_of(const DeviceLimits& device) {
  const auto classes = device_classes();
  return *std::find_if(classes.begin(), classes.end() - 1,
                       [&](const DeviceClass& one) { return device.peak_force <= one.strongest; });
}

const KnownDevice* find_known_device(std::string_view name) {
  const auto devices = known_devices();
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const KnownDevice& device) { return device.name == name; });
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace stickslip
