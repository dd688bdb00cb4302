#include "stickslip/solver/block_gauss_seidel.hpp"

#include <algorithm>

namespace stickslip {

void BlockGaussSeidel::reserve(const ProblemSize& largest) {
  sweep_.reserve(largest.contacts);
  delta_.reserve(3 * largest.contacts);
}

SolveResult BlockGaussSeidel::find_forces(const ContactProblem& problem,
                                          const SolverOptions& options, VecView f) {
  Budget budget(options);
  const double scale = force_scale(problem, options.criterion);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  sweep_.prepare(problem, options);
  delta_.resize(f.size());

  double error_us = 0.0;
  const auto current_error = [&] {
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    const double error = natural_map_of(problem, f, delta_, scale);
    if (budget.is_limited()) error_us = std::max(error_us, budget.elapsed_us() - start_us);
    return error;
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error,
                          std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };

  sweep_.refresh(f, delta_);
  double error = current_error();
  if (error <= tolerance) return finish(SolveStatus::converged, 0, error);
  for (int sweep = 1; sweep <= options.max_iterations; ++sweep) {
    if (!sweep_.run(f, delta_, budget, 2.0 * error_us)) {
      return finish(SolveStatus::deadline, sweep - 1, current_error());
    }
    error = current_error();
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      sweep_.refresh(f, delta_);
      return finish(SolveStatus::failed, sweep, current_error(), runaway_message);
    }
    if (error <= tolerance) {
      // the updates of delta carry rounding: the last word is a fresh one
      sweep_.refresh(f, delta_);
      error = current_error();
      if (error <= tolerance) return finish(SolveStatus::converged, sweep, error);
    }
  }
  sweep_.refresh(f, delta_);
  return finish(SolveStatus::max_iterations, options.max_iterations, current_error());
}

}  // namespace stickslip
