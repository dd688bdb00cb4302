#pragma once

#include "stickslip/haptics/models/operator.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {

/// A spring and damper rendered once a tick on one axis of a device in a hand, without friction
/// and rounding: force_n = -K x_n - B (x_n - x_{n-1}) / T, held for a tick, delay_s late.
struct SampledSpring {
  DeviceAxis device;
  HandAxis hand;
  double tick_s = 1e-3;
  double delay_s = 0.0;
  double stiffness = 0.0;  ///< K
  double damping = 0.0;    ///< B
};

/// The largest size of an eigenvalue of the loop from tick to tick, discretised without error by
/// the exponential of its equations of motion: below 1 all motion dies out, above 1 some grows.
double spectral_radius(const SampledSpring& spring);

/// The largest stable K, to 1e-9 of it; the spring's own is not looked at. 0 where the softest
/// spring is unstable.
double largest_stable_stiffness(SampledSpring spring);

/// b / (T/2 + delay): below it a rendered spring (B = 0) takes no energy out of nothing on a device
/// with damping b of its own, whoever holds it.
double passive_stiffness(double damping, double tick_s, double delay_s);

}  // namespace stickslip
