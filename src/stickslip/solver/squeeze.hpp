#pragma once

#include <span>

#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/lemke.hpp"

namespace stickslip {

/// Looks for a proof (certificate) that a problem has no solution: without friction the gaps of
/// some contacts are a linear complementarity problem, and a ray of Lemke's method is a squeeze
/// that no force opens, with or without friction. Allocates only in reserve().
class Squeeze {
 public:
  /// Room for any choice of contacts of a problem with so many.
  void reserve(int contact_count);

  /// Whether these contacts prove it (proves_no_solution). False also where the time, less
  /// `reserve_us`, runs out, and for more than AutoPolicy's number of contacts.
  bool proves_no_solution_of(const ContactProblem& problem, std::span<const int> contacts,
                             Budget& budget, double reserve_us);

 private:
  Lemke lemke_;
  VecX M_;  ///< square, column after column
  VecX q_;
  VecX z_;
};

}  // namespace stickslip
