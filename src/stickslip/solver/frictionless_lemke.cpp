#include "stickslip/solver/frictionless_lemke.hpp"

#include "stickslip/solver/sweep.hpp"

namespace stickslip {

SolveResult FrictionlessLemke::find_forces(const ContactProblem& problem,
                                           const SolverOptions& options, VecView f) {
  Budget budget(options);
  const int m = problem.contact_count();
  start_force(problem, options, f);
  const bool has_friction = m > 0 && problem.mu.maxCoeff() > 0.0;

  Lemke::Outcome outcome = Lemke::Outcome::ray;
  if (!has_friction && m <= largest_lemke) {
    // (Eq. 18) in lengths: the unknowns are the forces times the mean compliance
    const double w = force_scale(problem, Criterion::rescaled);
    M_.resize(m, m);
    q_.resize(m);
    z_.resize(m);
    for (int j = 0; j < m; ++j) {
      q_[j] = problem.delta_free[3 * j];
      for (int i = 0; i < m; ++i) M_(i, j) = problem.W.block(i, j)(0, 0) / w;
    }
    outcome = lemke_.solve(M_, q_, options.max_iterations, budget, z_);
    if (outcome == Lemke::Outcome::solved) {
      f.setZero();
      for (int i = 0; i < m; ++i) f[3 * i] = z_[i] / w;
    }
  }

  delta_.resize(3 * m);
  SolveResult result = judge_lemke(problem, options, outcome, f, delta_);
  if (m > largest_lemke) result.message = too_large_for_lemke_message;
  if (has_friction) result.message = friction_message;
  result.iterations = has_friction || m > largest_lemke ? 0 : lemke_.pivot_count();
  result.seconds = budget.elapsed_us() * 1e-6;
  return result;
}

}  // namespace stickslip
