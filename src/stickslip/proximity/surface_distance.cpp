#include "stickslip/proximity/surface_distance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/proximity/box_distance.hpp"
#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/proximity/leaf_shape.hpp"

namespace stickslip {

namespace {

using Triangle = std::array<Vec3, 3>;

/// The triangles of a leaf, in the axes of the second body.
struct Leaf {
  Leaf(const FittedSurface& surface, const Placement& move, int leaf) {
    for (const int t : surface.tree.faces(leaf)) {
      const auto& corner = surface.topology.triangles()[uz(t)];
      for (std::size_t k = 0; k < 3; ++k) {
        triangle[count][k] = move(surface.points[uz(corner[k])]);
      }
      ++count;
    }
  }
  std::span<const Triangle> all() const { return {triangle.data(), count}; }

  std::array<Triangle, LeafShape::max_faces> triangle;
  std::size_t count = 0;
};

/// Square to triangles, on the whole.
Vec3 normal(std::span<const Triangle> triangles) {
  Vec3 sum = Vec3::Zero();
  for (const auto& [a, b, c] : triangles) sum += (b - a).cross(c - a);
  return sum.stableNormalized();
}

/// The width of what lies between triangles along a direction; negative where nothing does.
double between_along(const Vec3& direction, std::span<const Triangle> one,
                     std::span<const Triangle> two) {
  const auto extent = [&](std::span<const Triangle> triangles) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const Triangle& triangle : triangles) {
      for (const Vec3& corner : triangle) {
        const double along = direction.dot(corner);
        low = std::min(low, along);
        high = std::max(high, along);
      }
    }
    return std::pair(low, high);
  };
  const auto [low_1, high_1] = extent(one);
  const auto [low_2, high_2] = extent(two);
  return std::max(low_1 - high_2, low_2 - high_1);
}

/// A width between triangles, by planes along the ones or the others: the first that is wide
/// enough, if one is.
double between(std::span<const Triangle> one, std::span<const Triangle> two, double wanted) {
  const double along_two = between_along(normal(two), one, two);
  return along_two > wanted ? along_two : between_along(normal(one), one, two);
}

bool segment_cuts_triangle(const Vec3& p, const Vec3& q, const Triangle& corner) {
  const auto& [a, b, c] = corner;
  const Vec3 n = (b - a).cross(c - a);
  const double from = n.dot(p - a);
  const double to = n.dot(q - a);
  if (from * to > 0.0 || from == to) return false;
  const Vec3 x = p + from / (from - to) * (q - p);
  return n.dot((b - a).cross(x - a)) >= 0.0 && n.dot((c - b).cross(x - b)) >= 0.0 &&
         n.dot((a - c).cross(x - c)) >= 0.0;
}

double distance(const Triangle& one, const Triangle& two) {
  double squared = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3& a = one[i];
    const Vec3& b = one[(i + 1) % 3];
    if (segment_cuts_triangle(a, b, two) || segment_cuts_triangle(two[i], two[(i + 1) % 3], one)) {
      return 0.0;
    }
    squared = std::min({squared, closest_on_triangle(a, two[0], two[1], two[2]).squared_distance,
                        closest_on_triangle(two[i], one[0], one[1], one[2]).squared_distance});
    for (std::size_t k = 0; k < 3; ++k) {
      squared =
          std::min(squared, closest_on_segments(a, b, two[k], two[(k + 1) % 3]).squared_distance);
    }
  }
  return std::sqrt(squared);
}

}  // namespace

double SurfaceDistance::measure(const FittedSurface& one, const FittedSurface& two,
                                const Placement& to_2, double wanted, double reach) {
  leaves_.clear();
  find_leaf_pairs(one.tree, two.tree, to_2, reach, leaves_);
  const BoxDistance boxes(one.tree, two.tree, to_2);
  double nearest = reach;
  for (const LeafPair& pair : leaves_) {
    const double apart = boxes.of_leaves(pair);
    if (apart >= nearest || apart > wanted) {
      nearest = std::min(nearest, apart);
      continue;
    }
    const Leaf leaf_1(one, to_2, pair.a);
    const Leaf leaf_2(two, {}, pair.b);
    const double leaves = between(leaf_1.all(), leaf_2.all(), wanted);
    if (leaves > wanted) {
      nearest = std::min(nearest, leaves);
      continue;
    }
    for (const Triangle& first : leaf_1.all()) {
      for (const Triangle& second : leaf_2.all()) {
        const double planes = between({&first, 1}, {&second, 1}, wanted);
        nearest = std::min(nearest, planes > wanted ? planes : distance(first, second));
      }
    }
  }
  return nearest;
}

}  // namespace stickslip
