#include "stickslip/haptics/stability/spring_stability.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "stickslip/haptics/stability/sampled_axis.hpp"

namespace stickslip {

double spectral_radius(const SampledSpring& spring) {
  // the state at a tick: x, v, x of the tick before, forces on their way from new to old
  const SampledAxis axis(spring.device.mass + spring.hand.mass,
                         spring.device.damping + spring.hand.damping, spring.hand.stiffness,
                         spring.tick_s, spring.delay_s);
  const Eigen::Index delay = axis.whole_ticks;
  const Eigen::Index forces = delay + 1;
  MatX loop = MatX::Zero(3 + forces, 3 + forces);

  // the force of this tick, and any force of `age` ticks before, as rows on the state
  const double B_over_T = spring.damping / spring.tick_s;
  Eigen::RowVectorXd newest = Eigen::RowVectorXd::Zero(3 + forces);
  newest[0] = -spring.stiffness - B_over_T;
  newest[2] = B_over_T;
  const auto force = [&](Eigen::Index age) -> Eigen::RowVectorXd {
    return age == 0 ? newest : Eigen::RowVectorXd::Unit(3 + forces, 2 + age);
  };

  // within the tick the older force acts first, then the younger
  loop.topLeftCorner<2, 2>() = axis.transition;
  loop.topRows<2>() += axis.older * force(delay + 1);
  loop.topRows<2>() += axis.younger * force(delay);
  loop(2, 0) = 1.0;
  for (Eigen::Index age = 0; age < forces; ++age) loop.row(3 + age) = force(age);
  if (!loop.allFinite()) return std::numeric_limits<double>::infinity();
  return loop.eigenvalues().cwiseAbs().maxCoeff();
}

double largest_stable_stiffness(SampledSpring spring) {
  const auto is_stable = [&](double stiffness) {
    spring.stiffness = stiffness;
    return spectral_radius(spring) < 1.0;
  };
  // from a spring so soft that a swing takes thousands of ticks to the first that is not stable
  const double mass = spring.device.mass + spring.hand.mass;
  double stable = 1e-6 * mass / (spring.tick_s * spring.tick_s);
  if (!is_stable(stable)) return 0.0;
  double unstable = 2.0 * stable;
  while (is_stable(unstable)) {
    stable = unstable;
    unstable *= 2.0;
    if (!(unstable < 1e300)) return std::numeric_limits<double>::infinity();
  }
  // then by halving
  while (unstable - stable > 1e-9 * stable) {
    const double middle = 0.5 * (stable + unstable);
    (is_stable(middle) ? stable : unstable) = middle;
  }
  return stable;
}

double passive_stiffness(double damping, double tick_s, double delay_s) {
  return damping / (0.5 * tick_s + delay_s);
}

}  // namespace stickslip
