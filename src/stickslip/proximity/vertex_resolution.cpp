#include "stickslip/proximity/vertex_resolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/proximity/surface_feature.hpp"

namespace stickslip {

namespace {

// cosine above which two normals are one
constexpr double same_normal = 0.9999;

bool is_behind(const SurfaceShape& surface, const VertexHit& hit) {
  if (hit.on.corners() == 7) return hit.height < 0.0;
  const SurfaceFeature feature = feature_at(surface.topology(), hit.triangle, hit.on.weight);
  return hit.offset.dot(outward_at(surface, hit.triangle, feature)) < 0.0;
}

bool is_past_border(const SurfaceTopology& topology, const VertexHit& hit) {
  const SurfaceFeature feature = feature_at(topology, hit.triangle, hit.on.weight);
  return feature.corner >= 0
             ? topology.is_on_border(feature.corner)
             : feature.edge >= 0 && topology.edges()[uz(feature.edge)].triangle[1] < 0;
}

}  // namespace

bool VertexResolution::Subject::is_lowest(const Vec3& normal) const {
  return sides.vertices.is_lowest_along(hits.front().vertex, sides.turn * normal,
                                        sides.limits.slope);
}

VertexContact VertexResolution::Subject::contact(const VertexHit& hit, const Vec3& normal) const {
  return {hit.vertex,   hit.triangle, hit.on.weight, normal, hit.offset.dot(normal),
          hit.on.point, hit.offset};
}

void VertexResolution::reserve() {
  constexpr std::size_t places_of_a_vertex = 64;
  touching_.reserve(places_of_a_vertex);
  kept_.reserve(places_of_a_vertex);
}

void VertexResolution::resolve(std::span<const VertexHit> hits, const VertexSides& sides,
                               std::vector<VertexContact>& contacts) {
  // inside or outside: what the nearest place says
  const VertexHit* nearest = nullptr;
  for (const VertexHit& hit : hits) {
    if (hit.is_minimum && (nearest == nullptr || hit.distance < nearest->distance)) nearest = &hit;
  }
  if (nearest == nullptr) return;
  const SurfaceTopology& topology = sides.surface.topology();
  const bool touches = nearest->distance <= sides.limits.touching;
  const bool may_be_inside =
      touches || (is_behind(sides.surface, *nearest) && !is_past_border(topology, *nearest));
  const Subject subject{hits, sides, nearest, touches, may_be_inside};

  kept_.clear();
  add_before_faces(subject);
  add_before_edges(subject);
  const std::size_t first_touching = kept_.size();
  add_on_faces(subject);
  if (may_be_inside) {
    if (first_touching == kept_.size()) add_behind_faces(subject);
    add_under_valleys(subject);
  }
  if (kept_.empty()) add_guess(subject);
  give_to_owners(topology);
  contacts.insert(contacts.end(), kept_.begin(), kept_.end());
}

bool VertexResolution::is_known(const VertexContact& other, double distance) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const VertexContact& known) {
    return (known.place - other.place).squaredNorm() <= distance * distance &&
           known.normal.dot(other.normal) > same_normal;
  });
}

bool VertexResolution::is_among_touching(const Vec3& normal) const {
  return std::any_of(touching_.begin(), touching_.end(),
                     [&](const Touch& touch) { return touch.normal.dot(normal) > same_normal; });
}

void VertexResolution::add_before_faces(const Subject& subject) {
  const ContactLimits& limits = subject.sides.limits;
  for (const VertexHit& hit : subject.hits) {
    if (!hit.is_above || hit.height <= limits.touching || hit.height > limits.alarm_distance) {
      continue;
    }
    const VertexContact found = subject.contact(hit, hit.normal);
    if (!is_known(found, limits.touching) && subject.is_lowest(found.normal)) {
      kept_.push_back(found);
    }
  }
}

void VertexResolution::add_before_edges(const Subject& subject) {
  const SurfaceShape& surface = subject.sides.surface;
  const ContactLimits& limits = subject.sides.limits;
  for (const VertexHit& hit : subject.hits) {
    if (hit.is_above || !hit.is_minimum || hit.distance <= limits.touching ||
        hit.distance > limits.alarm_distance || is_behind(surface, hit) ||
        (hit.height < 0.0 && is_past_border(surface.topology(), hit))) {
      continue;
    }
    const VertexContact found = subject.contact(hit, hit.offset / hit.distance);
    const bool stands_on_face =
        std::any_of(kept_.begin(), kept_.end(), [&](const VertexContact& known) {
          return (known.place - found.place).norm() <= 2.0 * limits.touching;
        });
    if (!stands_on_face && subject.is_lowest(found.normal)) kept_.push_back(found);
  }
}

void VertexResolution::add_on_faces(const Subject& subject) {
  const SurfaceShape& surface = subject.sides.surface;
  const double touching = subject.sides.limits.touching;
  const std::size_t first = kept_.size();
  touching_.clear();
  for (const VertexHit& hit : subject.hits) {
    if (!hit.is_above || std::abs(hit.height) > touching) continue;
    const auto is_same = [&](const Touch& touch) {
      return touch.normal.dot(hit.normal) > same_normal &&
             (touch.place - hit.on.point).norm() <= 3.0 * touching;
    };
    if (std::any_of(touching_.begin(), touching_.end(), is_same) ||
        !subject.is_lowest(hit.normal)) {
      continue;
    }
    // faces that meet convexly make one contact, that of the first; others one each
    const Vec3 middle = (surface.corner(hit.triangle, 0) + surface.corner(hit.triangle, 1) +
                         surface.corner(hit.triangle, 2)) /
                        3.0;
    const auto leader = std::find_if(touching_.begin(), touching_.end(), [&](const Touch& touch) {
      return (touch.place - hit.on.point).norm() <= 3.0 * touching &&
             touch.normal.dot(middle - touch.place) <= 0.0;
    });
    const std::size_t index = leader == touching_.end() ? kept_.size() : leader->contact;
    if (index == kept_.size()) {
      kept_.push_back(subject.contact(hit, hit.normal));
    } else {
      kept_[index].normal += hit.normal;
    }
    touching_.push_back({hit.on.point, hit.normal, index});
  }
  for (std::size_t i = first; i < kept_.size(); ++i) {
    kept_[i].normal.normalize();
    kept_[i].gap = kept_[i].offset.dot(kept_[i].normal);
  }
}

void VertexResolution::add_behind_faces(const Subject& subject) {
  // it came through the nearest face that it faces
  const ContactLimits& limits = subject.sides.limits;
  const VertexHit* entry = nullptr;
  for (const VertexHit& hit : subject.hits) {
    if (!hit.is_above || hit.height >= -limits.touching || hit.height < -limits.max_depth) continue;
    if (entry != nullptr && entry->height >= hit.height) continue;
    if (subject.is_lowest(hit.normal)) entry = &hit;
  }
  if (entry == nullptr) return;

  // near a convex edge or corner the faces beside it share: the normal turns steadily from one to
  // the other as the vertex passes underneath
  const VertexHit* const hits = subject.hits.data();
  touching_.assign(1, {entry->on.point, entry->normal, uz(entry - hits)});
  Vec3 normal = entry->normal;
  for (const VertexHit& hit : subject.hits) {
    const double share = 1.5 - 0.5 * hit.height / entry->height;
    if (!hit.is_above || hit.height >= -limits.touching || share <= 0.0 ||
        entry->normal.dot(hit.on.point - entry->on.point) > 0.0 || is_among_touching(hit.normal) ||
        !subject.is_lowest(hit.normal)) {
      continue;
    }
    normal += share * hit.normal;
    touching_.push_back({hit.on.point, hit.normal, uz(&hit - hits)});
  }
  normal.normalize();
  kept_.push_back(subject.contact(*entry, normal));
  if (touching_.size() > 1) leave_along(subject, normal, kept_.back());
}

void VertexResolution::leave_along(const Subject& subject, const Vec3& normal,
                                   VertexContact& contact) const {
  // the first of the faces that it reaches on its way out
  const VertexHit* exit = nullptr;
  double way = std::numeric_limits<double>::max();
  for (const Touch& touch : touching_) {
    const VertexHit& hit = subject.hits[touch.contact];
    const double cosine = hit.normal.dot(normal);
    if (cosine > 0.1 && -hit.height < way * cosine) {
      way = -hit.height / cosine;
      exit = &hit;
    }
  }
  if (exit == nullptr) return;
  const Vec3 p = exit->on.point + exit->offset;
  const TrianglePoint on = subject.sides.surface.closest(exit->triangle, p + way * normal);
  contact.triangle = exit->triangle;
  contact.weight = on.weight;
  contact.place = on.point;
  contact.offset = p - on.point;
  contact.gap = contact.offset.dot(normal);
}

void VertexResolution::add_under_valleys(const Subject& subject) {
  // every face it has left sideways through another; deeper under one than it is far from the
  // surface it cannot be, whatever the planes of distant faces say
  const ContactLimits& limits = subject.sides.limits;
  const double deepest = std::min(limits.max_depth, subject.nearest->distance + limits.touching);
  for (const VertexHit& hit : subject.hits) {
    if (!hit.is_under_valley || hit.height > limits.alarm_distance || hit.height < -deepest) {
      continue;
    }
    const VertexContact found = subject.contact(hit, hit.normal);
    if (!is_known(found, std::numeric_limits<double>::max()) && subject.is_lowest(found.normal)) {
      kept_.push_back(found);
    }
  }
}

void VertexResolution::add_guess(const Subject& subject) {
  // on or behind an edge or corner, where no face has a say
  const VertexHit& nearest = *subject.nearest;
  if (!subject.may_be_inside || nearest.distance > subject.sides.limits.max_depth ||
      nearest.on.corners() == 7) {
    return;
  }
  const auto& [surface, vertices, turn, limits] = subject.sides;
  const SurfaceFeature feature =
      feature_at(surface.topology(), nearest.triangle, nearest.on.weight);
  const Vec3 outward = outward_at(surface, nearest.triangle, feature);
  const Vec3 from_vertex = -(turn.transpose() * vertices.point_normal(nearest.vertex)).normalized();
  const Vec3 normal = subject.touches ? Vec3((outward + from_vertex).normalized())
                                      : Vec3(-nearest.offset.normalized());
  if (!normal.allFinite() || !subject.is_lowest(normal)) return;
  kept_.push_back(subject.contact(nearest, normal));
  kept_.back().is_guessed = true;
}

void VertexResolution::give_to_owners(const SurfaceTopology& topology) {
  // places on borders stand in the triangle that owns them
  for (VertexContact& found : kept_) {
    const SurfaceFeature feature = feature_at(topology, found.triangle, found.weight);
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
}

}  // namespace stickslip
