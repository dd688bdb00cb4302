#include "stickslip/proximity/surface_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace stickslip {

namespace {

constexpr int leaf_size = 4;

}  // namespace

double rounding_of_boxes(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b) {
  return 4.0 * box_rounding *
         (a_to_b.p.norm() + a.low().norm() + a.high().norm() + b.low().norm() + b.high().norm());
}

void reserve_leaf_pairs(int leaves_1, int leaves_2, std::vector<LeafPair>& pairs) {
  constexpr std::size_t partners_of_leaf = 64;
  constexpr std::size_t small_list = 1U << 17U;
  const std::size_t fewer = uz(std::min(leaves_1, leaves_2));
  const std::size_t more = uz(std::max(leaves_1, leaves_2));
  pairs.reserve(std::min(more * fewer, std::max(small_list, partners_of_leaf * more)));
}

FloatPlacement::FloatPlacement(const Placement& placement) {
  for (int k = 0; k < 3; ++k) {
    column[uz(k)].head<3>() = placement.R.col(k).cast<float>().array();
    column[uz(k)][3] = 0.0F;
  }
  shift.head<3>() = placement.p.cast<float>().array();
  shift[3] = 0.0F;
}

SurfaceTree::SurfaceTree(const SurfaceTopology& topology, std::span<const Vec3> rest_points) {
  // faces that may touch, by their middles
  std::vector<int> faces;
  std::vector<Vec3> centres(topology.triangles().size());
  for (int t = 0; t < static_cast<int>(topology.triangles().size()); ++t) {
    const auto& corners = topology.triangles()[uz(t)];
    centres[uz(t)] =
        (rest_points[uz(corners[0])] + rest_points[uz(corners[1])] + rest_points[uz(corners[2])]) /
        3.0;
    if (topology.may_touch(t)) faces.push_back(t);
  }
  if (faces.empty()) {
    nodes_.push_back({.low = FloatLanes::Constant(1.0F), .high = FloatLanes::Constant(-1.0F)});
    return;
  }
  split(topology, centres, faces, -1);
  is_above_fitted_.resize(nodes_.size());
  fitted_.reserve(nodes_.size());

  // each point and edge belongs to the first leaf that has it
  std::vector<char> point_is_owned(rest_points.size(), 0);
  std::vector<char> edge_is_owned(topology.edges().size(), 0);
  for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf) {
    Leaf& starts = leaves_[leaf];
    starts.point = static_cast<int>(own_points_.size());
    starts.edge = static_cast<int>(own_edges_.size());
    starts.corner = static_cast<int>(corners_.size());
    const int end =
        leaf + 1 < leaves_.size() ? leaves_[leaf + 1].face : static_cast<int>(faces_.size());
    for (int i = starts.face; i < end; ++i) {
      const int t = faces_[uz(i)];
      for (std::size_t k = 0; k < 3; ++k) {
        const int point = topology.triangles()[uz(t)][k];
        const int edge = topology.triangle_edges(t)[k];
        if (std::find(corners_.begin() + starts.corner, corners_.end(), point) == corners_.end()) {
          corners_.push_back(point);
        }
        if (point_is_owned[uz(point)] == 0) own_points_.push_back(point);
        point_is_owned[uz(point)] = 1;
        if (edge_is_owned[uz(edge)] == 0) own_edges_.push_back(edge);
        edge_is_owned[uz(edge)] = 1;
      }
    }
  }
  refit(rest_points);
}

void SurfaceTree::split(const SurfaceTopology& topology, std::span<const Vec3> centres,
                        std::span<int> faces, int parent) {
  const std::size_t node = nodes_.size();
  const std::size_t leaf_count = (faces.size() + leaf_size - 1) / leaf_size;
  nodes_.push_back({.low = FloatLanes::Zero(), .high = FloatLanes::Zero(), .parent = parent});
  if (leaf_count == 1) {
    nodes_[node].leaf = static_cast<int>(leaves_.size());
    leaves_.push_back({static_cast<int>(faces_.size()), 0, 0, 0, static_cast<int>(node)});
    faces_.insert(faces_.end(), faces.begin(), faces.end());
    std::sort(faces_.end() - static_cast<std::ptrdiff_t>(faces.size()), faces_.end());
    return;
  }

  // halves of whole leaves, across the longest side
  Vec3 low = centres[uz(faces.front())];
  Vec3 high = low;
  for (const int t : faces) {
    low = low.cwiseMin(centres[uz(t)]);
    high = high.cwiseMax(centres[uz(t)]);
  }
  Eigen::Index axis = 0;
  (high - low).maxCoeff(&axis);
  const std::size_t half = leaf_count / 2 * leaf_size;
  std::nth_element(faces.begin(), faces.begin() + static_cast<std::ptrdiff_t>(half), faces.end(),
                   [&](int a, int b) {
                     return std::pair(centres[uz(a)][axis], a) < std::pair(centres[uz(b)][axis], b);
                   });
  split(topology, centres, faces.subspan(0, half), static_cast<int>(node));
  nodes_[node].right = static_cast<int>(nodes_.size());
  split(topology, centres, faces.subspan(half), static_cast<int>(node));
}

template <class Point>
void SurfaceTree::fit_leaf(Node& node, const Point& point) {
  const auto corners = part(corners_, node.leaf, &Leaf::corner);
  Vec3 low = point(corners[0]);
  Vec3 high = low;
  for (const int corner : corners) {
    const Vec3& p = point(corner);
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  node.low.head<3>() = low.cast<float>();
  node.high.head<3>() = high.cast<float>();
  node.low[3] = node.high[3] = 0.0F;
  node.low -= box_rounding * node.low.abs();
  node.high += box_rounding * node.high.abs();
  node.fitted_at = moved_;
}

void SurfaceTree::refit(std::span<const Vec3> from, std::span<const Vec3> to) {
  if (leaves_.empty()) return;
  // children stand behind their parents
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    if (node.right != 0) {
      const Node& left = nodes_[i + 1];
      const Node& right = nodes_[uz(node.right)];
      node.low = left.low.min(right.low);
      node.high = left.high.max(right.high);
      node.fitted_at = moved_;
      continue;
    }
    fit_leaf(node, [&](int point) -> const Vec3& { return from[uz(point)]; });
    if (to.data() == from.data()) continue;
    const FloatLanes low = node.low;
    const FloatLanes high = node.high;
    fit_leaf(node, [&](int point) -> const Vec3& { return to[uz(point)]; });
    node.low = node.low.min(low);
    node.high = node.high.max(high);
  }
}

void SurfaceTree::soften(std::span<const float> softness) {
  for (std::size_t i = nodes_.size(); i-- > 0 && !leaves_.empty();) {
    Node& node = nodes_[i];
    if (node.right != 0) {
      node.softness = std::max(nodes_[i + 1].softness, nodes_[uz(node.right)].softness);
      continue;
    }
    for (const int corner : part(corners_, node.leaf, &Leaf::corner)) {
      node.softness = std::max(node.softness, softness[uz(corner)]);
    }
  }
}

bool SurfaceTree::fit(const SurfaceShape& shape, std::span<const LeafPair> pairs,
                      int LeafPair::*side) {
  // each loose leaf once
  fitted_.clear();
  for (const LeafPair& pair : pairs) {
    const int i = leaves_[uz(pair.*side)].node;
    if (!is_loose(nodes_[uz(i)])) continue;
    nodes_[uz(i)].fitted_at = moved_;
    fitted_.push_back(i);
  }
  ask_corners(shape);

  const std::size_t leaf_count = fitted_.size();
  for (std::size_t k = 0; k < leaf_count; ++k) {
    Node& node = nodes_[uz(fitted_[k])];
    fit_leaf(node, [&](int point) -> const Vec3& { return shape.point(point); });
    for (int i = node.parent; i >= 0 && is_above_fitted_[uz(i)] == 0; i = nodes_[uz(i)].parent) {
      is_above_fitted_[uz(i)] = 1;
      fitted_.push_back(i);
    }
  }
  fitted_.erase(fitted_.begin(), fitted_.begin() + static_cast<std::ptrdiff_t>(leaf_count));
  fit_above();
  return leaf_count > 0;
}

void SurfaceTree::ask_corners(const SurfaceShape& shape) const {
  std::array<int, 64> asked{};
  std::size_t count = 0;
  for (const int i : fitted_) {
    const auto corners = part(corners_, nodes_[uz(i)].leaf, &Leaf::corner);
    if (count + corners.size() > asked.size()) {
      shape.ask(std::span(asked).first(count));
      count = 0;
    }
    std::copy(corners.begin(), corners.end(), asked.begin() + static_cast<std::ptrdiff_t>(count));
    count += corners.size();
  }
  shape.ask(std::span(asked).first(count));
}

void SurfaceTree::fit_above() {
  // children stand behind their parents
  std::sort(fitted_.begin(), fitted_.end(), std::greater<>());
  for (const int i : fitted_) {
    Node& node = nodes_[uz(i)];
    const Node& left = nodes_[uz(i) + 1];
    const Node& right = nodes_[uz(node.right)];
    node.low = low_of(left).min(low_of(right));
    node.high = high_of(left).max(high_of(right));
    node.fitted_at = moved_;
    is_above_fitted_[uz(i)] = 0;
  }
}

NearestPlace SurfaceTree::nearest(const SurfaceShape& shape, const Vec3& p, double reach) const {
  NearestPlace best;
  best.on.squared_distance = reach * reach;
  if (leaves_.empty()) return best;
  const Eigen::Array3d place = p.array();
  std::array<int, 64> stack{};
  std::size_t depth = 0;
  stack[depth++] = 0;
  while (depth > 0) {
    const int i = stack[--depth];
    const Node& node = nodes_[uz(i)];
    const Eigen::Array3d off = (node.low.head<3>().cast<double>() - place)
                                   .max(place - node.high.head<3>().cast<double>())
                                   .max(0.0);
    const double loose = static_cast<double>(looseness(node));
    const double squared_reach = loose == 0.0
                                     ? best.on.squared_distance
                                     : std::pow(std::sqrt(best.on.squared_distance) + loose, 2);
    if (off.square().sum() > squared_reach) continue;
    if (node.right != 0) {
      stack[depth++] = node.right;
      stack[depth++] = i + 1;
      continue;
    }
    for (const int t : faces(node.leaf)) {
      const TrianglePoint on = shape.closest(t, p);
      if (on.squared_distance < best.on.squared_distance ||
          (on.squared_distance == best.on.squared_distance &&
           (best.triangle < 0 || t < best.triangle))) {
        best = {t, on};
      }
    }
  }
  return best;
}

/// Whether boxes of two trees are near each other.
class NearBoxes {
 public:
  NearBoxes(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b, double distance)
      : a_(a),
        b_(b),
        move_(a_to_b),
        size_column_{move_.column[0].abs(), move_.column[1].abs(), move_.column[2].abs()},
        reach_(static_cast<float>(distance * (1.0 + 1e-6) + rounding_of_boxes(a, b, a_to_b))) {}

  bool operator()(const SurfaceTree::Node& node_a, const SurfaceTree::Node& node_b) const {
    const FloatLanes centre = 0.5F * (node_a.low + node_a.high);
    const FloatLanes half = 0.5F * (node_a.high - node_a.low);
    const FloatLanes moved = move_.shift + move_.column[0] * centre[0] +
                             move_.column[1] * centre[1] + move_.column[2] * centre[2];
    const float reach = reach_ + a_.looseness(node_a) + b_.looseness(node_b);
    const FloatLanes size =
        size_column_[0] * half[0] + size_column_[1] * half[1] + size_column_[2] * half[2] + reach;
    const FloatLanes margin = (node_b.high - moved).min(moved - node_b.low) + size;
    return (negative_bits(margin) & 7U) == 0;
  }

 private:
  const SurfaceTree& a_;
  const SurfaceTree& b_;
  FloatPlacement move_;
  std::array<FloatLanes, 3> size_column_;
  float reach_;
};

void find_leaf_pairs(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                     double distance, std::vector<LeafPair>& pairs) {
  if (a.leaves_.empty() || b.leaves_.empty()) return;
  const NearBoxes is_near(a, b, a_to_b, distance);

  std::array<LeafPair, 128> stack{};
  std::size_t depth = 0;
  stack[depth++] = {0, 0};
  while (depth > 0) {
    const LeafPair pair = stack[--depth];
    const SurfaceTree::Node& node_a = a.nodes_[uz(pair.a)];
    const SurfaceTree::Node& node_b = b.nodes_[uz(pair.b)];
    if (!is_near(node_a, node_b)) continue;
    if (node_a.right == 0 && node_b.right == 0) {
      pairs.push_back({node_a.leaf, node_b.leaf});
      continue;
    }
    // the larger of the two is opened
    const bool opens_a =
        node_b.right == 0 ||
        (node_a.right != 0 && (node_a.high - node_a.low).sum() >= (node_b.high - node_b.low).sum());
    if (opens_a) {
      stack[depth++] = {node_a.right, pair.b};
      stack[depth++] = {pair.a + 1, pair.b};
    } else {
      stack[depth++] = {pair.a, node_b.right};
      stack[depth++] = {pair.a, pair.b + 1};
    }
  }
}

void keep_near_leaves(const SurfaceTree& a, const SurfaceTree& b, const Placement& a_to_b,
                      double distance, std::vector<LeafPair>& pairs) {
  const NearBoxes is_near(a, b, a_to_b, distance);
  std::erase_if(pairs, [&](const LeafPair& pair) {
    return !is_near(a.nodes_[uz(a.leaves_[uz(pair.a)].node)],
                    b.nodes_[uz(b.leaves_[uz(pair.b)].node)]);
  });
}

}  // namespace stickslip
