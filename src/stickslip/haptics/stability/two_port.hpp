#pragma once

#include <complex>

namespace stickslip {

/// A device and a coupling that is rendered on it once a tick, between two ports: the hand, and the
/// body in the simulation (Adams and Hannaford, 1999).
struct TwoPort {
  double mass = 0.0;     ///< of the device [kg]
  double damping = 0.0;  ///< its own [N s/m]
  double tick_s = 1e-3;
  double stiffness = 0.0;         ///< K of the coupling [N/m]
  double coupling_damping = 0.0;  ///< B [N s/m]
};

/// (force of the hand, -velocity of the body) = h (velocity of the hand, force on the body).
struct HybridMatrix {
  std::complex<double> h11, h12, h21, h22;
};

/// At `angle` radians a tick. Forces and velocities at the hand are means over a tick, so that
/// their product is the energy that passes: a rendered force is held from one reading to the next,
/// hence h12 = 1/z.
HybridMatrix hybrid_matrix(const TwoPort& port, double angle);

/// 2 Re h11 Re h22 - |h12 h21| - Re(h12 h21); negative too where Re h11 or Re h22 is.
double stability_margin(const HybridMatrix& h);

/// Whether it is stable between any passive hand and any passive body: the margin is not negative
/// at any frequency up to half a turn a tick.
bool is_absolutely_stable(const TwoPort& port);

}  // namespace stickslip
