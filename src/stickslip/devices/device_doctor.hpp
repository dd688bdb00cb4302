#pragma once

#include <string>
#include <vector>

#include "stickslip/devices/device_spec.hpp"

namespace stickslip {

enum class Health { good, doubtful, bad };

/// One step of an examination.
struct DoctorStep {
  std::string name;  ///< in one word: resolve, connect, ...
  Health health = Health::good;
  std::string message;
  std::string remedy;  ///< empty where all is good
};

struct DoctorOptions {
  double wait_s = 5.0;     ///< for a bridge to come
  double measure_s = 1.0;  ///< how long rate and jitter are measured
};

/// Examines a device step by step, with zero force, from the name over the connection to rate and
/// jitter; ends at the first step without which the next makes no sense. Throws InputError where
/// the options of the device are wrong.
std::vector<DoctorStep> examine_device(const DeviceSpec& spec, const DoctorOptions& options = {});

}  // namespace stickslip
