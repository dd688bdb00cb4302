#include "stickslip/solver/squeeze.hpp"

#include <algorithm>

#include "stickslip/problem/no_solution.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void Squeeze::reserve(int contact_count) {
  const int n = std::min(contact_count, auto_policy.search.most_squeezed);
  if (n <= q_.size()) return;
  lemke_.reserve(n);
  M_.resize(Eigen::Index{n} * n);
  q_.resize(n);
  z_.resize(n);
}

bool Squeeze::proves_no_solution_of(const ContactProblem& problem, std::span<const int> contacts,
                                    Budget& budget, double reserve_us) {
  const int n = static_cast<int>(contacts.size());
  const double w = problem.W.mean_diagonal();
  if (n > auto_policy.search.most_squeezed || !(w > 0.0)) return false;
  Eigen::Map<MatX> M(M_.data(), n, n);
  for (int j = 0; j < n; ++j) {
    q_[j] = problem.delta_free[3 * contacts[uz(j)]];
    for (int i = 0; i < n; ++i) {
      M(i, j) = problem.W.block(contacts[uz(i)], contacts[uz(j)])(0, 0) / w;
    }
  }
  if (lemke_.solve(M, q_.head(n), auto_policy.search.pivot_share * n, budget, z_.head(n),
                   reserve_us) != Lemke::Outcome::ray) {
    return false;
  }
  lemke_.read_ray(z_.head(n));
  return proves_no_solution(problem, contacts, z_.head(n));
}

}  // namespace stickslip
