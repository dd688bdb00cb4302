#include "stickslip/motion/meeting_features.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/proximity/feature_distance.hpp"

namespace stickslip {

namespace {

// how far outside a feature, as a share of its size, a meeting may seem to lie by rounding
constexpr double border_share = 1e-9;

/// The volume spanned by three vectors that change evenly: a cubic in time.
class SpannedVolume {
 public:
  SpannedVolume(const MovingPoint& a, const MovingPoint& b, const MovingPoint& c)
      // the ends as the motions before and after see them, to the last digit
      : at_start_(a.from.dot(b.from.cross(c.from))), at_end_(a.to.dot(b.to.cross(c.to))) {
    const Vec3 a_1 = a.to - a.from;
    const Vec3 b_1 = b.to - b.from;
    const Vec3 c_1 = c.to - c.from;
    const Vec3 mixed = b_1.cross(c.from) + b.from.cross(c_1);
    const Vec3 last = b_1.cross(c_1);
    coefficient_ = {a_1.dot(b.from.cross(c.from)) + a.from.dot(mixed),
                    a_1.dot(mixed) + a.from.dot(last), a_1.dot(last)};
  }

  double operator()(double t) const {
    if (t <= 0.0) return at_start_;
    if (t >= 1.0) return at_end_;
    return at_start_ + t * (coefficient_[0] + t * (coefficient_[1] + t * coefficient_[2]));
  }

  /// The ends of stretches over which it only falls or only rises: 0, up to two between, 1.
  int monotone_stretches(std::array<double, 4>& ends) const {
    int count = 0;
    ends[uz(count++)] = 0.0;
    const double a = 3.0 * coefficient_[2];
    const double half_b = coefficient_[1];
    const double c = coefficient_[0];
    const double discriminant = half_b * half_b - a * c;
    if (discriminant > 0.0) {
      const double q = -(half_b + std::copysign(std::sqrt(discriminant), half_b));
      std::array<double, 2> turns{a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0};
      std::sort(turns.begin(), turns.end());
      for (const double turn : turns) {
        if (turn > ends[uz(count - 1)] && turn < 1.0) ends[uz(count++)] = turn;
      }
    }
    ends[uz(count)] = 1.0;
    return count;
  }

  /// The last time in a stretch at which it still has the sign that it has at `low`.
  double zero_between(double low, double high) const {
    const bool is_positive = (*this)(high) < 0.0;
    constexpr int halvings = 52;
    for (int k = 0; k < halvings; ++k) {
      const double middle = 0.5 * (low + high);
      const double value = (*this)(middle);
      (is_positive ? value >= 0.0 : value <= 0.0) ? low = middle : high = middle;
    }
    return low;
  }

 private:
  double at_start_;
  double at_end_;
  std::array<double, 3> coefficient_;
};

MovingPoint operator-(const MovingPoint& a, const MovingPoint& b) {
  return {a.from - b.from, a.to - b.to};
}

}  // namespace

std::optional<FeatureMeeting> point_meets_triangle(const MovingPoint& point,
                                                   const std::array<MovingPoint, 3>& triangle) {
  const SpannedVolume height(point - triangle[0], triangle[1] - triangle[0],
                             triangle[2] - triangle[0]);
  std::array<double, 4> ends{};
  const int stretches = height.monotone_stretches(ends);
  for (int k = 0; k < stretches; ++k) {
    if (height(ends[uz(k)]) < 0.0 || height(ends[uz(k + 1)]) >= 0.0) continue;
    const double time = height.zero_between(ends[uz(k)], ends[uz(k + 1)]);
    const Vec3 a = triangle[0].at(time);
    const Vec3 ab = triangle[1].at(time) - a;
    const Vec3 ac = triangle[2].at(time) - a;
    const Vec3 ap = point.at(time) - a;
    const Vec3 normal = ab.cross(ac);
    const double squared = normal.squaredNorm();
    if (squared == 0.0) continue;
    const double weight_1 = ap.cross(ac).dot(normal) / squared;
    const double weight_2 = ab.cross(ap).dot(normal) / squared;
    const double weight_0 = 1.0 - weight_1 - weight_2;
    if (std::min({weight_0, weight_1, weight_2}) < -border_share) continue;
    return FeatureMeeting{time, normal / std::sqrt(squared), {weight_0, weight_1, weight_2}};
  }
  return std::nullopt;
}

std::optional<FeatureMeeting> segments_meet(const std::array<MovingPoint, 2>& one,
                                            const std::array<MovingPoint, 2>& two) {
  const MovingPoint apart = one[0] - two[0];
  const MovingPoint u = one[1] - one[0];
  const MovingPoint v = two[1] - two[0];
  const SpannedVolume volume(apart, u, v);
  std::array<double, 4> ends{};
  const int stretches = volume.monotone_stretches(ends);
  for (int k = 0; k < stretches; ++k) {
    const double before = volume(ends[uz(k)]);
    const double after = volume(ends[uz(k + 1)]);
    if (!((before >= 0.0 && after < 0.0) || (before <= 0.0 && after > 0.0))) continue;
    const double time = volume.zero_between(ends[uz(k)], ends[uz(k + 1)]);
    const Vec3 u_t = u.at(time);
    const Vec3 v_t = v.at(time);
    const Vec3 across = u_t.cross(v_t);
    const double squared = across.squaredNorm();
    if (squared <= parallel_sine * parallel_sine * u_t.squaredNorm() * v_t.squaredNorm()) continue;
    const double share_1 = v_t.cross(apart.at(time)).dot(across) / squared;
    const double share_2 = u_t.cross(apart.at(time)).dot(across) / squared;
    if (std::min({share_1, share_2, 1.0 - share_1, 1.0 - share_2}) < -border_share) continue;
    const double length = after < 0.0 ? std::sqrt(squared) : -std::sqrt(squared);
    return FeatureMeeting{time, across / length, {share_1, share_2, 0.0}};
  }
  return std::nullopt;
}

}  // namespace stickslip
