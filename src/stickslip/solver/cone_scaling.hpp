#pragma once

#include "stickslip/math/types.hpp"

namespace stickslip {

// The algebra of the cone v_0 >= |(v_1, v_2)|, which is its own dual: eigenvalues, product and
// scaling, as interior point methods use them.

/// The smaller eigenvalue times the larger one: positive inside the cone, where v_0 > 0.
double cone_determinant(const Vec3& v);

/// a o b = (a b, a_0 b_t + b_0 a_t).
Vec3 cone_product(const Vec3& a, const Vec3& b);

/// The x with a o x = b, for a inside the cone.
Vec3 cone_quotient(const Vec3& a, const Vec3& b);

/// The largest share of `step`, at most `most`, that leaves v, inside the cone, in it.
double reach_in_cone(const Vec3& v, const Vec3& step, double most);

/// The scaling of Nesterov and Todd: the symmetric T with T x = T^-1 y, for x and y inside the
/// cone.
class ConeScaling {
 public:
  ConeScaling() = default;
  ConeScaling(const Vec3& x, const Vec3& y);

  Vec3 apply(const Vec3& v) const;
  Vec3 apply_inverse(const Vec3& v) const;

  /// T^2 = axes diag(squares) axes^T.
  Vec3 squares() const;
  Mat3 axes() const;

 private:
  double size_ = 1.0;                     ///< of T in its middle eigenvalue
  Vec3 direction_ = Vec3(1.0, 0.0, 0.0);  ///< of determinant one
  double tangent_ = 0.0;                  ///< |direction_t|
};

}  // namespace stickslip
