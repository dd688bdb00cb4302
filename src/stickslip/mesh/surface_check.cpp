#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/mesh/coincident_points.hpp"
#include "stickslip/mesh/findings.hpp"
#include "stickslip/mesh/mesh_check.hpp"

namespace stickslip {

namespace {

/// One side of a triangle; `corner` is where it starts.
struct HalfEdge {
  int low;
  int high;
  std::size_t triangle;
  std::size_t corner;
  bool forward;  ///< runs from low to high
};

std::vector<HalfEdge> sorted_half_edges(const Surface& surface) {
  std::vector<HalfEdge> edges;
  edges.reserve(3 * surface.triangles.size());
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int a = surface.triangles[t][k];
      const int b = surface.triangles[t][(k + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), t, k, a < b});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& p, const HalfEdge& q) {
    return std::array{uz(p.low), uz(p.high), p.triangle} <
           std::array{uz(q.low), uz(q.high), q.triangle};
  });
  return edges;
}

/// The corner of the half edge's triangle that stands on `point`, among all corners.
std::size_t corner_at(const HalfEdge& edge, int point) {
  const bool at_start = edge.forward == (point == edge.low);
  return 3 * edge.triangle + (at_start ? edge.corner : (edge.corner + 1) % 3);
}

bool indices_are_good(const Surface& surface, std::vector<Finding>& findings) {
  Fault bad_index;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (const int point : surface.triangles[t]) {
      if (point >= 0 && point < surface.point_count()) continue;
      bad_index.add(
          fmt::format("triangle {}, point {} of {}", t + 1, point + 1, surface.point_count()));
    }
  }
  bad_index.report(findings, Severity::error, "bad_index", "corner",
                   "on a point that does not exist", "export the surface again");
  return bad_index.count() == 0;
}

bool points_are_finite(const Surface& surface, std::vector<Finding>& findings) {
  Fault not_finite;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    const Vec3& p = surface.points[i];
    if (p.allFinite()) continue;
    not_finite.add(fmt::format("point {} at {} {} {}", i + 1, p.x(), p.y(), p.z()));
  }
  not_finite.report(findings, Severity::error, "not_finite", "point",
                    "with an infinite or undefined coordinate", "export the surface again");
  return not_finite.count() == 0;
}

/// Triangles without a normal.
void check_areas(const Surface& surface, std::vector<Finding>& findings) {
  Fault flat;
  constexpr double flat_quality = 1e-9;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    const double quality =
        triangle_quality(surface.points[uz(a)], surface.points[uz(b)], surface.points[uz(c)]);
    if (quality > flat_quality) continue;
    flat.add(fmt::format("triangle {}, points {} {} {}", t + 1, a + 1, b + 1, c + 1));
  }
  flat.report(findings, Severity::warning, "zero_area_triangle", "triangle",
              "without area, hence without a normal", "remove or repair in a mesh editor");
}

std::vector<bool> used_points(const Surface& surface) {
  std::vector<bool> used(surface.points.size(), false);
  for (const auto& triangle : surface.triangles) {
    for (const int point : triangle) used[uz(point)] = true;
  }
  return used;
}

void check_points(const Surface& surface, const std::vector<bool>& used, double extent,
                  std::vector<Finding>& findings) {
  Fault floating;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) floating.add(fmt::format("point {}", i + 1));
  }
  floating.report(findings, Severity::warning, "floating_node", "point", "that no triangle uses",
                  "harmless; `stickslip mesh convert` leaves it out");
  Fault coincident;
  const std::vector<int> first = first_coincident(surface.points, 1e-7 * extent);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == static_cast<int>(i)) continue;
    coincident.add(fmt::format("points {} and {}", first[i] + 1, i + 1));
  }
  coincident.report(findings, Severity::warning, "duplicate_node", "point",
                    "in the place of another", "merge them (merge by distance in a mesh editor)");
}

void check_edges(const Surface& surface, std::vector<Finding>& findings) {
  std::vector<std::string> names(surface.points.size());
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{}", i + 1);
  const EdgeFaults faults = find_edge_faults(surface, names);
  faults.open.report(findings, Severity::warning, "open_surface", "edge",
                     "of one triangle only: the surface has holes",
                     "close the holes, unless the body is a sheet that is touched from one side");
  faults.crowded.report(findings, Severity::warning, "nonmanifold_surface", "edge",
                        "of three or more triangles", "remove inner walls and double faces");
  faults.pinched.report(findings, Severity::warning, "nonmanifold_point", "point",
                        "where two sheets touch only there", "separate the sheets");
  faults.contradicting.report(findings, Severity::warning, "contradicting_normals", "edge",
                              "between triangles of opposite orientation",
                              "recompute the normals to point outwards");
  const bool closed = faults.open.count() + faults.crowded.count() == 0;
  if (closed && faults.contradicting.count() == 0 && enclosed_volume(surface) < 0.0) {
    findings.push_back({"inside_out", Severity::warning, "all triangles",
                        "the normals point inwards, as of a hollow that holds the other bodies",
                        "flip the normals, unless the body is a container"});
  }
}

void check_parts(const Surface& surface, const std::vector<bool>& used,
                 std::vector<Finding>& findings) {
  DisjointSets parts(surface.points.size());
  for (const auto& [a, b, c] : surface.triangles) {
    parts.join(uz(a), uz(b));
    parts.join(uz(a), uz(c));
  }
  Fault part;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i] && parts.root(i) == i) part.add(fmt::format("point {}", i + 1));
  }
  if (part.count() <= 1) return;
  part.report(findings, Severity::warning, "several_components", "separate part", "in one surface",
              "harmless for a rigid body; else keep one part per file");
}

}  // namespace

EdgeFaults find_edge_faults(const Surface& surface, const std::vector<std::string>& names) {
  EdgeFaults faults;
  const std::vector<HalfEdge> edges = sorted_half_edges(surface);
  DisjointSets fans(3 * surface.triangles.size());
  const auto note = [&](Fault& fault, const HalfEdge& edge) {
    fault.add(fmt::format("edge {} {}", names[uz(edge.low)], names[uz(edge.high)]));
  };
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin;
    while (end < edges.size() && edges[end].low == edges[begin].low &&
           edges[end].high == edges[begin].high) {
      ++end;
    }
    if (end - begin == 1) note(faults.open, edges[begin]);
    if (end - begin > 2) note(faults.crowded, edges[begin]);
    if (end - begin == 2 && edges[begin].forward == edges[begin + 1].forward) {
      note(faults.contradicting, edges[begin]);
    }
    // triangles around a point hang together by their edges
    for (std::size_t i = begin + 1; i < end; ++i) {
      for (const int point : {edges[begin].low, edges[begin].high}) {
        fans.join(corner_at(edges[begin], point), corner_at(edges[i], point));
      }
    }
    begin = end;
  }

  // a point with two fans holds two sheets together
  const std::size_t unset = edges.size();
  std::vector<std::size_t> fan_of(surface.points.size(), unset);
  std::vector<bool> seen(surface.points.size(), false);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto point = uz(surface.triangles[t][k]);
      const std::size_t fan = fans.root(3 * t + k);
      if (fan_of[point] == unset) fan_of[point] = fan;
      if (fan_of[point] != fan && !seen[point]) {
        seen[point] = true;
        faults.pinched.add("at " + names[point]);
      }
    }
  }
  return faults;
}

double triangle_quality(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double edges = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return edges == 0.0 ? 0.0 : 2.0 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / edges;
}

std::vector<Finding> check_surface(const Surface& surface) {
  std::vector<Finding> findings;
  if (surface.triangles.empty()) {
    findings.push_back({"no_elements", Severity::error, "", "the surface has no triangles",
                        "export the surface again"});
    return findings;
  }
  const bool good = indices_are_good(surface, findings);
  if (!points_are_finite(surface, findings) || !good) return findings;
  const std::vector<bool> used = used_points(surface);
  const double extent = largest_extent(surface.points);
  check_areas(surface, findings);
  check_points(surface, used, extent, findings);
  check_edges(surface, findings);
  check_parts(surface, used, findings);
  check_size(extent, findings);
  return findings;
}

}  // namespace stickslip
