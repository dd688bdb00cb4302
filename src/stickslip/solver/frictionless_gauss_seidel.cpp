#include "stickslip/solver/frictionless_gauss_seidel.hpp"

#include <algorithm>

#include "stickslip/solver/auto_policy.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

void FrictionlessGaussSeidel::reserve(const ProblemSize& largest) {
  order_.reserve(uz(largest.contacts));
  W_nn_.reserve(largest.contacts);
  delta_.reserve(3 * largest.contacts);
  squeeze_.reserve(largest.contacts);
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

  squeeze_.reserve(m);

  const auto fresh_error = [&] {
    problem.W.multiply(f, delta_);
    delta_ += problem.delta_free;
    return natural_map_of(problem, f, delta_, scale);
  };
  const auto is_squeezed = [&] {
    const double slack = allowed_overlap(problem, f, delta_, scale, tolerance);
    return squeeze_.proves_no_solution_of(problem, delta_, slack, budget, 0.0);
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error,
                          std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };
  const auto give_up = [&](int sweeps) {
    // without a solution the forces of many sweeps grow without bound
    f.setZero();
    fresh_error();
    for (int k = 0; k < auto_policy.rounds.first_sweeps; ++k) {
      if (!sweep(problem, budget, f)) break;
    }
    return finish(SolveStatus::failed, sweeps, fresh_error(), none_exists_message);
  };

  double error = fresh_error();
  if (m > 0 && problem.mu.maxCoeff() > 0.0) {
    return finish(SolveStatus::failed, 0, error, friction_message);
  }
  int proof_after = auto_policy.search.sweeps_before_proof;
  if (has_dead_overlap(problem)) proof_after = auto_policy.rounds.first_sweeps;
  for (int k = 0;; ++k) {
    if (options.progress != nullptr) options.progress->note(k, error);
    if (error <= tolerance) {
      error = fresh_error();
      // beside forces without bound any error looks small
      if (error <= tolerance && is_squeezed()) return give_up(k);
      if (error <= tolerance) return finish(SolveStatus::converged, k, error);
    }
    if (k == proof_after && is_squeezed()) return give_up(k);
    if (k >= options.max_iterations) break;
    const bool is_whole = sweep(problem, budget, f);
    error = natural_map_of(problem, f, delta_, scale);
    if (!is_whole) return finish(SolveStatus::deadline, k, error);
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      return finish(SolveStatus::failed, k + 1, fresh_error(), runaway_message);
    }
  }
  error = fresh_error();
  if (is_squeezed()) return give_up(options.max_iterations);
  return finish(SolveStatus::max_iterations, options.max_iterations, error, none_found_message);
}

bool FrictionlessGaussSeidel::sweep(const ContactProblem& problem, Budget& budget, VecView f) {
  for (int visit = 0; visit < problem.contact_count(); ++visit) {
    if (visit % contacts_per_look == 0 && !budget.look(0.0)) return false;
    // (Eq. 18) f_n >= 0, delta_n >= 0, one of them zero
    const int i = order_[uz(visit)];
    if (!(W_nn_[i] > 0.0)) continue;
    const double f_n = std::max(0.0, f[3 * i] - delta_[3 * i] / W_nn_[i]);
    const double change = f_n - f[3 * i];
    if (change == 0.0) continue;
    f[3 * i] = f_n;
    problem.W.add_column(i, {change, 0.0, 0.0}, delta_);
  }
  return true;
}

}  // namespace stickslip
