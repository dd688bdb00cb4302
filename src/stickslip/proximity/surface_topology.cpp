#include "stickslip/proximity/surface_topology.hpp"

#include <algorithm>
#include <map>

namespace stickslip {

SurfaceTopology::SurfaceTopology(const Surface& surface, const TrianglePredicate& may_touch)
    : point_count_(surface.point_count()), triangles_(surface.triangles) {
  const std::size_t points = surface.points.size();
  may_touch_.reserve(triangles_.size());
  for (const auto& triangle : triangles_) {
    may_touch_.push_back(!may_touch || may_touch(triangle) ? 1 : 0);
  }

  // edges, in the order in which triangles bring them
  std::map<std::array<int, 2>, int> edge_of_ends;
  triangle_edges_.resize(triangles_.size());
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      std::array<int, 2> ends{triangles_[t][(k + 1) % 3], triangles_[t][(k + 2) % 3]};
      if (ends[0] > ends[1]) std::swap(ends[0], ends[1]);
      const int next = static_cast<int>(edges_.size());
      const auto [place, is_new] = edge_of_ends.try_emplace(ends, next);
      if (!is_new && edges_[uz(place->second)].triangle[1] < 0) {
        edges_[uz(place->second)].triangle[1] = static_cast<int>(t);
      } else {
        place->second = next;
        edges_.push_back({ends, {static_cast<int>(t), -1}});
      }
      triangle_edges_[t][k] = place->second;
    }
  }

  // what meets at a point
  triangle_starts_.assign(points + 1, 0);
  for (const auto& triangle : triangles_) {
    for (const int point : triangle) ++triangle_starts_[uz(point) + 1];
  }
  edge_starts_.assign(points + 1, 0);
  for (const SurfaceEdge& edge : edges_) {
    for (const int point : edge.point) ++edge_starts_[uz(point) + 1];
  }
  for (std::size_t i = 0; i < points; ++i) {
    triangle_starts_[i + 1] += triangle_starts_[i];
    edge_starts_[i + 1] += edge_starts_[i];
  }
  point_triangles_.resize(uz(triangle_starts_.back()));
  std::vector<int> next = triangle_starts_;
  for (std::size_t t = 0; t < triangles_.size(); ++t) {
    for (const int point : triangles_[t]) {
      point_triangles_[uz(next[uz(point)]++)] = static_cast<int>(t);
    }
  }
  point_edges_.resize(uz(edge_starts_.back()));
  point_neighbours_.resize(uz(edge_starts_.back()));
  next = edge_starts_;
  on_border_.assign(points, 0);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    for (std::size_t k = 0; k < 2; ++k) {
      const int point = edges_[e].point[k];
      const int place = next[uz(point)]++;
      point_edges_[uz(place)] = static_cast<int>(e);
      point_neighbours_[uz(place)] = edges_[e].point[1 - k];
      if (edges_[e].triangle[1] < 0) on_border_[uz(point)] = 1;
    }
  }

  // where each feature stands for itself
  const auto first_that_may_touch = [&](std::span<const int> candidates) {
    int first = -1;
    for (const int t : candidates) {
      if (t >= 0 && this->may_touch(t) && (first < 0 || t < first)) first = t;
    }
    return first;
  };
  for (int i = 0; i < point_count_; ++i) {
    triangle_of_point_.push_back(first_that_may_touch(triangles_around(i)));
  }
  for (const SurfaceEdge& edge : edges_) {
    triangle_of_edge_.push_back(first_that_may_touch(edge.triangle));
  }
}

SurfacePoint SurfaceTopology::at_point(int point) const {
  const auto& corners = triangles_[uz(triangle_of_point(point))];
  SurfacePoint place{corners, {0.0, 0.0, 0.0}};
  place.weight[corners[0] == point ? 0 : corners[1] == point ? 1 : 2] = 1.0;
  return place;
}

SurfacePoint SurfaceTopology::at_edge(int edge, double share) const {
  const auto& ends = edges_[uz(edge)].point;
  const auto& corners = triangles_[uz(triangle_of_edge(edge))];
  SurfacePoint place{corners, {0.0, 0.0, 0.0}};
  for (std::size_t k = 0; k < 3; ++k) {
    if (corners[k] == ends[0]) place.weight[k] = 1.0 - share;
    if (corners[k] == ends[1]) place.weight[k] = share;
  }
  return place;
}

}  // namespace stickslip
