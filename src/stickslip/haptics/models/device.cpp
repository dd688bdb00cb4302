#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

Vec3 shortened(const Vec3& v, double longest) {
  const double length = v.stableNorm();
  return length > longest ? Vec3(v * (longest / length)) : v;
}

Vec6 within_limits(const Vec6& wrench, const DeviceLimits& limits) {
  if (!wrench.allFinite()) return Vec6::Zero();
  Vec6 limited = Vec6::Zero();
  limited.head<3>() = shortened(wrench.head<3>(), limits.peak_force);
  if (limits.actuated_dofs == 6) {
    limited.tail<3>() = shortened(wrench.tail<3>(), limits.peak_torque);
  }
  return limited;
}

}  // namespace stickslip
