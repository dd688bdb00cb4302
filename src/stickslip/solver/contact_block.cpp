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
// from a sweep to the next the root is followed, not found: the step after this one is below 1e-12
constexpr double hinted_step = 1e-6;

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

  // (Eqs. 19, 21) slip: h(s) = mu n(s) - |a + s c| = 0, negative at s = 0; |a| + s |c| in place of
  // |a + s c| gives a quadratic below h, whose root bounds that of h from above
  const auto upper_bound = [&] {
    const double h_0 = limit_0 - a.norm();
    const double q_2 = mu_ * f_n_alone;
    const double q_1 = mu_ * n_1 - c.norm();
    const double root = std::sqrt(q_1 * q_1 - 4.0 * q_2 * h_0);
    return q_1 > 0.0 ? -2.0 * h_0 / (q_1 + root) : (root - q_1) / (2.0 * q_2);
  };
  double low = 0.0;
  const bool is_hinted = guess > 0.0;
  bool is_bounded = !is_hinted;
  double high = is_bounded ? upper_bound() : std::numeric_limits<double>::infinity();
  double s = is_bounded ? high : guess;
  double last_step = s;
  for (int step = 0; step < max_root_steps; ++step) {
    const Vec2 v = a + s * c;
    const double v_size = v.norm();
    const double n = n_0 + s * (n_1 + s * f_n_alone);
    const double h = mu_ * n - v_size;
    constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();
    if (std::abs(h) <= rounding * v_size) break;
    (h < 0.0 ? low : high) = s;
    // Newton, or the middle where that leaves the bracket
    const double slope_times_size = mu_ * (n_1 + 2.0 * s * f_n_alone) * v_size - c.dot(v);
    double next = s - h * v_size / slope_times_size;
    if (!is_bounded && !(next > low && next < high && next < 10.0 * guess)) {
      is_bounded = true;
      high = std::min(high, upper_bound());
    }
    if (!(next > low && next < high)) next = low + (high - low) / 2.0;
    if (next == s || (is_bounded && high - low <= rounding * high)) break;
    const double this_step = std::abs(next - s);
    const bool is_exact = this_step <= (is_hinted ? hinted_step : small_step) * s &&
                          this_step <= quadratic_step * last_step;
    last_step = this_step;
    s = next;
    if (is_exact) break;
  }

  const Vec2 v = a + s * c;
  const double v_size = v.norm();
  const double n = std::max(0.0, n_0 + s * (n_1 + s * f_n_alone));
  const double inverse = 1.0 / ((determinant_ + s * (trace_ + s)) * v_size);
  const double f_n = n * v_size * inverse;
  if (!(v_size > 0.0) || !std::isfinite(f_n)) return {f_n_alone, 0.0, 0.0};
  slip = s;
  const double shrink = -mu_ * n * inverse;
  return {f_n, shrink * v[0], shrink * v[1]};
}

}  // namespace stickslip
