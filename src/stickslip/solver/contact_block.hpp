#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The problem of one contact while the others are frozen (Eq. 25): delta = A f + b with the
/// 3 x 3 block A, Signorini's law and Coulomb's. Solved exactly, for any A with a positive normal
/// entry and a positive definite tangential Schur complement, symmetric or not.
///
/// In slip the friction opposes the slip, delta_t = -s f_t with s > 0, so that f_t is a rational
/// function of s alone; the friction limit is then one equation for s, equivalent to a quartic,
/// with a root between zero and a bound known in closed form.
class ContactBlock {
 public:
  ContactBlock() = default;

  /// A is W_ii, with its tangential diagonal raised where the Schur complement is not safely
  /// positive definite. In sweeps b = delta - A f with this A, so the rise vanishes at rest.
  ContactBlock(const Mat3& W_ii, double mu);

  const Mat3& matrix() const { return A_; }

  /// False where W_nn <= 0: no force of its own opens such a contact, solve() gives none.
  bool can_push() const { return can_push_; }

  /// b: what delta would be without the force of this contact. [m]
  Vec3 solve(const Vec3& b) const {
    double slip = 0.0;
    return solve(b, slip);
  }

  /// `slip` is the s of this contact in an earlier sweep, or 0: the root is looked for from there.
  /// Afterwards the s found, 0 without slip. [m/N]
  Vec3 solve(const Vec3& b, double& slip) const;

 private:
  using Vec2 = Eigen::Vector2d;
  using Mat2 = Eigen::Matrix2d;

  Mat3 A_ = Mat3::Zero();
  double mu_ = 0.0;
  bool can_push_ = false;
  Vec2 A_tn_ = Vec2::Zero();
  Vec2 g_ = Vec2::Zero();  ///< A_nt / A_nn
  Mat2 adjugate_ = Mat2::Zero();
  double trace_ = 0.0;
  double determinant_ = 0.0;
  double inverse_normal_ = 0.0;
  double inverse_determinant_ = 0.0;
};

}  // namespace stickslip
