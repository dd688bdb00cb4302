#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "stickslip/mesh/surface.hpp"

namespace stickslip {

/// Whether contact points may lie in a triangle.
using TrianglePredicate = std::function<bool(const std::array<int, 3>&)>;

struct SurfaceEdge {
  std::array<int, 2> point;
  std::array<int, 2> triangle;  ///< the second is -1 on the border of an open surface
};

/// Which features of a surface meet; made once, for whatever shape the surface takes.
class SurfaceTopology {
 public:
  /// Without a predicate every triangle may touch. An edge of more than two triangles is
  /// taken as several edges.
  explicit SurfaceTopology(const Surface& surface, const TrianglePredicate& may_touch = {});

  int point_count() const { return point_count_; }
  const std::vector<std::array<int, 3>>& triangles() const { return triangles_; }
  const std::vector<SurfaceEdge>& edges() const { return edges_; }

  /// The edges of a triangle; the one numbered k lies opposite corner k.
  const std::array<int, 3>& triangle_edges(int triangle) const {
    return triangle_edges_[uz(triangle)];
  }
  bool may_touch(int triangle) const { return may_touch_[uz(triangle)] != 0; }

  std::span<const int> triangles_around(int point) const {
    return around(triangle_starts_, point_triangles_, point);
  }
  /// Edges that end at a point, and their other ends.
  std::span<const int> edges_around(int point) const {
    return around(edge_starts_, point_edges_, point);
  }
  std::span<const int> neighbours(int point) const {
    return around(edge_starts_, point_neighbours_, point);
  }
  bool is_on_border(int point) const { return on_border_[uz(point)] != 0; }

  /// The triangle in which a point or edge stands for itself: the first that may touch, or -1.
  int triangle_of_point(int point) const { return triangle_of_point_[uz(point)]; }
  int triangle_of_edge(int edge) const { return triangle_of_edge_[uz(edge)]; }

  /// A point, or a place on an edge, as it stands in that triangle.
  SurfacePoint at_point(int point) const;
  SurfacePoint at_edge(int edge, double share) const;

 private:
  static std::span<const int> around(const std::vector<int>& starts, const std::vector<int>& items,
                                     int point) {
    const int first = starts[uz(point)];
    return {items.data() + first, uz(starts[uz(point) + 1] - first)};
  }

  int point_count_;
  std::vector<std::array<int, 3>> triangles_;
  std::vector<SurfaceEdge> edges_;
  std::vector<std::array<int, 3>> triangle_edges_;
  std::vector<char> may_touch_;
  std::vector<char> on_border_;
  std::vector<int> triangle_starts_, point_triangles_;
  std::vector<int> edge_starts_, point_edges_, point_neighbours_;
  std::vector<int> triangle_of_point_;
  std::vector<int> triangle_of_edge_;
};

}  // namespace stickslip
