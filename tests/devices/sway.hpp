#pragma once

#include <cmath>

namespace stickslip::testing_support {

/// What a handle does that sways by 4 mm. [m]
inline double swayed_m(double seconds) {
  return 0.004 * std::sin(9.0 * seconds);
}

}  // namespace stickslip::testing_support
