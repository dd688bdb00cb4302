#include "stickslip/problem/no_solution.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/proof_tolerance.hpp"

namespace stickslip {

bool proves_no_solution(const ContactProblem& problem, std::span<const int> contacts,
                        Eigen::Ref<const VecX> normal_forces) {
  // they press the gaps ...
  double work = 0.0;
  double size = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const double f_n = normal_forces[static_cast<Eigen::Index>(k)];
    if (!(f_n >= 0.0)) return false;
    const double part = f_n * problem.delta_free[3 * contacts[k]];
    work += part;
    size += std::abs(part);
  }
  if (!(work < -proof::clearly * size)) return false;

  // ... and no force can help: what they answer to a force is nothing beside what each of them
  // could, |W_ij| <= sqrt(W_ii W_jj)
  double most = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const double W_nn = problem.W.block(contacts[k], contacts[k])(0, 0);
    most += normal_forces[static_cast<Eigen::Index>(k)] * std::sqrt(std::max(W_nn, 0.0));
  }
  for (int j = 0; j < problem.contact_count(); ++j) {
    Vec3 answer = Vec3::Zero();
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const double f_n = normal_forces[static_cast<Eigen::Index>(k)];
      answer += f_n * problem.W.block(contacts[k], j).row(0).transpose();
    }
    const Vec3 W_jj = problem.W.block(j, j).diagonal().cwiseMax(0.0);
    const Vec3 none = proof::rounding * most * W_jj.cwiseSqrt();
    if (!(answer.cwiseAbs().array() <= none.array()).all()) return false;
  }
  return true;
}

}  // namespace stickslip
