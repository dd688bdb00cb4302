#pragma once

#include <span>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// Whether normal forces prove that no force whatever meets the laws (a certificate, after Farkas).
/// They are those of `contacts`, not negative, in any unit, and zero elsewhere. They prove it where
/// no force moves the gaps against them, sum of f_n,i W_i = 0 over the normal rows of W, and they
/// press the free gaps, f_n.delta_free_n < 0: then f_n.delta_n is negative under all forces, and
/// with it some gap. A body squeezed between walls is such a case. Zero means 1e-11 of what the
/// rows could be together, and negative 1e-9 of the sizes of the terms: against the rounding of W
/// the proof holds for forces up to some 1e10 times those that would close the gaps.
///
/// Problems without such a proof may have no solution either.
bool proves_no_solution(const ContactProblem& problem, std::span<const int> contacts,
                        Eigen::Ref<const VecX> normal_forces);

}  // namespace stickslip
