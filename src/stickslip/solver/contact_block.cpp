#include "stickslip/solver/contact_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// of the tangential diagonal: below the first a Schur complement counts as singular, and it is
// raised to the second
constexpr double singular_share = 1e-8;
constexpr double raised_share = 1e-6;
constexpr int max_root_steps = 100;
// a step of Newton's method smaller than the first, in s, and than the second, in the step before,
// is followed by one below rounding
constexpr double small_step = 1e-8;
constexpr double quadratic_step = 1e-3;
// from a sweep to the next the root is followed, not found: what the last step leaves, about its
// square, the next sweep makes good
constexpr double followed_step = 1e-2;
constexpr int max_followed_steps = 4;

using Vec2 = Eigen::Vector2d;

/// (Eqs. 19, 21) What the slip s of a contact has to meet: the friction |a + s c| is at its limit,
/// mu n(s) with n(s) = n_0 + n_1 s + n_2 s^2. The friction is above it at s = 0.
struct SlipEquation {
  double mu;
  Vec2 a;
  Vec2 c;
  double n_0;
  double n_1;
  double n_2;

  double normal(double s) const { return n_0 + s * (n_1 + s * n_2); }

  /// From a root nearby, by Newton's method on the squares; 0 where that leads away.
  double follow(double s) const {
    for (int step = 0; step < max_followed_steps; ++step) {
      const Vec2 v = a + s * c;
      const double n = normal(s);
      const double limit = mu * mu * n;
      const double half_slope = limit * (n_1 + 2.0 * s * n_2) - c.dot(v);
      const double change = 0.5 * (v.squaredNorm() - limit * n) / half_slope;
      if (!(n > 0.0) || !(std::abs(change) < 0.5 * s)) return 0.0;
      s += change;
      if (std::abs(change) <= followed_step * s) return s;
    }
    return 0.0;
  }

  /// A root of h(s) = mu n(s) - |a + s c|, from a bracket.
  double find() const {
    // |a| + s |c| in place of |a + s c| gives a quadratic below h, whose root bounds that of h
    const double h_0 = mu * n_0 - a.norm();
    const double q_2 = mu * n_2;
    const double q_1 = mu * n_1 - c.norm();
    const double root = std::sqrt(q_1 * q_1 - 4.0 * q_2 * h_0);
    double low = 0.0;
    double high = q_1 > 0.0 ? -2.0 * h_0 / (q_1 + root) : (root - q_1) / (2.0 * q_2);
    double s = high;
    double last_step = s;
    for (int step = 0; step < max_root_steps; ++step) {
      const Vec2 v = a + s * c;
      const double v_size = v.norm();
      const double h = mu * normal(s) - v_size;
      constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
      if (std::abs(h) <= rounding * v_size) break;
      (h < 0.0 ? low : high) = s;
      // Newton, or the middle where that leaves the bracket
      const double slope_times_size = mu * (n_1 + 2.0 * s * n_2) * v_size - c.dot(v);
      double next = s - h * v_size / slope_times_size;
      if (!(next > low && next < high)) next = low + (high - low) / 2.0;
      if (next == s || high - low <= rounding * high) break;
      const double this_step = std::abs(next - s);
      const bool is_exact = this_step <= small_step * s && this_step <= quadratic_step * last_step;
      last_step = this_step;
      s = next;
      if (is_exact) break;
    }
    return s;
  }
};

}  // namespace

ContactBlock::ContactBlock(const Mat3& W_ii, double mu) : A_(W_ii), mu_(mu) {
  can_push_ = W_ii(0, 0) > std::numeric_limits<double>::min();
  if (!can_push_) return;
  A_tn_ = W_ii.block<2, 1>(1, 0);
  g_ = W_ii.block<1, 2>(0, 1).transpose() / W_ii(0, 0);

  // the tangential compliance at constant gap, S = A_tt - A_tn A_nt / A_nn, and the smallest
  // eigenvalue of its symmetric part
  Mat2 S = W_ii.block<2, 2>(1, 1) - A_tn_ * g_.transpose();
  const double mean = (S(0, 0) + S(1, 1)) / 2.0;
  const Vec2 spread((S(0, 0) - S(1, 1)) / 2.0, (S(0, 1) + S(1, 0)) / 2.0);
  const double smallest = mean - spread.norm();
  double size = (std::abs(W_ii(1, 1)) + std::abs(W_ii(2, 2))) / 2.0;
  if (!(size > 0.0)) size = W_ii(0, 0);
  if (!(smallest >= singular_share * size)) {
    const double rise = raised_share * size - smallest;
    A_(1, 1) += rise;
    A_(2, 2) += rise;
    S.diagonal().array() += rise;
  }
  trace_ = S.trace();
  determinant_ = S.determinant();
  inverse_normal_ = 1.0 / W_ii(0, 0);
  inverse_determinant_ = 1.0 / determinant_;
  adjugate_ << S(1, 1), -S(0, 1), -S(1, 0), S(0, 0);
}

Vec3 ContactBlock::solve(const Vec3& b, double& slip) const {
  const double guess = slip;
  slip = 0.0;
  // take-off
  if (b[0] >= 0.0 || !can_push_) return Vec3::Zero();
  const double f_n_alone = -b[0] * inverse_normal_;
  if (mu_ == 0.0) return {f_n_alone, 0.0, 0.0};

  // with (S + s I) f_t = -c: f_t = -(a + s c) / D(s), f_n = n(s) / D(s), D = s^2 + trace s + det
  const Vec2 c = b.tail<2>() + A_tn_ * f_n_alone;
  const Vec2 a = adjugate_ * c;
  const double n_0 = f_n_alone * determinant_ + g_.dot(a);
  const double n_1 = f_n_alone * trace_ + g_.dot(c);

  // stick: s = 0 is inside the cone
  const double limit_0 = mu_ * n_0;
  if (limit_0 >= 0.0 && limit_0 * limit_0 >= a.squaredNorm()) {
    return {n_0 * inverse_determinant_, -a[0] * inverse_determinant_, -a[1] * inverse_determinant_};
  }

  // slip
  const SlipEquation equation{mu_, a, c, n_0, n_1, f_n_alone};
  double s = guess > 0.0 ? equation.follow(guess) : 0.0;
  if (!(s > 0.0)) s = equation.find();
  const Vec2 v = a + s * c;
  const double v_size = v.norm();
  const double n = std::max(0.0, equation.normal(s));
  const double inverse = 1.0 / ((determinant_ + s * (trace_ + s)) * v_size);
  const double f_n = n * v_size * inverse;
  if (!(v_size > 0.0) || !std::isfinite(f_n)) return {f_n_alone, 0.0, 0.0};
  slip = s;
  const double shrink = -mu_ * n * inverse;
  return {f_n, shrink * v[0], shrink * v[1]};
}

}  // namespace stickslip
