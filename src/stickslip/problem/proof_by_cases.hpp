#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"

namespace stickslip {

/// What a case supposes of a contact, and so of its force f and displacement delta.
struct ContactCase {
  enum class State : unsigned char {
    any,     ///< delta_n >= 0, f in the friction cone
    open,    ///< delta_n >= 0, f = 0
    closed,  ///< delta_n = 0, f in the friction cone
    sticks,  ///< delta = 0, f in the friction cone
    slips    ///< delta_n = 0, delta_t at an angle in [from, to], f_t = -mu f_n that direction
  };
  State state = State::any;
  double from = 0.0;  ///< [rad]
  double to = 0.0;    ///< [rad] less than pi further

  int part_count() const;
  /// The k-th of the cases that together are this one: any = open or closed, closed = sticks or
  /// slips one of four quarters, an angle = one of its halves; no others have parts.
  ContactCase part(int k) const;
};

/// A proof that a contact problem has no solution, friction being what jams it; a body squeezed by
/// normals alone has a shorter one (proves_no_solution).
///
/// Theorem. Let D_i and F_i be closed convex cones that hold all displacements and forces of
/// contact i in its case. If some y has
///   (a) y_i.d >= 0 for all d in D_i,  (b) (W^T y)_i.f <= 0 for all f in F_i,  (c) y.delta_free <
///   0,
/// then no solution lies in the case: it would have 0 <= y.delta = (W^T y).f + y.delta_free < 0.
/// Where cases cover all states of all contacts and each has its y, there is no solution at all.
///
/// Who looks for a proof asks for `supposed()`, and either refutes that case by a y or has it cut
/// in parts. Which cases there are, and that none is forgotten, is decided here, as is whether y
/// refutes; what is given is not trusted. (a) and (b) are met by the exact cones and arcs, up to
/// 1e-11 of |y| and of what the rows of W could be together; (c) is clear, 1e-9 of the sizes of the
/// terms. So the proof holds against the rounding of W, as that of proves_no_solution does.
///
/// Only singular W have such proofs: where some motion opens all cones a solution exists (Acary and
/// Cadoux). Not all problems without a solution have one that is found with few cases.
class ProofByCases {
 public:
  /// Room for so many contacts.
  void reserve(int contact_count);

  /// Begins with the one case in which nothing is supposed.
  void start(const ContactProblem& problem);

  /// One for each contact.
  std::span<const ContactCase> supposed() const { return supposed_; }

  /// Goes on to the next case if y, with 3m entries, refutes the one supposed.
  bool refute(const Eigen::Ref<const VecX>& y);

  /// Whether the case can be cut at this contact.
  bool can_cut(int contact) const;
  /// Goes on to the first of its parts.
  void cut(int contact);

  /// All cases are refuted: there is no solution.
  bool is_complete() const { return is_complete_; }

 private:
  struct Cut {
    int contact;
    int part;
    ContactCase whole;
  };
  bool is_refuted_by(const Eigen::Ref<const VecX>& y) const;
  void next();

  const ContactProblem* problem_ = nullptr;
  std::vector<ContactCase> supposed_;
  std::vector<Cut> cuts_;  ///< that led to what is supposed
  bool is_complete_ = false;
};

}  // namespace stickslip
