#pragma once

#include <span>
#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/contact_block.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// Gauss-Seidel sweeps with each contact's problem solved exactly. delta = W f + delta_free is
/// kept up to date with f, so that a contact whose force does not change costs nothing.
class ExactSweep {
 public:
  void reserve(int contact_count);

  /// The problem, for refresh; it must outlive its use.
  void take(const ContactProblem& problem) { problem_ = &problem; }
  /// Takes the diagonal blocks and the order of visits as well.
  void prepare(const ContactProblem& problem, const SolverOptions& options);

  /// delta = W f + delta_free, afresh.
  void refresh(const ConstVecView& f, VecView delta) const;

  /// Visits every contact once. False when the budget, less `reserve_us`, ran out on the way; f
  /// and delta fit each other even then.
  bool run(VecView f, VecView delta, Budget& budget, double reserve_us);

  /// Sets the force of one contact, and delta with it.
  void set_force(int i, const Vec3& f_i, VecView f, VecView delta) const;

  /// Of every contact.
  std::span<const ContactBlock> blocks() const { return blocks_; }

 private:
  const ContactProblem* problem_ = nullptr;
  std::vector<ContactBlock> blocks_;
  std::vector<int> order_;
  std::vector<double> slip_;  ///< of each contact in its last visit
};

}  // namespace stickslip
