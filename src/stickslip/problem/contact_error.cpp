#include "stickslip/problem/contact_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

VecX displacement(const ContactProblem& problem, const ConstVecView& f) {
  VecX delta(f.size());
  problem.W.multiply(f, delta);
  return delta + problem.delta_free;
}

// the error of forces in the unit `scale` newtons, with displacements in metres
double natural_map(const ContactProblem& problem, const ConstVecView& f, const ConstVecView& delta,
                   double scale) {
  double squared_sum = 0.0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const double mu = problem.mu[i];
    const double normal = f[3 * i] * scale;
    const double first = f[3 * i + 1] * scale;
    const double second = f[3 * i + 2] * scale;
    const double slip = std::hypot(delta[3 * i + 1], delta[3 * i + 2]);

    // the point to project
    const double x_n = normal - delta[3 * i] - mu * slip;
    const double x_1 = first - delta[3 * i + 1];
    const double x_2 = second - delta[3 * i + 2];
    const double x_t = std::hypot(x_1, x_2);

    // its projection on the cone
    double p_n = x_n;
    double p_1 = x_1;
    double p_2 = x_2;
    if (mu * x_t <= -x_n) {
      p_n = p_1 = p_2 = 0.0;
    } else if (x_t > mu * x_n) {
      p_n = (mu * x_t + x_n) / (1.0 + mu * mu);
      p_1 = mu * p_n * x_1 / x_t;
      p_2 = mu * p_n * x_2 / x_t;
    }
    squared_sum += (normal - p_n) * (normal - p_n) + (first - p_1) * (first - p_1) +
                   (second - p_2) * (second - p_2);
  }
  const double size = std::max({problem.delta_free.norm(), f.norm() * scale, delta.norm()});
  return size > 0.0 ? std::sqrt(squared_sum) / size : std::sqrt(squared_sum);
}

}  // namespace

NaturalMapError natural_map_error(const ContactProblem& problem, const ConstVecView& f) {
  const VecX delta = displacement(problem, f);
  const double w = problem.W.mean_diagonal();
  return {natural_map(problem, f, delta, 1.0), natural_map(problem, f, delta, w > 0.0 ? w : 1.0)};
}

double relative_change(const ConstVecView& f, const ConstVecView& f_before) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < f.size(); i += 3) {
    const double change = (f.segment<3>(i) - f_before.segment<3>(i)).norm();
    if (change > 0.0) sum += change / f.segment<3>(i).norm();
  }
  return sum;
}

double gap_percent(const ConstVecView& f, const ConstVecView& f_reference) {
  const double difference = (f - f_reference).norm();
  return difference > 0.0 ? 100.0 * difference / f_reference.norm() : 0.0;
}

LawViolations law_violations(const ContactProblem& problem, const ConstVecView& f) {
  LawViolations worst;
  const VecX delta = displacement(problem, f);
  for (int i = 0; i < problem.contact_count(); ++i) {
    const double f_n = f[3 * i];
    const double delta_n = delta[3 * i];
    const Mat3 W_ii = problem.W.block(i, i);

    // Signorini, law by law
    worst.penetration_m = std::max(worst.penetration_m, -delta_n);
    worst.adhesion_N = std::max(worst.adhesion_N, -f_n);
    worst.force_across_gap_m =
        std::max(worst.force_across_gap_m, std::min(delta_n, W_ii(0, 0) * f_n));

    // Coulomb: the limit, then the direction
    const double limit = problem.mu[i] * std::max(f_n, 0.0);
    const double friction = std::hypot(f[3 * i + 1], f[3 * i + 2]);
    worst.cone_excess_N = std::max(worst.cone_excess_N, friction - limit);
    const double w = (W_ii(1, 1) + W_ii(2, 2)) / 2.0;
    if (w > 0.0) {
      const double wish_1 = f[3 * i + 1] - delta[3 * i + 1] / w;
      const double wish_2 = f[3 * i + 2] - delta[3 * i + 2] / w;
      const double wish = std::hypot(wish_1, wish_2);
      const double shrink = wish > limit ? limit / wish : 1.0;
      worst.unopposed_slip_m =
          std::max(worst.unopposed_slip_m,
                   w * std::hypot(f[3 * i + 1] - shrink * wish_1, f[3 * i + 2] - shrink * wish_2));
    }
  }
  return worst;
}

}  // namespace stickslip
