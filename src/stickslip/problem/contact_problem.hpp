#pragma once

#include <string>

#include "stickslip/math/capacity_vec.hpp"
#include "stickslip/problem/block_matrix.hpp"

namespace stickslip {

/// How large a problem may become.
struct ProblemSize {
  int contacts = 0;
  bool is_dense = true;  ///< W never is block-sparse
};

/// Find f such that with delta = W f + delta_free every contact obeys Signorini's law (Eqs. 6, 7)
/// and Coulomb's. Each has three components: normal, tangent 1, tangent 2. (Eq. 20) W links them
/// all; a contact without friction has mu = 0.
struct ContactProblem {
  BlockMatrix W;           ///< Delassus operator, 3m x 3m [m/N]
  CapacityVec delta_free;  ///< gaps and slips of the free motion, 3m [m]
  CapacityVec mu;          ///< friction coefficient of each contact, m, not negative

  int contact_count() const { return W.contact_count(); }

  void reserve(const ProblemSize& largest);

  /// Sets the number of contacts of delta_free and mu; W has its own ways to it.
  void resize_vectors(int contact_count);
};

/// The sizes of numbers that can be squared and compared: forces and lengths beyond are refused.
inline constexpr double largest_number = 1e100;
inline constexpr double smallest_number = 1e-100;

/// Throws InputError naming `source` when sizes do not fit, a number is not finite or beyond
/// largest_number, all of W or of delta_free is below smallest_number and not zero, or a mu is
/// negative.
void check_contact_problem(const ContactProblem& problem, const std::string& source);

}  // namespace stickslip
