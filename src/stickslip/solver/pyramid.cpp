#include "stickslip/solver/pyramid.hpp"

#include <fmt/core.h>

#include <cmath>
#include <numbers>

#include "stickslip/error.hpp"
#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

Pyramid::Pyramid(int sides) : sides_(sides) {
  if (sides < 4 || sides % 2 != 0) {
    throw InputError(
        fmt::format("a friction pyramid of {} sides: must be even and 4 or more; "
                    "8 is usual",
                    sides));
  }
  // (Eq. 22) the edges of the pyramid are n + mu t_r, with t_r around the circle
  directions_.setZero(3, sides + 1);
  directions_(0, 0) = 1.0;
  for (int r = 1; r <= sides; ++r) {
    const double angle = 2.0 * std::numbers::pi * (r - 1) / sides;
    directions_(1, r) = std::cos(angle);
    directions_(2, r) = std::sin(angle);
  }
}

void Pyramid::build(const ContactProblem& problem, double w) {
  // (Eqs. 23, 24) for each contact f_n, f_t1 .. f_tk and lambda, in lengths: the forces times the
  // mean compliance
  const int m = problem.contact_count();
  const int size = sides_ + 2;
  M_.setZero(m * size, m * size);
  q_.setZero(m * size);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      const Mat3 W_ij = problem.W.block(i, j) / w;
      for (int c = 0; c <= sides_; ++c) {
        const Vec3 column = W_ij * directions_.col(c);
        for (int r = 0; r <= sides_; ++r) {
          M_(i * size + r, j * size + c) = directions_.col(r).dot(column);
        }
      }
    }
    const int lambda = j * size + sides_ + 1;
    M_(lambda, j * size) = problem.mu[j];
    for (int r = 0; r <= sides_; ++r) {
      q_[j * size + r] = directions_.col(r).dot(problem.delta_free.segment<3>(3 * j));
      if (r == 0) continue;
      M_(j * size + r, lambda) = 1.0;
      M_(lambda, j * size + r) = -1.0;
    }
  }
}

SolveResult Pyramid::find_forces(const ContactProblem& problem, const SolverOptions& options,
                                 VecView f) {
  Budget budget(options);
  const int m = problem.contact_count();
  const int size = sides_ + 2;
  start_force(problem, options, f);

  Lemke::Outcome outcome = Lemke::Outcome::ray;
  const bool fits = m <= largest_lemke / size;
  if (fits) {
    const double w = force_scale(problem, Criterion::rescaled);
    build(problem, w);
    z_.resize(q_.size());
    outcome = lemke_.solve(M_, q_, options.max_iterations, budget, z_);
    if (outcome == Lemke::Outcome::solved) {
      for (int i = 0; i < m; ++i) {
        Vec3 f_i = Vec3::Zero();
        for (int r = 0; r <= sides_; ++r) f_i += directions_.col(r) * (z_[i * size + r] / w);
        f.segment<3>(3 * i) = FrictionCone{problem.mu[i]}.limit_friction(f_i);
      }
    }
  }

  delta_.resize(3 * m);
  SolveResult result = judge_lemke(problem, options, outcome, f, delta_);
  if (!fits) result.message = too_large_for_lemke_message;
  result.iterations = fits ? lemke_.pivot_count() : 0;
  result.seconds = budget.elapsed_us() * 1e-6;
  return result;
}

}  // namespace stickslip
