#pragma once

#include <cstdint>
#include <functional>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

/// How steadily a device delivers.
struct DeviceRate {
  std::uint64_t ticks = 0;
  std::uint64_t samples = 0;  ///< readings that were new
  double rate_hz = 0.0;
  // time between new readings; jitter is its standard deviation
  double interval_p50_ms = 0.0;
  double interval_p99_ms = 0.0;
  double interval_max_ms = 0.0;
  double jitter_ms = 0.0;
  double lost_share = 0.0;  ///< of the ticks
  DeviceReading last;       ///< the last that was not lost
};

/// Runs a device with zero force at its nominal tick for a while. `watch` is called after each
/// tick, with the reading and whether the device is there, and ends the run by false.
DeviceRate measure_rate(Device& device, double seconds,
                        const std::function<bool(const DeviceReading&, bool)>& watch = {});

}  // namespace stickslip
