#include "stickslip/solver/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/solver/sweep.hpp"

namespace stickslip {

SolveResult GaussSeidel::solve(const ContactProblem& problem, const SolverOptions& options,
                               VecX& f) {
  Budget budget(options);
  const int m = problem.contact_count();
  const double scale = force_scale(problem, options.criterion);
  start_force(problem, options, f);
  fill_order(options, m, order_);

  // Lambda_i: the mean of the two eigenvalues of [W_ii]_tt is half of its trace
  W_nn_.resize(m);
  Lambda_.resize(m);
  active_.clear();
  active_.reserve(uz(m));
  for (int i = 0; i < m; ++i) {
    const Mat3 W_ii = problem.W.block(i, i);
    W_nn_[i] = W_ii(0, 0);
    Lambda_[i] = (W_ii(1, 1) + W_ii(2, 2)) / 2.0;
    if (f.segment<3>(3 * i) != Vec3::Zero()) active_.push_back(i);
  }

  const auto true_error = [&] {
    problem.W.multiply(f, delta_);
    delta_ += problem.delta_free;
    return natural_map_of(problem, f, delta_, scale);
  };
  const auto finish = [&](SolveStatus status, int sweeps, double error) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, {}};
  };

  double sweep_us = 0.0;
  int sweeps_between_checks = 1;
  int next_check = 1;
  for (int k = 1; k <= options.max_iterations; ++k) {
    const double sweep_start_us = budget.is_limited() ? budget.elapsed_us() : 0.0;
    double relative_change = 0.0;
    double squared_map = 0.0;
    double squared_force = 0.0;
    double squared_delta = 0.0;

    for (int visit = 0; visit < m; ++visit) {
      const int i = order_[uz(visit)];
      if (budget.is_limited() && visit % contacts_per_look == 0) {
        // the error still has to be computed, which takes as long as a sweep
        const double so_far_us = budget.elapsed_us() - sweep_start_us;
        if (!budget.look(std::max(sweep_us, so_far_us))) {
          return finish(SolveStatus::deadline, k - 1, true_error());
        }
      }

      // (Eq. 25) delta_test = delta_i_free + sum over j of W_ij f_j, the newest forces
      Vec3 delta_test = problem.delta_free.segment<3>(3 * i);
      problem.W.add_row(i, f, active_, delta_test);
      if (!(W_nn_[i] > 0.0)) continue;

      const Vec3 f_before = f.segment<3>(3 * i);
      Vec3 f_i = Vec3::Zero();
      const double f_n = f_before[0] - delta_test[0] / W_nn_[i];
      if (f_n > settings_.epsilon_1) {
        f_i[0] = f_n;
        if (Lambda_[i] > 0.0)
          f_i.tail<2>() = f_before.tail<2>() - delta_test.tail<2>() / Lambda_[i];
        const double friction = f_i.tail<2>().norm();
        const double limit = problem.mu[i] * f_n;
        if (friction > limit) f_i.tail<2>() *= limit / friction;
      }
      f.segment<3>(3 * i) = f_i;

      // a contact enters or leaves the active ones
      const bool was_active = f_before != Vec3::Zero();
      const bool is_active = f_i != Vec3::Zero();
      if (was_active != is_active) {
        const auto place = std::lower_bound(active_.begin(), active_.end(), i);
        is_active ? static_cast<void>(active_.insert(place, i))
                  : static_cast<void>(active_.erase(place));
      }

      const double change = (f_i - f_before).norm();
      if (change > 0.0) relative_change += change / f_i.norm();
      if (options.tolerance) {
        // the error as it is met on the way, each contact before its own change
        squared_map += squared_natural_map(scale * f_before, delta_test, problem.mu[i]);
        squared_force += scale * scale * f_before.squaredNorm();
        squared_delta += delta_test.squaredNorm();
      }
    }
    if (budget.is_limited()) sweep_us = budget.elapsed_us() - sweep_start_us;

    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      SolveResult result = finish(SolveStatus::failed, k, true_error());
      result.message = runaway_message;
      return result;
    }
    if (!options.tolerance) {
      if (relative_change < settings_.epsilon_2) {
        return finish(SolveStatus::converged, k, true_error());
      }
      continue;
    }
    // the true error costs a product with W: looked at when the one met on the way is small
    const double size_squared =
        std::max({squared_force, squared_delta, problem.delta_free.squaredNorm()});
    const double tolerance = *options.tolerance;
    if (squared_map <= tolerance * tolerance * size_squared && k >= next_check) {
      const double error = true_error();
      if (error <= tolerance) return finish(SolveStatus::converged, k, error);
      next_check = k + sweeps_between_checks;
      sweeps_between_checks = std::min(2 * sweeps_between_checks, 16);
    }
  }
  const double error = true_error();
  const bool is_converged = options.tolerance && error <= *options.tolerance;
  return finish(is_converged ? SolveStatus::converged : SolveStatus::max_iterations,
                options.max_iterations, error);
}

}  // namespace stickslip
