#include "stickslip/solver/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void GaussSeidel::reserve(const ProblemSize& largest) {
  order_.reserve(uz(largest.contacts));
  active_.reserve(uz(largest.contacts));
  W_nn_.reserve(largest.contacts);
  Lambda_.reserve(largest.contacts);
  delta_.reserve(3 * largest.contacts);
  squeeze_.reserve(largest.contacts);
  jam_.reserve(largest.contacts);
}

SolveResult GaussSeidel::find_forces(const ContactProblem& problem, const SolverOptions& options,
                                     VecView f) {
  Budget budget(options);
  const double scale = force_scale(problem, options.criterion);
  prepare(problem, options, f);

  const double tolerance = options.tolerance.value_or(settings_.epsilon_2);
  const auto finish = [&](SolveStatus status, int sweeps, double error,
                          std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };
  // after true_error
  const auto is_squeezed = [&] {
    const double slack = allowed_overlap(problem, f, delta_, scale, tolerance);
    return squeeze_.proves_no_solution_of(problem, delta_, slack, budget, sweep_us_);
  };
  const auto is_jammed = [&](bool is_converged) {
    return (!is_converged || may_have_run_away(problem, f, delta_, scale, tolerance)) &&
           jam_.proves_no_solution_of(problem, options.max_iterations, budget, sweep_us_);
  };
  const auto give_up = [&](std::string_view why, int sweeps) {
    return sweep_anew(problem, options, scale, budget, why, f, sweeps);
  };

  int proof_after = auto_policy.search.sweeps_before_proof;
  if (has_dead_overlap(problem)) proof_after = auto_policy.rounds.first_sweeps;
  int sweeps_between_checks = 1;
  int next_check = 1;
  for (int k = 1; k <= options.max_iterations; ++k) {
    Sums sums;
    if (!sweep(problem, options, scale, budget, f, sums)) {
      return finish(SolveStatus::deadline, k - 1, true_error(problem, scale, f));
    }
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      return finish(SolveStatus::failed, k, true_error(problem, scale, f), runaway_message);
    }
    // the true error costs a product with W: looked at when the one met on the way is small
    const double size_squared =
        std::max({sums.squared_force, sums.squared_delta, problem.delta_free.squaredNorm()});
    if (options.progress != nullptr) {
      options.progress->note(k, std::sqrt(sums.squared_map / size_squared));
    }
    const bool is_change_small = !options.tolerance && sums.relative_change < settings_.epsilon_2;
    const bool is_map_small = options.tolerance && k >= next_check &&
                              sums.squared_map <= tolerance * tolerance * size_squared;
    if (!is_change_small && !is_map_small && k != proof_after) continue;
    const double error = true_error(problem, scale, f);
    const bool is_converged = is_change_small || (is_map_small && error <= tolerance);
    if ((is_converged || k == proof_after) && is_squeezed()) return give_up(none_exists_message, k);
    if (is_converged && is_jammed(is_converged)) return give_up(jammed_message, k);
    if (is_converged) return finish(SolveStatus::converged, k, error);
    if (!is_map_small) continue;
    next_check = k + sweeps_between_checks;
    sweeps_between_checks = std::min(2 * sweeps_between_checks, 16);
  }
  const double error = true_error(problem, scale, f);
  const bool is_converged = options.tolerance && error <= tolerance;
  if (is_squeezed()) return give_up(none_exists_message, options.max_iterations);
  if (is_jammed(is_converged)) return give_up(jammed_message, options.max_iterations);
  if (is_converged) return finish(SolveStatus::converged, options.max_iterations, error);
  return finish(SolveStatus::max_iterations, options.max_iterations, error, none_found_message);
}

double GaussSeidel::true_error(const ContactProblem& problem, double scale, const ConstVecView& f) {
  problem.W.multiply(f, delta_);
  delta_ += problem.delta_free;
  return natural_map_of(problem, f, delta_, scale);
}

SolveResult GaussSeidel::sweep_anew(const ContactProblem& problem, const SolverOptions& options,
                                    double scale, Budget& budget, std::string_view why, VecView f,
                                    int sweeps) {
  // without a solution the forces of many sweeps grow without bound
  f.setZero();
  active_.clear();
  for (int k = 0; k < auto_policy.rounds.first_sweeps; ++k) {
    Sums sums;
    if (!sweep(problem, options, scale, budget, f, sums)) break;
  }
  const double error = true_error(problem, scale, f);
  return {SolveStatus::failed, error, sweeps, budget.elapsed_us() * 1e-6, why};
}

void GaussSeidel::prepare(const ContactProblem& problem, const SolverOptions& options, VecView f) {
  const int m = problem.contact_count();
  start_force(problem, options, f);
  fill_order(options, m, order_);
  sweep_us_ = 0.0;

  // Lambda_i: the mean of the two eigenvalues of [W_ii]_tt is half of its trace
  W_nn_.resize(m);
  Lambda_.resize(m);
  delta_.resize(3 * m);
  squeeze_.reserve(m);
  jam_.reserve(m);
  active_.clear();
  active_.reserve(uz(m));
  for (int i = 0; i < m; ++i) {
    const Mat3 W_ii = problem.W.block(i, i);
    W_nn_[i] = W_ii(0, 0);
    Lambda_[i] = (W_ii(1, 1) + W_ii(2, 2)) / 2.0;
    if (!(W_nn_[i] > 0.0)) f.segment<3>(3 * i).setZero();
    if (f.segment<3>(3 * i) != Vec3::Zero()) active_.push_back(i);
  }
}

bool GaussSeidel::sweep(const ContactProblem& problem, const SolverOptions& options, double scale,
                        Budget& budget, VecView f, Sums& sums) {
  const double start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
  for (int visit = 0; visit < problem.contact_count(); ++visit) {
    const int i = order_[uz(visit)];
    if (budget.is_limited() && visit % contacts_per_look == 0) {
      // the error still has to be computed, which takes as long as a sweep
      const double so_far_us = budget.elapsed_us() - start_us;
      if (!budget.look(std::max(sweep_us_, so_far_us))) return false;
    }
    if (!(W_nn_[i] > 0.0)) continue;

    // (Eq. 25) delta_test = delta_i_free + sum over j of W_ij f_j, the newest forces
    Vec3 delta_test = problem.delta_free.segment<3>(3 * i);
    problem.W.add_row(i, f, active_, delta_test);

    const Vec3 f_before = f.segment<3>(3 * i);
    const Vec3 f_i = force_of(i, problem.mu[i], f_before, delta_test);
    f.segment<3>(3 * i) = f_i;
    note_active(i, f_before != Vec3::Zero(), f_i != Vec3::Zero());

    const double change = (f_i - f_before).norm();
    if (change > 0.0) sums.relative_change += change / f_i.norm();
    if (options.tolerance) {
      sums.squared_map += squared_natural_map(scale * f_before, delta_test, problem.mu[i]);
      sums.squared_force += scale * scale * f_before.squaredNorm();
      sums.squared_delta += delta_test.squaredNorm();
    }
  }
  if (budget.is_limited()) sweep_us_ = budget.elapsed_us() - start_us;
  return true;
}

Vec3 GaussSeidel::force_of(int i, double mu, const Vec3& f_before, const Vec3& delta_test) const {
  const double f_n = f_before[0] - delta_test[0] / W_nn_[i];
  if (!(f_n > settings_.epsilon_1)) return Vec3::Zero();
  Vec3 f_i(f_n, 0.0, 0.0);
  if (Lambda_[i] > 0.0) f_i.tail<2>() = f_before.tail<2>() - delta_test.tail<2>() / Lambda_[i];
  const double friction = f_i.tail<2>().norm();
  const double limit = mu * f_n;
  if (friction > limit) f_i.tail<2>() *= limit / friction;
  return f_i;
}

void GaussSeidel::note_active(int i, bool was_active, bool is_active) {
  if (was_active == is_active) return;
  const auto place = std::lower_bound(active_.begin(), active_.end(), i);
  if (is_active) {
    active_.insert(place, i);
  } else {
    active_.erase(place);
  }
}

}  // namespace stickslip
