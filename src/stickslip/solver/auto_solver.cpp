#include "stickslip/solver/auto_solver.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "stickslip/problem/friction_cone.hpp"

namespace stickslip {

namespace {

constexpr double default_tolerance = 1e-8;
constexpr int plain_sweeps = 2;
// how much an extrapolation may raise the error: more daring, then careful again, whenever so many
// sweeps have not halved the best error
constexpr std::array<double, 3> tolerated_growth = {1.2, 3.0, 10.0};
constexpr int patience = 60;
constexpr int sweeps_per_refresh = 4;
constexpr double large_weights = 20.0;

}  // namespace

void AutoSolver::keep_in_cones(const ContactProblem& problem) {
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Vec3 f_i = now_.f.segment<3>(3 * i);
    sweep_.set_force(i, FrictionCone{problem.mu[i]}.project(f_i), now_.f, now_.delta);
  }
}

SolveResult AutoSolver::solve(const ContactProblem& problem, const SolverOptions& options,
                              VecX& f) {
  Budget budget(options.deadline_us);
  const int m = problem.contact_count();
  const double scale = force_scale(problem, options.criterion);
  const double mean_compliance = force_scale(problem, Criterion::rescaled);
  const double tolerance = options.tolerance.value_or(default_tolerance);
  start_force(problem, options, f);
  sweep_.prepare(problem, options);
  anderson_.reset(3 * m, mean_compliance);

  double error_us = 0.0;
  const auto judge = [&] {
    const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    now_.error = natural_map_of(problem, now_.f, now_.delta, scale);
    if (budget.is_limited()) error_us = std::max(error_us, budget.elapsed_us() - start_us);
  };
  double best_error = std::numeric_limits<double>::infinity();
  const auto note_best = [&] {
    if (!(now_.error < best_error) || !now_.f.allFinite()) return;
    best_error = now_.error;
    best_f_ = now_.f;
  };
  const auto finish = [&](SolveStatus status, int sweeps, std::string_view message = {}) {
    f = best_f_;
    return SolveResult{status, best_error, sweeps, budget.elapsed_us() * 1e-6, message};
  };

  now_.f = f;
  best_f_ = f;
  sweep_.refresh(now_.f, now_.delta);
  judge();
  note_best();
  if (now_.error <= tolerance) return finish(SolveStatus::converged, 0);
  anchor_ = now_;

  bool was_extrapolated = false;
  std::size_t daring = 0;
  int milestone_sweep = 0;
  double milestone_error = best_error;
  for (int sweep = 1; sweep <= options.max_iterations; ++sweep) {
    f_before_ = now_.f;
    delta_before_ = now_.delta;
    const bool is_whole = sweep_.run(now_.f, now_.delta, budget, 2.0 * error_us);
    judge();
    if (is_whole && now_.error <= tolerance) {
      // the updates of delta carry rounding: the last word is a fresh one
      sweep_.refresh(now_.f, now_.delta);
      judge();
    }
    note_best();
    if (now_.error <= tolerance) return finish(SolveStatus::converged, sweep);
    if (!is_whole) return finish(SolveStatus::deadline, sweep - 1);

    // no headway: change the daring
    if (best_error <= milestone_error / 2.0) {
      milestone_error = best_error;
      milestone_sweep = sweep;
    } else if (sweep - milestone_sweep >= patience) {
      milestone_sweep = sweep;
      daring = (daring + 1) % tolerated_growth.size();
    }
    if (was_extrapolated && !(now_.error <= tolerated_growth[daring] * anchor_.error)) {
      // the extrapolation did harm: back to where it started, and none of its history
      now_ = anchor_;
      anderson_.reset(3 * m, mean_compliance);
      was_extrapolated = false;
      continue;
    }
    if (!(now_.f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      return finish(SolveStatus::failed, sweep, runaway_message);
    }
    anchor_ = now_;
    if (sweep <= plain_sweeps) continue;
    const double weights = anderson_.extrapolate(f_before_, delta_before_, now_.f, now_.delta);
    was_extrapolated = weights > 0.0;
    if (was_extrapolated) keep_in_cones(problem);
    if (weights > large_weights || sweep % sweeps_per_refresh == 0) {
      // extrapolation magnifies the rounding of delta
      sweep_.refresh(now_.f, now_.delta);
    }
  }

  // the last word is a fresh one here too
  now_.f = best_f_;
  sweep_.refresh(now_.f, now_.delta);
  judge();
  best_error = now_.error;
  return finish(SolveStatus::max_iterations, options.max_iterations);
}

}  // namespace stickslip
