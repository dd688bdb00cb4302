#include "stickslip/io/body_geometry.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/io/located.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/mesh/curved_surface.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/gmsh_program.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/scene/skin_binding.hpp"

namespace stickslip {

namespace {

TetMesh read_elements(const std::filesystem::path& path) {
  if (extension_of(path) != ".inp") return read_tet_mesh(path);
  TetMesh mesh = import_mesh(path, {}).mesh;
  refuse_errors(path, check_elements(mesh));
  return mesh;
}

/// Two triangles in z = 0 around the origin, facing up.
Surface make_plane(double x, double y) {
  Surface plane;
  plane.points = {
      {-x / 2, -y / 2, 0.0}, {x / 2, -y / 2, 0.0}, {x / 2, y / 2, 0.0}, {-x / 2, y / 2, 0.0}};
  plane.triangles = {{0, 1, 2}, {0, 2, 3}};
  return plane;
}

/// The nodes of a mesh within a box, those on its border included.
Region nodes_within(const TetMesh& mesh, const BoxRegion& box) {
  Eigen::AlignedBox3d all;
  for (const Vec3& node : mesh.nodes) all.extend(node);
  const double rounding = 1e-9 * all.diagonal().norm();
  Region region;
  region.name = box.name;
  for (int i = 0; i < mesh.node_count(); ++i) {
    const Vec3& node = mesh.nodes[uz(i)];
    const bool is_inside = ((node - box.low).array() >= -rounding).all() &&
                           ((box.high - node).array() >= -rounding).all();
    if (is_inside) region.nodes.push_back(i);
  }
  if (region.nodes.empty()) {
    throw InputError(fmt::format(
        "holds no node of the mesh, which spans [{:.6g}, {:.6g}, {:.6g}] to [{:.6g}, "
        "{:.6g}, {:.6g}] m; move or enlarge the box",
        all.min().x(), all.min().y(), all.min().z(), all.max().x(), all.max().y(), all.max().z()));
  }
  return region;
}

void read_mesh(const BodyDescription& body, BodyGeometry& geometry) {
  if (is_surface_file(body.mesh) && !has_elements(body.kind)) {
    geometry.surface = read_surface(body.mesh);
    drop_floating_points(geometry.surface);
  } else {
    geometry.mesh = read_elements(body.mesh);
  }
  for (Vec3& node : geometry.mesh.nodes) node *= body.scale;
  for (Vec3& point : geometry.surface.points) point *= body.scale;
}

/// Throws InputError where a surface encloses no volume.
void refuse_without_volume(const Surface& surface, std::string_view what) {
  for (const Finding& finding : check_surface(surface)) {
    if (finding.code == "open_surface" || finding.code == "inside_out" ||
        finding.code == "contradicting_normals") {
      throw InputError(
          fmt::format("{} needs a volume, and {}; {}", what, finding.message, finding.remedy));
    }
  }
}

Surface make_skin(const BodyDescription& body, const BodyGeometry& geometry) {
  if (body.skin_chord > 0.0) {
    if (geometry.has_elements() && geometry.mesh.type == ElementType::tet10) {
      return curved_surface(geometry.mesh, body.skin_chord);
    }
    throw InputError(
        "= \"curved\" follows the mid-side nodes of ten-node elements, and there are none; make "
        "them "
        "by `stickslip mesh convert --to-order 2`, or name a file");
  }
  Surface skin = read_surface(body.skin);
  for (Vec3& point : skin.points) point *= body.scale;
  drop_floating_points(skin);
  refuse_without_volume(skin, "a skin");
  refuse_distant_skin(skin, geometry.surface);
  return skin;
}

}  // namespace

const Region& BodyGeometry::region(std::string_view name) const {
  if (const Region* found = mesh.find_region(name)) return *found;
  std::vector<std::string> names;
  for (const Region& known : mesh.regions) names.push_back(known.name);
  const std::string near = nearest_name(name, names);
  throw InputError(
      fmt::format("there is no region \"{}\"; {}the mesh has: {}; mark others by [[body.region]]",
                  name, near.empty() ? std::string() : fmt::format("did you mean \"{}\"? ", near),
                  names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

Vec3 BodyGeometry::centre_of(const Region& region) const {
  const VecX load = region_load(mesh.nodes, region, Vec3::UnitX());
  Vec3 centre = Vec3::Zero();
  for (const int node : region.nodes) centre += load[3 * node] * mesh.nodes[uz(node)];
  return centre;
}

const Vec3& BodyGeometry::middle_node(const Region& region) const {
  const Vec3 centre = centre_of(region);
  const auto distance = [&](int node) { return (mesh.nodes[uz(node)] - centre).squaredNorm(); };
  return mesh.nodes[uz(*std::min_element(region.nodes.begin(), region.nodes.end(),
                                         [&](int a, int b) { return distance(a) < distance(b); }))];
}

BodyGeometry make_geometry(const BodyDescription& body) {
  const std::string path = "body." + body.name;
  BodyGeometry geometry;
  if (body.shape == "plane") {
    geometry.surface = make_plane(body.size.x(), body.size.y());
  } else if (body.shape == "box") {
    geometry.mesh = make_box(body.size, body.cells, body.element);
    // it stands on z = 0 around the origin
    const Vec3 shift(-0.5 * body.size.x(), -0.5 * body.size.y(), 0.0);
    for (Vec3& node : geometry.mesh.nodes) node += shift;
  } else if (!body.shape.empty()) {
    // what only stands for an exact shape may be long along its straight part
    const bool is_exact = !has_elements(body.kind);
    const double stretch = is_exact ? std::max(1.0, body.segments / 4.0) : 1.0;
    geometry.mesh = make_round_mesh(body.round, body.segments, body.element, stretch);
    if (is_exact) geometry.exact = body.round;
  } else {
    located(body.places.of("mesh"), path + ".mesh", [&] { read_mesh(body, geometry); });
  }
  if (geometry.has_elements()) {
    geometry.surface = extract_surface(geometry.mesh);
  } else {
    geometry.mesh.nodes = geometry.surface.points;
  }
  if (body.has_skin()) {
    located(body.places.of("skin"), path + ".skin",
            [&] { geometry.skin = make_skin(body, geometry); });
  }
  for (const BoxRegion& box : body.regions) {
    located(box.places.section, fmt::format("{}.region.{}", path, box.name), [&] {
      if (geometry.mesh.find_region(box.name) != nullptr) {
        throw InputError("the mesh has a region of that name; choose another");
      }
      geometry.mesh.regions.push_back(nodes_within(geometry.mesh, box));
    });
  }
  return geometry;
}

MassProperties rigid_mass(const BodyGeometry& geometry, const BodyDescription& body,
                          double density) {
  if (!geometry.has_elements() && !geometry.skin) {
    refuse_without_volume(geometry.surface, "a rigid body");
  }
  const auto with_density = [&](double value) {
    if (geometry.exact) return mass_properties(*geometry.exact, value);
    if (geometry.skin) return mass_properties(*geometry.skin, value);
    return geometry.has_elements() ? mass_properties(geometry.mesh, value)
                                   : mass_properties(geometry.surface, value);
  };
  return with_density(body.mass ? *body.mass / with_density(1.0).mass : density);
}

SurfacePoint nearest_on_surface(const std::vector<Vec3>& points,
                                const std::vector<std::array<int, 3>>& triangles,
                                const Vec3& wanted) {
  SurfacePoint nearest{};
  double least = std::numeric_limits<double>::infinity();
  for (const auto& corner : triangles) {
    const TrianglePoint found = closest_on_triangle(wanted, points[uz(corner[0])],
                                                    points[uz(corner[1])], points[uz(corner[2])]);
    if (found.squared_distance >= least) continue;
    least = found.squared_distance;
    nearest = {corner, found.weight};
  }
  return nearest;
}

}  // namespace stickslip
