#include "stickslip/haptics/stability/two_port.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stickslip {

HybridMatrix hybrid_matrix(const TwoPort& port, double angle) {
  const std::complex<double> z = std::polar(1.0, angle);
  const double T = port.tick_s;
  // the device by the trapezoidal rule, which neither takes nor gives energy
  const std::complex<double> device = port.damping + port.mass * (2.0 / T) * (z - 1.0) / (z + 1.0);
  const std::complex<double> coupling = port.coupling_damping + port.stiffness * T * z / (z - 1.0);
  return {device, 1.0 / z, -1.0, 1.0 / coupling};
}

double stability_margin(const HybridMatrix& h) {
  const std::complex<double> through = h.h12 * h.h21;
  const double margin = 2.0 * h.h11.real() * h.h22.real() - std::abs(through) - through.real();
  return std::min({margin, h.h11.real(), h.h22.real()});
}

bool is_absolutely_stable(const TwoPort& port) {
  // fine towards both ends, where the worst frequencies are
  constexpr int frequencies = 400;
  for (int i = 1; i < frequencies; ++i) {
    const double share = 0.5 - 0.5 * std::cos(std::numbers::pi * i / frequencies);
    if (stability_margin(hybrid_matrix(port, std::numbers::pi * share)) < 0.0) return false;
  }
  return true;
}

}  // namespace stickslip
