#include "stickslip/haptics/spring_stability.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/MatrixFunctions>

namespace stickslip {

namespace {

using Mat2 = Eigen::Matrix2d;
using Vec2 = Eigen::Vector2d;

/// (x, v) after a while: transition (x, v) + input force.
struct Discretised {
  Mat2 transition;
  Vec2 input;
};

/// By the exponential of [A B; 0 0], which holds both.
Discretised discretise(const SampledSpring& spring, double duration) {
  const double mass = spring.device.mass + spring.hand.mass;
  Mat3 rates = Mat3::Zero();
  rates(0, 1) = 1.0;
  rates.row(1) << -spring.hand.stiffness / mass,
      -(spring.device.damping + spring.hand.damping) / mass, 1.0 / mass;
  const Mat3 exponential = Mat3(rates * duration).exp();
  return {exponential.topLeftCorner<2, 2>(), exponential.topRightCorner<2, 1>()};
}

}  // namespace

double spectral_radius(const SampledSpring& spring) {
  // the state at a tick: x, v, x of the tick before, forces on their way from new to old
  const double delay_ticks = spring.delay_s / spring.tick_s;
  const double whole_ticks = std::floor(delay_ticks);
  const double split_s = (delay_ticks - whole_ticks) * spring.tick_s;
  const auto delay = static_cast<Eigen::Index>(whole_ticks);
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
  const Discretised first = discretise(spring, split_s);
  const Discretised second = discretise(spring, spring.tick_s - split_s);
  loop.topLeftCorner<2, 2>() = second.transition * first.transition;
  loop.topRows<2>() += second.transition * first.input * force(delay + 1);
  loop.topRows<2>() += second.input * force(delay);
  loop(2, 0) = 1.0;
  for (Eigen::Index age = 0; age < forces; ++age) loop.row(3 + age) = force(age);
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
