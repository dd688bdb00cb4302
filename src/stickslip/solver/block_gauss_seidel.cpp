#include "stickslip/solver/block_gauss_seidel.hpp"

#include <algorithm>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void BlockGaussSeidel::reserve(const ProblemSize& largest) {
  sweep_.reserve(largest.contacts);
  delta_.reserve(3 * largest.contacts);
  squeeze_.reserve(largest.contacts);
  jam_.reserve(largest.contacts);
}

SolveResult BlockGaussSeidel::find_forces(const ContactProblem& problem,
                                          const SolverOptions& options, VecView f) {
  Budget budget(options);
  const double scale = force_scale(problem, options.criterion);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  sweep_.prepare(problem, options);
  delta_.resize(f.size());
  squeeze_.reserve(problem.contact_count());
  jam_.reserve(problem.contact_count());

  double error_us = 0.0;
  const auto current_error = [&] {
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    const double error = natural_map_of(problem, f, delta_, scale);
    if (budget.is_limited()) error_us = std::max(error_us, budget.elapsed_us() - start_us);
    return error;
  };
  const auto is_squeezed = [&] {
    const double slack = allowed_overlap(problem, f, delta_, scale, tolerance);
    return squeeze_.proves_no_solution_of(problem, delta_, slack, budget, 2.0 * error_us);
  };
  const auto is_jammed = [&](bool is_converged) {
    return (!is_converged || may_have_run_away(problem, f, delta_, scale, tolerance)) &&
           jam_.proves_no_solution_of(problem, options.max_iterations, budget, 2.0 * error_us);
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error,
                          std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };
  const auto give_up = [&](std::string_view why, int sweeps) {
    // without a solution the forces of many sweeps grow without bound
    f.setZero();
    sweep_.refresh(f, delta_);
    for (int k = 0; k < auto_policy.rounds.first_sweeps; ++k) {
      if (!sweep_.run(f, delta_, budget, 2.0 * error_us)) break;
    }
    return finish(SolveStatus::failed, sweeps, current_error(), why);
  };

  sweep_.refresh(f, delta_);
  double error = current_error();
  int proof_after = auto_policy.search.sweeps_before_proof;
  if (has_dead_overlap(problem)) proof_after = auto_policy.rounds.first_sweeps;
  for (int sweep = 0;; ++sweep) {
    if (options.progress != nullptr) options.progress->note(sweep, error);
    if (error <= tolerance) {
      // the updates of delta carry rounding: the last word is a fresh one
      if (sweep > 0) sweep_.refresh(f, delta_);
      error = current_error();
      // and beside forces without bound any error looks small
      const bool is_converged = error <= tolerance;
      if (is_converged && is_squeezed()) return give_up(none_exists_message, sweep);
      if (is_converged && is_jammed(true)) return give_up(jammed_message, sweep);
      if (is_converged) return finish(SolveStatus::converged, sweep, error);
    }
    if (sweep == proof_after && is_squeezed()) return give_up(none_exists_message, sweep);
    if (sweep >= options.max_iterations) break;
    if (!sweep_.run(f, delta_, budget, 2.0 * error_us)) {
      return finish(SolveStatus::deadline, sweep, current_error());
    }
    error = current_error();
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      sweep_.refresh(f, delta_);
      return finish(SolveStatus::failed, sweep + 1, current_error(), runaway_message);
    }
  }
  sweep_.refresh(f, delta_);
  error = current_error();
  if (is_squeezed()) return give_up(none_exists_message, options.max_iterations);
  if (is_jammed(false)) return give_up(jammed_message, options.max_iterations);
  return finish(SolveStatus::max_iterations, options.max_iterations, error, none_found_message);
}

}  // namespace stickslip
