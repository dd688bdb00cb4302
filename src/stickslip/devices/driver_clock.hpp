#pragma once

#include <chrono>
#include <functional>

namespace stickslip {

/// What a driver asks for the time: seconds since some moment, never going back.
using DriverClock = std::function<double()>;

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace stickslip
