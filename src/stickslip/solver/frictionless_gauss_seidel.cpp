#include "stickslip/solver/frictionless_gauss_seidel.hpp"

#include <algorithm>

#include "stickslip/solver/sweep.hpp"

namespace stickslip {

void FrictionlessGaussSeidel::reserve(const ProblemSize& largest) {
  order_.reserve(uz(largest.contacts));
  W_nn_.reserve(largest.contacts);
  delta_.reserve(3 * largest.contacts);
}

SolveResult FrictionlessGaussSeidel::find_forces(const ContactProblem& problem,
                                                 const SolverOptions& options, VecView f) {
  Budget budget(options);
  const int m = problem.contact_count();
  const double scale = force_scale(problem, options.criterion);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  fill_order(options, m, order_);
  W_nn_.resize(m);
  delta_.resize(3 * m);
  for (int i = 0; i < m; ++i) {
    W_nn_[i] = problem.W.block(i, i)(0, 0);
    if (!(W_nn_[i] > 0.0)) f[3 * i] = 0.0;
  }

  const auto fresh_error = [&] {
    problem.W.multiply(f, delta_);
    delta_ += problem.delta_free;
    return natural_map_of(problem, f, delta_, scale);
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error,
                          std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };
  double error = fresh_error();
  if (m > 0 && problem.mu.maxCoeff() > 0.0) {
    return finish(SolveStatus::failed, 0, error, friction_message);
  }
  if (error <= tolerance) return finish(SolveStatus::converged, 0, error);

  for (int sweep = 1; sweep <= options.max_iterations; ++sweep) {
    for (int visit = 0; visit < m; ++visit) {
      if (visit % contacts_per_look == 0 && !budget.look(0.0)) {
        return finish(SolveStatus::deadline, sweep - 1, natural_map_of(problem, f, delta_, scale));
      }
      // (Eq. 18) f_n >= 0, delta_n >= 0, one of them zero
      const int i = order_[uz(visit)];
      if (!(W_nn_[i] > 0.0)) continue;
      const double f_n = std::max(0.0, f[3 * i] - delta_[3 * i] / W_nn_[i]);
      const double change = f_n - f[3 * i];
      if (change == 0.0) continue;
      f[3 * i] = f_n;
      problem.W.add_column(i, {change, 0.0, 0.0}, delta_);
    }

    error = natural_map_of(problem, f, delta_, scale);
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      return finish(SolveStatus::failed, sweep, fresh_error(), runaway_message);
    }
    if (error <= tolerance) {
      error = fresh_error();
      if (error <= tolerance) return finish(SolveStatus::converged, sweep, error);
    }
  }
  return finish(SolveStatus::max_iterations, options.max_iterations, fresh_error());
}

}  // namespace stickslip
