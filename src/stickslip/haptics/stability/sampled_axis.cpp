#include "stickslip/haptics/stability/sampled_axis.hpp"

#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>

namespace stickslip {

SampledAxis::SampledAxis(double mass, double damping, double stiffness, double tick_s,
                         double delay_s) {
  Mat3 rates = Mat3::Zero();
  rates(0, 1) = 1.0;
  rates.row(1) << -stiffness / mass, -damping / mass, 1.0 / mass;
  // the exponential of [A B; 0 0] holds both the transition and what a force adds
  const double delay_ticks = delay_s / tick_s;
  whole_ticks = static_cast<Eigen::Index>(std::floor(delay_ticks));
  const double split_s = (delay_ticks - std::floor(delay_ticks)) * tick_s;
  const Mat3 first = Mat3(rates * split_s).exp();
  const Mat3 second = Mat3(rates * (tick_s - split_s)).exp();
  transition = second.topLeftCorner<2, 2>() * first.topLeftCorner<2, 2>();
  older = second.topLeftCorner<2, 2>() * first.topRightCorner<2, 1>();
  younger = second.topRightCorner<2, 1>();
}

}  // namespace stickslip
