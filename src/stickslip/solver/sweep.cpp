#include "stickslip/solver/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

#include "stickslip/problem/friction_cone.hpp"

namespace stickslip {

void start_force(const ContactProblem& problem, const SolverOptions& options, VecView f) {
  const int m = problem.contact_count();
  if (!options.warm_start) {
    f.setZero();
    return;
  }
  for (int i = 0; i < m; ++i) {
    auto f_i = f.segment<3>(3 * i);
    if (f_i.allFinite()) {
      f_i = FrictionCone{problem.mu[i]}.project(f_i);
    } else {
      f_i.setZero();
    }
  }
}

void fill_order(const SolverOptions& options, int contact_count, std::vector<int>& order) {
  order.resize(uz(contact_count));
  std::iota(order.begin(), order.end(), 0);
  if (options.order == ContactOrder::reversed) std::reverse(order.begin(), order.end());
  if (options.order == ContactOrder::shuffled) {
    // std::shuffle may differ from one standard library to the next
    std::mt19937 random(options.seed);
    for (std::size_t left = order.size(); left > 1; --left) {
      std::swap(order[left - 1], order[random() % left]);
    }
  }
}

double force_scale(const ContactProblem& problem, Criterion criterion) {
  if (criterion == Criterion::plain) return 1.0;
  const double w = problem.W.mean_diagonal();
  return w > 0.0 ? w : 1.0;
}

double squared_natural_map(const Vec3& f, const Vec3& delta, double mu) {
  Vec3 x = f - delta;
  x[0] -= mu * std::sqrt(delta[1] * delta[1] + delta[2] * delta[2]);
  const double x_t = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  // in this order: without friction the cone is a half-line, and what pulls along it is outside
  if (mu * x_t <= -x[0]) return f.squaredNorm();
  if (x_t <= mu * x[0]) return (f - x).squaredNorm();
  const double p_n = (mu * x_t + x[0]) / (1.0 + mu * mu);
  const double shrink = mu * p_n / x_t;
  return (f - Vec3(p_n, shrink * x[1], shrink * x[2])).squaredNorm();
}

double natural_map_of(const ContactProblem& problem, const ConstVecView& f,
                      const ConstVecView& delta, double scale) {
  double squared_sum = 0.0;
  double squared_f = 0.0;
  double squared_delta = 0.0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Vec3 f_i = scale * f.segment<3>(3 * i);
    const Vec3 delta_i = delta.segment<3>(3 * i);
    squared_sum += squared_natural_map(f_i, delta_i, problem.mu[i]);
    squared_f += f_i.squaredNorm();
    squared_delta += delta_i.squaredNorm();
  }
  const double size =
      std::sqrt(std::max({squared_f, squared_delta, problem.delta_free.squaredNorm()}));
  // numbers whose squares are none: nothing is known
  if (!std::isfinite(size)) return std::numeric_limits<double>::infinity();
  return size > 0.0 ? std::sqrt(squared_sum) / size : std::sqrt(squared_sum);
}

}  // namespace stickslip
