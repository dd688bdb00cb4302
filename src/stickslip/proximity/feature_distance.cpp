#include "stickslip/proximity/feature_distance.hpp"

#include <algorithm>

namespace stickslip {

namespace {

TrianglePoint at_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c,
                         const std::array<double, 3>& weight) {
  TrianglePoint nearest{weight[0] * a + weight[1] * b + weight[2] * c, weight, 0.0};
  nearest.squared_distance = (p - nearest.point).squaredNorm();
  return nearest;
}

// of a triangle without area: the best of its sides
TrianglePoint closest_on_sides(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const double ab = closest_on_segment(p, a, b);
  const double bc = closest_on_segment(p, b, c);
  const double ca = closest_on_segment(p, c, a);
  TrianglePoint nearest = at_weights(p, a, b, c, {1.0 - ab, ab, 0.0});
  for (const auto& weight : {std::array{0.0, 1.0 - bc, bc}, std::array{ca, 0.0, 1.0 - ca}}) {
    const TrianglePoint other = at_weights(p, a, b, c, weight);
    if (other.squared_distance < nearest.squared_distance) nearest = other;
  }
  return nearest;
}

}  // namespace

TrianglePoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a;
  const Vec3 ac = c - a;
  const Vec3 ap = p - a;

  // beyond corner a, b or c
  const double d1 = ab.dot(ap);
  const double d2 = ac.dot(ap);
  if (d1 <= 0.0 && d2 <= 0.0) return at_weights(p, a, b, c, {1.0, 0.0, 0.0});
  const Vec3 bp = p - b;
  const double d3 = ab.dot(bp);
  const double d4 = ac.dot(bp);
  if (d3 >= 0.0 && d4 <= d3) return at_weights(p, a, b, c, {0.0, 1.0, 0.0});
  const Vec3 cp = p - c;
  const double d5 = ab.dot(cp);
  const double d6 = ac.dot(cp);
  if (d6 >= 0.0 && d5 <= d6) return at_weights(p, a, b, c, {0.0, 0.0, 1.0});

  // beyond a side, seen from inside the triangle
  const Vec3 normal = ab.cross(ac);
  const double squared_area = normal.squaredNorm();
  const double longest = std::max({ab.squaredNorm(), ac.squaredNorm(), (c - b).squaredNorm()});
  if (squared_area <= 1e-24 * longest * longest) return closest_on_sides(p, a, b, c);
  const double va = normal.dot(bp.cross(cp));
  const double vb = normal.dot(cp.cross(ap));
  const double vc = normal.dot(ap.cross(bp));
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    const double share = std::clamp(d1 / ab.squaredNorm(), 0.0, 1.0);
    return at_weights(p, a, b, c, {1.0 - share, share, 0.0});
  }
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    const double share = std::clamp(d2 / ac.squaredNorm(), 0.0, 1.0);
    return at_weights(p, a, b, c, {1.0 - share, 0.0, share});
  }
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
    const double share = std::clamp((d4 - d3) / (c - b).squaredNorm(), 0.0, 1.0);
    return at_weights(p, a, b, c, {0.0, 1.0 - share, share});
  }
  if (va <= 0.0 || vb <= 0.0 || vc <= 0.0) return closest_on_sides(p, a, b, c);

  // above or below the face
  const double sum = va + vb + vc;
  return at_weights(p, a, b, c, {va / sum, vb / sum, vc / sum});
}

double closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 ab = b - a;
  const double squared_length = ab.squaredNorm();
  if (squared_length == 0.0) return 0.0;
  return std::clamp(ab.dot(p - a) / squared_length, 0.0, 1.0);
}

SegmentPoints closest_on_segments(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a;
  const Vec3 v = d - c;
  const double uu = u.squaredNorm();
  const double vv = v.squaredNorm();
  const auto at = [&](double s, double t, bool is_parallel) {
    return SegmentPoints{s, t, (a + s * u - c - t * v).squaredNorm(), is_parallel};
  };

  // the four ends
  const double t_a = closest_on_segment(a, c, d);
  const double t_b = closest_on_segment(b, c, d);
  const double s_c = closest_on_segment(c, a, b);
  const double s_d = closest_on_segment(d, a, b);
  const Vec3 normal = u.cross(v);
  const bool is_parallel = normal.squaredNorm() <= parallel_sine * parallel_sine * uu * vv;
  SegmentPoints nearest = at(0.0, t_a, is_parallel);
  for (const SegmentPoints& other :
       {at(1.0, t_b, is_parallel), at(s_c, 0.0, is_parallel), at(s_d, 1.0, is_parallel)}) {
    if (other.squared_distance < nearest.squared_distance) nearest = other;
  }

  if (is_parallel) {
    // beside each other: both ends of the stretch are ends of a segment
    const double low = std::min(s_c, s_d);
    const double high = std::max(s_c, s_d);
    if (uu > 0.0 && vv > 0.0 && high > low) {
      const double s = 0.5 * (low + high);
      return at(s, closest_on_segment(a + s * u, c, d), true);
    }
    return nearest;
  }

  // the common perpendicular, where it meets both
  const Vec3 ca = a - c;
  const double s = v.cross(ca).dot(normal) / normal.squaredNorm();
  const double t = u.cross(ca).dot(normal) / normal.squaredNorm();
  if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) {
    const SegmentPoints crossing = at(s, t, false);
    if (crossing.squared_distance < nearest.squared_distance) nearest = crossing;
  }
  return nearest;
}

}  // namespace stickslip
