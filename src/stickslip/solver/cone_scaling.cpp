#include "stickslip/solver/cone_scaling.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

double cone_determinant(const Vec3& v) {
  const double tangent = std::hypot(v[1], v[2]);
  return (v[0] - tangent) * (v[0] + tangent);
}

Vec3 cone_product(const Vec3& a, const Vec3& b) {
  return {a.dot(b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
}

Vec3 cone_quotient(const Vec3& a, const Vec3& b) {
  const double first = (a[0] * b[0] - a[1] * b[1] - a[2] * b[2]) / cone_determinant(a);
  return {first, (b[1] - first * a[1]) / a[0], (b[2] - first * a[2]) / a[0]};
}

double reach_in_cone(const Vec3& v, const Vec3& step, double most) {
  // the first positive root of the determinant, a s^2 + 2 b s + c
  const double a = step[0] * step[0] - step[1] * step[1] - step[2] * step[2];
  const double b = v[0] * step[0] - v[1] * step[1] - v[2] * step[2];
  const double c = cone_determinant(v);
  double share = step[0] < 0.0 ? std::min(most, -v[0] / step[0]) : most;
  const double discriminant = b * b - a * c;
  if (!(discriminant >= 0.0)) return share;
  const double q = b >= 0.0 ? -(b + std::sqrt(discriminant)) : std::sqrt(discriminant) - b;
  for (const double root : {a != 0.0 ? q / a : 0.0, q != 0.0 ? c / q : 0.0}) {
    if (root > 0.0) share = std::min(share, root);
  }
  return share;
}

ConeScaling::ConeScaling(const Vec3& x, const Vec3& y) {
  const double det_x = cone_determinant(x);
  const double det_y = cone_determinant(y);
  const Vec3 x_1 = x / std::sqrt(det_x);
  const Vec3 y_1 = y / std::sqrt(det_y);
  const double twice_cosine = std::sqrt(2.0 * (1.0 + x_1.dot(y_1)));
  size_ = std::sqrt(std::sqrt(det_y / det_x));
  direction_ = Vec3(y_1[0] + x_1[0], y_1[1] - x_1[1], y_1[2] - x_1[2]) / twice_cosine;
  tangent_ = std::hypot(direction_[1], direction_[2]);
}

Vec3 ConeScaling::apply(const Vec3& v) const {
  const Vec3& w = direction_;
  const double along = w[1] * v[1] + w[2] * v[2];
  const double share = v[0] + along / (1.0 + w[0]);
  return size_ * Vec3(w[0] * v[0] + along, v[1] + share * w[1], v[2] + share * w[2]);
}

Vec3 ConeScaling::apply_inverse(const Vec3& v) const {
  const Vec3& w = direction_;
  const double along = w[1] * v[1] + w[2] * v[2];
  const double share = along / (1.0 + w[0]) - v[0];
  return Vec3(w[0] * v[0] - along, v[1] + share * w[1], v[2] + share * w[2]) / size_;
}

Vec3 ConeScaling::squares() const {
  const double larger = (direction_[0] + tangent_) * (direction_[0] + tangent_);
  return size_ * size_ * Vec3(larger, 1.0 / larger, 1.0);
}

Mat3 ConeScaling::axes() const {
  const double u_1 = tangent_ > 0.0 ? direction_[1] / tangent_ : 1.0;
  const double u_2 = tangent_ > 0.0 ? direction_[2] / tangent_ : 0.0;
  const double half = std::sqrt(0.5);
  Mat3 axes;
  axes.col(0) = half * Vec3(1.0, u_1, u_2);
  axes.col(1) = half * Vec3(1.0, -u_1, -u_2);
  axes.col(2) = Vec3(0.0, -u_2, u_1);
  return axes;
}

}  // namespace stickslip
