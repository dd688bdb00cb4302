#include "stickslip/solver/block_gauss_seidel.hpp"

#include <algorithm>

#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

constexpr double default_tolerance = 1e-8;

}  // namespace

SolveResult BlockGaussSeidel::solve(const ContactProblem& problem, const SolverOptions& options,
                                    VecX& f) {
  Budget budget(options.deadline_us);
  const int m = problem.contact_count();
  const double scale = force_scale(problem, options.criterion);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  fill_order(options, m, order_);
  blocks_.resize(uz(m));
  for (int i = 0; i < m; ++i) {
    blocks_[uz(i)] = ContactBlock(problem.W.block(i, i), problem.mu[i]);
  }

  const auto refresh_delta = [&] {
    problem.W.multiply(f, delta_);
    delta_ += problem.delta_free;
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, {}};
  };

  double error_us = 0.0;
  const auto current_error = [&] {
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    const double error = natural_map_of(problem, f, delta_, scale);
    if (budget.is_limited()) error_us = std::max(error_us, budget.elapsed_us() - start_us);
    return error;
  };

  refresh_delta();
  double error = current_error();
  if (error <= tolerance) return finish(SolveStatus::converged, 0, error);

  for (int sweep = 1; sweep <= options.max_iterations; ++sweep) {
    for (int visit = 0; visit < m; ++visit) {
      if (visit % contacts_per_look == 0 && !budget.look(2.0 * error_us)) {
        return finish(SolveStatus::deadline, sweep - 1, current_error());
      }
      const int i = order_[uz(visit)];
      const Vec3 f_before = f.segment<3>(3 * i);
      if (delta_[3 * i] >= 0.0 && f_before == Vec3::Zero()) continue;

      // (Eq. 25) delta_i - A (f_i - f_before) is what the others and the free motion give
      const ContactBlock& block = blocks_[uz(i)];
      const Vec3 b = delta_.segment<3>(3 * i) - block.matrix() * f_before;
      const Vec3 f_i = block.solve(b);
      const Vec3 change = f_i - f_before;
      if (change == Vec3::Zero()) continue;
      f.segment<3>(3 * i) = f_i;
      problem.W.add_column(i, change, delta_);
    }

    error = current_error();
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      SolveResult result =
          finish(SolveStatus::failed, sweep, natural_map_of(problem, f, problem.delta_free, scale));
      result.message = runaway_message;
      return result;
    }
    if (error <= tolerance) {
      // the updates of delta carry rounding: the last word is a fresh one
      refresh_delta();
      error = current_error();
      if (error <= tolerance) return finish(SolveStatus::converged, sweep, error);
    }
  }
  refresh_delta();
  error = current_error();
  return finish(SolveStatus::max_iterations, options.max_iterations, error);
}

}  // namespace stickslip
