#include "stickslip/proximity/vertex_contacts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace stickslip {

namespace {

// weights below this are on the border of the triangle
constexpr double border_weight = 1e-9;
// cosine above which two normals are one
constexpr double same_normal = 0.9999;

// the corner of a triangle where a border place lies, or the edge, or neither
struct Feature {
  int corner = -1;
  int edge = -1;
};

Feature feature_of(const SurfaceTopology& topology, int triangle,
                   const std::array<double, 3>& weight) {
  int zeros = 0;
  std::size_t zero = 0;
  std::size_t largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (weight[k] <= border_weight) {
      ++zeros;
      zero = k;
    }
    if (weight[k] > weight[largest]) largest = k;
  }
  if (zeros >= 2) return {topology.triangles()[uz(triangle)][largest], -1};
  if (zeros == 1) return {-1, topology.triangle_edges(triangle)[zero]};
  return {};
}

// whether a triangle around the feature is nearer to p; the lower index wins among equals, so
// that at least one of them stays
bool has_nearer_neighbour(const SurfaceShape& surface, int triangle, const TrianglePoint& on,
                          const Vec3& p) {
  const SurfaceTopology& topology = surface.topology();
  const auto is_nearer = [&](int other) {
    if (other < 0 || other == triangle) return false;
    const double squared = surface.closest(other, p).squared_distance;
    return squared < on.squared_distance || (squared == on.squared_distance && other < triangle);
  };
  const auto& corners = topology.triangles()[uz(triangle)];
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] == 1.0) {
      const auto around = topology.triangles_around(corners[k]);
      return std::any_of(around.begin(), around.end(), is_nearer);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (on.weight[k] != 0.0) continue;
    const auto& both = topology.edges()[uz(topology.triangle_edges(triangle)[k])].triangle;
    return is_nearer(both[0]) || is_nearer(both[1]);
  }
  return false;
}

// whether p lies outside a triangle only across concave edges, and behind the faces there
bool is_under_valley(const SurfaceShape& surface, int triangle, const Vec3& normal, const Vec3& p,
                     double max_depth) {
  const SurfaceTopology& topology = surface.topology();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3& a = surface.corner(triangle, (k + 1) % 3);
    const Vec3& b = surface.corner(triangle, (k + 2) % 3);
    if (normal.cross(b - a).dot(p - a) >= 0.0) continue;
    const auto& both = topology.edges()[uz(topology.triangle_edges(triangle)[k])].triangle;
    const int other = both[0] == triangle ? both[1] : both[0];
    if (other < 0) return false;
    const Vec3& other_normal = surface.face_normal(other);
    const double height = other_normal.dot(p - a);
    const bool is_concave = other_normal.dot(surface.corner(triangle, k) - a) > 0.0;
    if (!is_concave || height > 0.0 || height < -max_depth) return false;
  }
  return true;
}

// the direction in which the surface looks at a place on its border features
Vec3 outward_at(const SurfaceShape& surface, int triangle, const Feature& feature) {
  if (feature.corner >= 0) return surface.point_normal(feature.corner).normalized();
  if (feature.edge >= 0) return surface.edge(feature.edge).outward;
  return surface.face_normal(triangle);
}

}  // namespace

void VertexSearch::test(const SurfaceShape& surface, const SurfaceTree& tree, int leaf,
                        const LeafShape& packed, int vertex, const Vec3& p,
                        const ContactLimits& limits) {
  const SurfaceTopology& topology = surface.topology();

  // faces over or under which it lies
  const auto faces = tree.faces(leaf);
  unsigned found = faces_along_normal(packed, p, limits.alarm_distance, limits.max_depth) &
                   ((1U << faces.size()) - 1U);
  for (; found != 0; found &= found - 1) {
    test_triangle(surface, vertex, p, faces[uz(std::countr_zero(found))], limits);
  }

  // edges that are nearer than what is beside them; the nearer of two triangles stands for both
  const auto nearest_of = [&](std::span<const int> triangles) {
    int nearest = -1;
    double least = std::numeric_limits<double>::max();
    for (const int t : triangles) {
      if (t < 0) continue;
      const double squared = surface.closest(t, p).squared_distance;
      if (squared < least || (squared == least && t < nearest)) {
        least = squared;
        nearest = t;
      }
    }
    return nearest >= 0 && topology.may_touch(nearest) ? nearest : -1;
  };
  const auto edges = tree.own_edges(leaf);
  found = edges_nearest(packed, p, limits.reach(), limits.touching);
  for (; found != 0; found &= found - 1) {
    const SurfaceEdge& edge = topology.edges()[uz(edges[uz(std::countr_zero(found))])];
    const int triangle = nearest_of(edge.triangle);
    if (triangle >= 0) test_triangle(surface, vertex, p, triangle, limits);
  }

  // valleys under which it lies
  for (int i = 0; i < packed.concave_count; ++i) {
    const int e = packed.concave[uz(i)];
    const EdgeShape& shape = surface.edge(e);
    const Vec3 d = p - shape.start;
    for (std::size_t side = 0; side < 2; ++side) {
      const int triangle = topology.edges()[uz(e)].triangle[side];
      if (d.dot(shape.inward[side]) <= limits.touching && d.dot(shape.normal[1 - side]) <= 0.0 &&
          topology.may_touch(triangle)) {
        test_triangle(surface, vertex, p, triangle, limits);
      }
    }
  }

  // corners that are nearer than all around them
  const double squared_reach = limits.reach() * limits.reach();
  for (const int corner : tree.own_points(leaf)) {
    const Vec3 d = p - surface.point(corner);
    if (d.squaredNorm() > squared_reach) continue;
    const auto neighbours = topology.neighbours(corner);
    const bool is_nearest = std::all_of(neighbours.begin(), neighbours.end(), [&](int neighbour) {
      const Vec3 edge = surface.point(neighbour) - surface.point(corner);
      const double product = edge.dot(d);
      return product <= 0.0 ||
             product * product <= limits.touching * limits.touching * edge.squaredNorm();
    });
    if (!is_nearest) continue;
    const int triangle = nearest_of(topology.triangles_around(corner));
    if (triangle >= 0) test_triangle(surface, vertex, p, triangle, limits);
  }
}

void VertexSearch::test_triangle(const SurfaceShape& surface, int vertex, const Vec3& p,
                                 int triangle, const ContactLimits& limits) {
  const FaceShape& face = surface.face(triangle);
  Hit hit{vertex, triangle, {}, Vec3::Zero(), 0.0, face.normal, 0.0, false, false, false};

  // well inside the face, or else to be looked at closely
  const Vec3 d = p - face.corner;
  const double weight_1 = d.dot(face.slope[0]);
  const double weight_2 = d.dot(face.slope[1]);
  const double weight_0 = 1.0 - weight_1 - weight_2;
  if (std::min({weight_0, weight_1, weight_2}) > 1e-6) {
    hit.height = d.dot(face.normal);
    hit.offset = hit.height * face.normal;
    hit.distance = std::abs(hit.height);
    hit.on = {p - hit.offset, {weight_0, weight_1, weight_2}, hit.height * hit.height};
    hit.is_above = hit.is_minimum = true;
    if (hit.distance <= limits.reach()) hits_.push_back(hit);
    return;
  }
  hit.on = surface.closest(triangle, p);
  if (hit.on.squared_distance > limits.reach() * limits.reach()) return;
  const int corners = hit.on.corners();
  hit.offset = p - hit.on.point;
  hit.distance = std::sqrt(hit.on.squared_distance);
  hit.height = hit.offset.dot(hit.normal);
  const double beside_squared = (hit.offset - hit.height * hit.normal).squaredNorm();
  const bool has_area = !hit.normal.isZero(0.0);
  hit.is_above = has_area && (corners == 7 || beside_squared <= limits.touching * limits.touching);
  hit.is_minimum = corners == 7 || !has_nearer_neighbour(surface, triangle, hit.on, p);
  if (!hit.is_above && has_area) {
    hit.is_under_valley = is_under_valley(surface, triangle, hit.normal, p, limits.max_depth);
  }
  if (hit.is_minimum || hit.is_above || hit.is_under_valley) hits_.push_back(hit);
}

void VertexSearch::finish(const SurfaceShape& surface, const SurfaceShape& vertices,
                          const Mat3& turn, const ContactLimits& limits,
                          std::vector<VertexContact>& contacts) {
  std::sort(hits_.begin(), hits_.end(), [](const Hit& a, const Hit& b) {
    return std::pair(a.vertex, a.triangle) < std::pair(b.vertex, b.triangle);
  });
  hits_.erase(std::unique(hits_.begin(), hits_.end(),
                          [](const Hit& a, const Hit& b) {
                            return a.vertex == b.vertex && a.triangle == b.triangle;
                          }),
              hits_.end());
  for (std::size_t first = 0; first < hits_.size();) {
    std::size_t end = first + 1;
    while (end < hits_.size() && hits_[end].vertex == hits_[first].vertex) ++end;
    resolve(std::span(hits_).subspan(first, end - first), surface, vertices, turn, limits,
            contacts);
    first = end;
  }
}

void VertexSearch::leave_along(const SurfaceShape& surface, std::span<const Hit> hits,
                               const Vec3& normal, VertexContact& contact) const {
  // the first of the faces that it reaches on its way out
  const Hit* exit = nullptr;
  double way = std::numeric_limits<double>::max();
  for (const Touch& touch : touching_) {
    const Hit& hit = hits[touch.contact];
    const double cosine = hit.normal.dot(normal);
    if (cosine > 0.1 && -hit.height < way * cosine) {
      way = -hit.height / cosine;
      exit = &hit;
    }
  }
  if (exit == nullptr) return;
  const Vec3 p = exit->on.point + exit->offset;
  const TrianglePoint on = surface.closest(exit->triangle, p + way * normal);
  contact.triangle = exit->triangle;
  contact.weight = on.weight;
  contact.place = on.point;
  contact.offset = p - on.point;
  contact.gap = contact.offset.dot(normal);
}

void VertexSearch::resolve(std::span<const Hit> hits, const SurfaceShape& surface,
                           const SurfaceShape& vertices, const Mat3& turn,
                           const ContactLimits& limits, std::vector<VertexContact>& contacts) {
  const SurfaceTopology& topology = surface.topology();
  const int vertex = hits.front().vertex;
  const auto is_lowest = [&](const Vec3& normal) {
    return vertices.is_lowest_along(vertex, turn * normal, limits.slope);
  };
  const auto contact = [&](const Hit& hit, const Vec3& normal) {
    return VertexContact{vertex,       hit.triangle, hit.on.weight, normal, hit.offset.dot(normal),
                         hit.on.point, hit.offset};
  };
  const auto is_known = [&](const VertexContact& other, double distance) {
    return std::any_of(kept_.begin(), kept_.end(), [&](const VertexContact& known) {
      return (known.place - other.place).squaredNorm() <= distance * distance &&
             known.normal.dot(other.normal) > same_normal;
    });
  };
  kept_.clear();

  // inside or outside: what the nearest place says
  const Hit* nearest = nullptr;
  for (const Hit& hit : hits) {
    if (hit.is_minimum && (nearest == nullptr || hit.distance < nearest->distance)) nearest = &hit;
  }
  if (nearest == nullptr) return;
  const auto is_behind = [&](const Hit& hit) {
    if (hit.on.corners() == 7) return hit.height < 0.0;
    const Feature feature = feature_of(topology, hit.triangle, hit.on.weight);
    return hit.offset.dot(outward_at(surface, hit.triangle, feature)) < 0.0;
  };
  const auto is_past_border = [&](const Hit& hit) {
    const Feature feature = feature_of(topology, hit.triangle, hit.on.weight);
    return feature.corner >= 0
               ? topology.is_on_border(feature.corner)
               : feature.edge >= 0 && topology.edges()[uz(feature.edge)].triangle[1] < 0;
  };
  const bool touches = nearest->distance <= limits.touching;
  const bool may_be_inside = touches || (is_behind(*nearest) && !is_past_border(*nearest));

  // in front of a face
  for (const Hit& hit : hits) {
    if (!hit.is_above || hit.height <= limits.touching || hit.height > limits.alarm_distance) {
      continue;
    }
    const VertexContact found = contact(hit, hit.normal);
    if (!is_known(found, limits.touching) && is_lowest(found.normal)) kept_.push_back(found);
  }

  // in front of an edge or a corner
  for (const Hit& hit : hits) {
    if (hit.is_above || !hit.is_minimum || hit.distance <= limits.touching ||
        hit.distance > limits.alarm_distance || is_behind(hit) ||
        (hit.height < 0.0 && is_past_border(hit))) {
      continue;
    }
    const VertexContact found = contact(hit, hit.offset / hit.distance);
    const bool stands_on_face =
        std::any_of(kept_.begin(), kept_.end(), [&](const VertexContact& known) {
          return (known.place - found.place).norm() <= 2.0 * limits.touching;
        });
    if (!stands_on_face && is_lowest(found.normal)) kept_.push_back(found);
  }

  // on the surface: faces that meet convexly make one contact, others one each
  const std::size_t first_touching = kept_.size();
  touching_.clear();
  for (const Hit& hit : hits) {
    if (!hit.is_above || std::abs(hit.height) > limits.touching) continue;
    const auto is_same = [&](const Touch& touch) {
      return touch.normal.dot(hit.normal) > same_normal &&
             (touch.place - hit.on.point).norm() <= 3.0 * limits.touching;
    };
    if (std::any_of(touching_.begin(), touching_.end(), is_same) || !is_lowest(hit.normal)) {
      continue;
    }
    // the first it meets convexly takes it in
    const Vec3 middle = (surface.corner(hit.triangle, 0) + surface.corner(hit.triangle, 1) +
                         surface.corner(hit.triangle, 2)) /
                        3.0;
    const auto leader = std::find_if(touching_.begin(), touching_.end(), [&](const Touch& touch) {
      return (touch.place - hit.on.point).norm() <= 3.0 * limits.touching &&
             touch.normal.dot(middle - touch.place) <= 0.0;
    });
    const std::size_t index = leader == touching_.end() ? kept_.size() : leader->contact;
    if (index == kept_.size()) {
      kept_.push_back(contact(hit, hit.normal));
    } else {
      kept_[index].normal += hit.normal;
    }
    touching_.push_back({hit.on.point, hit.normal, index});
  }
  for (std::size_t i = first_touching; i < kept_.size(); ++i) {
    kept_[i].normal.normalize();
    kept_[i].gap = kept_[i].offset.dot(kept_[i].normal);
  }

  if (may_be_inside) {
    // behind: it came through the nearest face that it faces
    const Hit* entry = nullptr;
    for (const Hit& hit : hits) {
      if (!hit.is_above || hit.height >= -limits.touching || hit.height < -limits.max_depth) {
        continue;
      }
      if (entry != nullptr && entry->height >= hit.height) continue;
      if (is_lowest(hit.normal)) entry = &hit;
    }
    if (entry != nullptr && first_touching == kept_.size()) {
      // near a convex edge or corner the faces beside it share: the normal turns steadily from
      // one to the other as the vertex passes underneath
      touching_.assign(1, {entry->on.point, entry->normal, uz(entry - hits.data())});
      Vec3 normal = entry->normal;
      for (const Hit& hit : hits) {
        const double share = 1.5 - 0.5 * hit.height / entry->height;
        if (!hit.is_above || hit.height >= -limits.touching || share <= 0.0 ||
            entry->normal.dot(hit.on.point - entry->on.point) > 0.0 ||
            std::any_of(
                touching_.begin(), touching_.end(),
                [&](const Touch& touch) { return touch.normal.dot(hit.normal) > same_normal; }) ||
            !is_lowest(hit.normal)) {
          continue;
        }
        normal += share * hit.normal;
        touching_.push_back({hit.on.point, hit.normal, uz(&hit - hits.data())});
      }
      normal.normalize();
      kept_.push_back(contact(*entry, normal));
      if (touching_.size() > 1) leave_along(surface, hits, normal, kept_.back());
    }

    // under a valley: every face it has left sideways through another; deeper under one than it
    // is far from the surface it cannot be, whatever the planes of distant faces say
    const double deepest = std::min(limits.max_depth, nearest->distance + limits.touching);
    for (const Hit& hit : hits) {
      if (!hit.is_under_valley || hit.height > limits.alarm_distance || hit.height < -deepest) {
        continue;
      }
      const VertexContact found = contact(hit, hit.normal);
      if (!is_known(found, std::numeric_limits<double>::max()) && is_lowest(found.normal)) {
        kept_.push_back(found);
      }
    }
  }

  // on or behind an edge or corner, where no face has a say
  if (kept_.empty() && may_be_inside && nearest->distance <= limits.max_depth &&
      nearest->on.corners() != 7) {
    const Feature feature = feature_of(topology, nearest->triangle, nearest->on.weight);
    const Vec3 outward = outward_at(surface, nearest->triangle, feature);
    const Vec3 from_vertex = -(turn.transpose() * vertices.point_normal(vertex)).normalized();
    const Vec3 normal =
        touches ? Vec3((outward + from_vertex).normalized()) : Vec3(-nearest->offset.normalized());
    if (normal.allFinite() && is_lowest(normal)) {
      kept_.push_back(contact(*nearest, normal));
      kept_.back().is_guessed = true;
    }
  }

  // places on borders stand in the triangle that owns them
  for (VertexContact& found : kept_) {
    const Feature feature = feature_of(topology, found.triangle, found.weight);
    found.corner = feature.corner;
    found.edge = feature.edge;
    const int owner = feature.corner >= 0 ? topology.triangle_of_point(feature.corner)
                      : feature.edge >= 0 ? topology.triangle_of_edge(feature.edge)
                                          : found.triangle;
    if (owner == found.triangle || owner < 0) continue;
    const bool is_taken = std::any_of(kept_.begin(), kept_.end(), [&](const VertexContact& other) {
      return &other != &found && other.triangle == owner;
    });
    if (is_taken) continue;
    const auto& from = topology.triangles()[uz(found.triangle)];
    const auto& to = topology.triangles()[uz(owner)];
    std::array<double, 3> weight{0.0, 0.0, 0.0};
    double sum = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (to[i] == from[k]) weight[i] = found.weight[k];
      }
      sum += weight[i];
    }
    for (double& w : weight) w /= sum;
    found.triangle = owner;
    found.weight = weight;
  }
  contacts.insert(contacts.end(), kept_.begin(), kept_.end());
}

}  // namespace stickslip
