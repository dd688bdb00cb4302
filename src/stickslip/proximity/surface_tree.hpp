#pragma once

#include <limits>
#include <span>
#include <vector>

#include "stickslip/proximity/lanes.hpp"
#include "stickslip/proximity/surface_shape.hpp"

namespace stickslip {

/// Rotation and shift from the axes of one body to those of another.
struct Placement {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  Vec3 operator()(const Vec3& x) const { return R * x + p; }
  Placement inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

/// The same in single precision.
struct FloatPlacement {
  explicit FloatPlacement(const Placement& placement);

  FloatLanes operator()(const Vec3& x) const {
    return shift + column[0] * static_cast<float>(x[0]) + column[1] * static_cast<float>(x[1]) +
           column[2] * static_cast<float>(x[2]);
  }

  std::array<FloatLanes, 3> column;
  FloatLanes shift;
};

/// Boxes are kept in single precision; they are widened by this share of the coordinates.
constexpr float box_rounding = 4e-7F;

/// A leaf of each of two trees.
struct LeafPair {
  int a;
  int b;
};

/// Makes room for all pairs of leaves of two trees, or as many as there may be where large surfaces
/// lie against each other.
void reserve_leaf_pairs(int leaves_1, int leaves_2, std::vector<LeafPair>& pairs);

/// What is nearest to a point.
struct NearestPlace {
  int triangle = -1;  ///< none within reach
  TrianglePoint on;
};

/// Boxes around the triangles that may touch, four to a leaf, in the axes of the body: a bounding
/// volume hierarchy (BVH), made once over the rest shape and refitted as the body deforms.
///
/// Where bounds are known of how far points have moved since, boxes need not follow: each is taken
/// for larger by what its points may have moved since it was fitted, and only leaves that come near
/// something that way are fitted again.
class SurfaceTree {
 public:
  SurfaceTree(const SurfaceTopology& topology, std::span<const Vec3> rest_points);

  /// Fits the boxes to moved points.
  void refit(std::span<const Vec3> points) { refit(points, points); }
  /// Fits the boxes to points on their way from one place to another.
  void refit(std::span<const Vec3> from, std::span<const Vec3> to);

  /// Each point has moved no farther than its softness, given here once, times `distance`.
  void soften(std::span<const float> softness);
  void loosen(double distance) { moved_ += distance; }
  /// Fits those leaves of pairs that are loose, `side` says which of each pair, and what is above
  /// them. Whether there were any.
  bool fit(const SurfaceShape& shape, std::span<const LeafPair> pairs, int LeafPair::*side);

  bool is_empty() const { return leaves_.empty(); }
  int leaf_count() const { return static_cast<int>(leaves_.size()); }

  /// The box around everything.
  Vec3 low() const { return low_of(nodes_.front()).head<3>().cast<double>(); }
  Vec3 high() const { return high_of(nodes_.front()).head<3>().cast<double>(); }

  /// Each face that may touch, and each point and edge of such a face, has one leaf.
  std::span<const int> faces(int leaf) const { return part(faces_, leaf, &Leaf::face); }
  std::span<const int> own_points(int leaf) const { return part(own_points_, leaf, &Leaf::point); }
  std::span<const int> own_edges(int leaf) const { return part(own_edges_, leaf, &Leaf::edge); }

  /// Whether p is not farther than distance from the box of a leaf that is not loose, along each
  /// axis.
  bool is_near_leaf(int leaf, const FloatLanes& p, float distance) const {
    return is_near_leaf(leaf, p, p, distance);
  }
  /// The same of a box.
  bool is_near_leaf(int leaf, const FloatLanes& low, const FloatLanes& high, float distance) const {
    const Node& node = nodes_[uz(leaves_[uz(leaf)].node)];
    const FloatLanes margin = (high - node.low).min(node.high - low) + distance;
    return (negative_bits(margin) & 7U) == 0;
  }

  /// The triangle nearest to p within reach; the lowest of equals.
  NearestPlace nearest(const SurfaceShape& shape, const Vec3& p, double reach) const;

  friend void find_leaf_pairs(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                              double distance, std::vector<LeafPair>& pairs);
  friend void keep_near_leaves(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                               double distance, std::vector<LeafPair>& pairs);
  friend class NearBoxes;
  friend class BoxDistance;

 private:
  struct Node {
    FloatLanes low, high;
    int right = 0;  ///< the other child; the first follows its parent. 0 for a leaf
    int leaf = 0;
    int parent = -1;
    float softness = 0.0F;   ///< the largest below
    double fitted_at = 0.0;  ///< what moved_ was then
  };
  /// Where the items of a leaf begin; those of the next leaf end them.
  struct Leaf {
    int face, point, edge, corner;
    int node;
  };

  std::span<const int> part(const std::vector<int>& items, int leaf, int Leaf::*start) const {
    const int first = leaves_[uz(leaf)].*start;
    const int end = uz(leaf) + 1 < leaves_.size() ? leaves_[uz(leaf) + 1].*start
                                                  : static_cast<int>(items.size());
    return {items.data() + first, uz(end - first)};
  }
  void split(const SurfaceTopology& topology, std::span<const Vec3> centres, std::span<int> faces,
             int parent);
  bool is_loose(const Node& node) const { return node.fitted_at != moved_; }
  /// By how much a box has to be taken for larger. [m]
  float looseness(const Node& node) const {
    return node.softness * static_cast<float>(moved_ - node.fitted_at) * (1.0F + box_rounding);
  }
  FloatLanes low_of(const Node& node) const { return node.low - looseness(node); }
  FloatLanes high_of(const Node& node) const { return node.high + looseness(node); }
  template <class Point>
  void fit_leaf(Node& node, const Point& point);
  /// The corners of the leaves whose nodes are in fitted_, many together.
  void ask_corners(const SurfaceShape& shape) const;
  void fit_above();

  double moved_ = 0.0;
  std::vector<int> fitted_;  ///< nodes of fitted leaves, then those above them
  std::vector<char> is_above_fitted_;
  std::vector<Node> nodes_;
  std::vector<Leaf> leaves_;
  std::vector<int> faces_;
  std::vector<int> own_points_;
  std::vector<int> own_edges_;
  std::vector<int> corners_;  ///< all points of the leaf's faces, once each
};

/// How far boxes of one that are moved to the axes of the other may be off. [m]
double rounding_of_boxes(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b);

/// Adds to `pairs` all leaves of a and b that may be nearer than distance to each other; a_to_b
/// leads from the axes of a to those of b. Loose leaves are taken for larger.
void find_leaf_pairs(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                     double distance, std::vector<LeafPair>& pairs);

/// Keeps those of the pairs that still may be.
void keep_near_leaves(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                      double distance, std::vector<LeafPair>& pairs);

}  // namespace stickslip
