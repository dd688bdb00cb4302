#pragma once

#include <span>
#include <vector>

#include "stickslip/math/capacity_vec.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// With a proof: the problem has no solution, whatever the method.
inline constexpr std::string_view none_exists_message =
    "no force can keep these apart: contacts are squeezed that no force opens";
/// Without one.
inline constexpr std::string_view none_found_message =
    "no force was found within the limits that meets the laws; one may exist";

/// Whether a contact overlaps that no force of its own opens, W_nn = 0: a proof is then at hand.
bool has_dead_overlap(const ContactProblem& problem);

/// The overlap that a tolerance leaves under f with delta = W f + delta_free, `scale` being that of
/// the criterion: [m] `tolerance` of the lengths and, unless f hardly opens anything, of f as far
/// as the lengths explain it, |delta_free| / w. Forces beyond, which have run away, excuse nothing.
double allowed_overlap(const ContactProblem& problem, const ConstVecView& f,
                       const ConstVecView& delta, double scale, double tolerance);

/// Whether forces that reach a tolerance may have run away: a contact overlaps by more than it
/// allows (allowed_overlap), or beside the forces it hides a hundredth of delta_free.
bool may_have_run_away(const ContactProblem& problem, const ConstVecView& f,
                       const ConstVecView& delta, double scale, double tolerance);

/// Looks for a proof (Farkas's certificate) that a problem has no solution: pushes y >= 0 along the
/// normals that move nothing, W y = 0, and press the gaps, y.delta_n < 0. They are the y that bring
/// y.W y / w + (y.delta_n + 1)^2 to zero, found by non-negative least squares (Lawson and Hanson):
/// contacts join one after the other, so that costs follow those that the proof needs and not those
/// there are. Any force may have moved the gaps: W y = 0 takes it out again. What is found is told
/// only after proves_no_solution has looked at it. W is taken for symmetric.
///
/// Allocates only in reserve().
class Squeeze {
 public:
  /// Room for problems of so many contacts.
  void reserve(int contact_count);

  /// Whether the problem is proven to have no solution, given delta = W f + delta_free of some
  /// force, the better the force the sooner. Overlaps up to `slack` [m] count as none. False also
  /// where the time, less `reserve_us`, runs out, or the proof needs more than AutoPolicy's number
  /// of contacts.
  bool proves_no_solution_of(const ContactProblem& problem, const ConstVecView& delta, double slack,
                             Budget& budget, double reserve_us);

 private:
  enum class Place : unsigned char { outside, inside, barred };

  bool start(const ContactProblem& problem, const ConstVecView& delta, double slack);
  int most_helpful(const ContactProblem& problem);
  bool join(const ContactProblem& problem, int contact);
  void leave(int place);
  bool factorise_from(int place);
  bool settle();
  void solve(Eigen::Ref<VecX> x) const;
  Eigen::Map<MatX, 0, Eigen::OuterStride<>> matrix(VecX& values) const;
  Eigen::Map<const MatX, 0, Eigen::OuterStride<>> matrix(const VecX& values) const;
  auto pushes() { return y_.head(static_cast<Eigen::Index>(support_.size())); }

  int capacity_ = 0;          ///< of the support
  double w_ = 1.0;            ///< mean compliance
  double left_ = 1.0;         ///< of the least squares; zero where there is a proof
  CapacityVec gap_;           ///< m, over the deepest overlap
  CapacityVec inverse_size_;  ///< m, over the root of its own entry in W_nn / w + gap gap^T
  CapacityVec moved_;         ///< 3m, W y
  std::vector<Place> place_;  ///< of each contact
  std::vector<int> support_;  ///< contacts that push
  VecX gram_;                 ///< W_nn / w + gap gap^T of the support
  VecX factor_;               ///< its Cholesky factor, in the upper half
  VecX y_;                    ///< pushes of the support, as those below
  VecX wish_;
  VecX residual_;
};

}  // namespace stickslip
