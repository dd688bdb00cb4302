#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/devices/bridge_device.hpp"
#include "stickslip/devices/haply_device.hpp"
#include "stickslip/haptics/models/device.hpp"
#include "stickslip/haptics/models/hand.hpp"

namespace stickslip {

/// A device as it is named on the command line and in scenes, taken apart and checked:
///
///     simulated[:MODEL[:HAND[:FILE]]]   scripted:FILE   bridge[:PORT]   mouse
///     haply[:HOST[:PORT]][?device=ID][&force=vector|values]
struct DeviceSpec {
  enum class Kind { simulated, scripted, bridge, haply, mouse };
  Kind kind = Kind::simulated;
  std::string model = "phantom";  ///< of a simulated device
  std::string hand = "medium";
  std::string file;  ///< FILE.csv or RUN.h5[#HAND]: of a scripted device, or what an operator wants
  BridgeOptions bridge;
  HaplyOptions haply;
};

/// Throws InputError in one line.
DeviceSpec parse_device_spec(std::string_view text);

/// Device::needs_clock() of what would be made.
bool needs_clock(const DeviceSpec& spec);

/// Whether both name the same device that somebody feels, or could.
bool may_be_one_device(const DeviceSpec& one, const DeviceSpec& other);

struct DeviceChoice {
  Intention intention;   ///< what the operator of a simulated device wants, without a file
  WorkspaceMap map;      ///< by which the device lies in the scene, for recordings of hands
  double tick_s = 1e-3;  ///< of simulated and scripted devices
  double wait_s = 5.0;   ///< for a device at the other end of a socket to show itself
};

/// Makes the device of a spec. Throws InputError where the spec is wrong, and std::runtime_error
/// where the device does not show itself in time, both in one line with a remedy.
std::unique_ptr<Device> make_device(const DeviceSpec& spec, const DeviceChoice& choice = {});
std::unique_ptr<Device> make_device(std::string_view spec, const DeviceChoice& choice = {});

/// What can be named, one a line.
struct DeviceKind {
  std::string_view usage;
  std::string_view what;
};
const std::vector<DeviceKind>& device_kinds();

}  // namespace stickslip
