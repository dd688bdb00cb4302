#include "stickslip/io/scene_file.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "stickslip/error.hpp"
#include "stickslip/fem/compliance_cache.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/gmsh_program.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"
#include "stickslip/simulation/start_overlap.hpp"

namespace stickslip {

namespace {

/// The shape of a body: tetrahedra and their boundary, or a surface alone.
struct Geometry {
  TetMesh mesh;  ///< without elements where there is only a surface; its nodes are the points then
  Surface surface;

  bool has_elements() const { return mesh.element_count() > 0; }

  const Region& region(std::string_view name) const {
    if (const Region* found = mesh.find_region(name)) return *found;
    std::vector<std::string> names;
    for (const Region& known : mesh.regions) names.push_back(known.name);
    const std::string near = nearest_name(name, names);
    throw InputError(fmt::format(
        "region \"{}\" is not in the mesh; {}it has: {}; or mark one by [[body.region]]", name,
        near.empty() ? std::string() : fmt::format("did you mean \"{}\"? ", near),
        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
};

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
        "region \"{}\" holds no node of the mesh, which spans [{:.6g}, {:.6g}, {:.6g}] to [{:.6g}, "
        "{:.6g}, {:.6g}] m; move or enlarge the box",
        box.name, all.min().x(), all.min().y(), all.min().z(), all.max().x(), all.max().y(),
        all.max().z()));
  }
  return region;
}

Geometry make_geometry(const BodyDescription& body) {
  Geometry geometry;
  if (body.shape == "plane") {
    geometry.surface = make_plane(body.size.x(), body.size.y());
  } else if (body.shape == "box") {
    geometry.mesh = make_box(body.size, body.cells, body.element);
    // it stands on z = 0 around the origin
    const Vec3 shift(-0.5 * body.size.x(), -0.5 * body.size.y(), 0.0);
    for (Vec3& node : geometry.mesh.nodes) node += shift;
  } else if (is_surface_file(body.mesh) && !has_elements(body.kind)) {
    geometry.surface = read_surface(body.mesh);
    drop_floating_points(geometry.surface);
  } else {
    geometry.mesh = read_elements(body.mesh);
  }
  for (Vec3& node : geometry.mesh.nodes) node *= body.scale;
  for (Vec3& point : geometry.surface.points) point *= body.scale;
  if (geometry.has_elements()) {
    geometry.surface = extract_surface(geometry.mesh);
  } else {
    geometry.mesh.nodes = geometry.surface.points;
  }
  for (const BoxRegion& box : body.regions) {
    if (geometry.mesh.find_region(box.name) != nullptr) {
      throw InputError(
          fmt::format("region \"{}\" is in the mesh already; rename that of the scene", box.name));
    }
    geometry.mesh.regions.push_back(nodes_within(geometry.mesh, box));
  }
  return geometry;
}

/// Where a force spread over a region acts, in the coordinates of the mesh.
Vec3 centre_of(const Geometry& geometry, const Region& region) {
  const VecX load = region_load(geometry.mesh.nodes, region, Vec3::UnitX());
  Vec3 centre = Vec3::Zero();
  for (const int node : region.nodes) centre += load[3 * node] * geometry.mesh.nodes[uz(node)];
  return centre;
}

MassProperties rigid_mass(const Geometry& geometry, const BodyDescription& body, double density) {
  if (!geometry.has_elements()) {
    for (const Finding& finding : check_surface(geometry.surface)) {
      if (finding.code == "open_surface" || finding.code == "inside_out" ||
          finding.code == "contradicting_normals") {
        throw InputError(fmt::format("a rigid body needs a volume, and {}; {}", finding.message,
                                     finding.remedy));
      }
    }
  }
  const auto with_density = [&](double value) {
    return geometry.has_elements() ? mass_properties(geometry.mesh, value)
                                   : mass_properties(geometry.surface, value);
  };
  return with_density(body.mass ? *body.mass / with_density(1.0).mass : density);
}

/// Distances between the surfaces of all bodies.
std::unique_ptr<ProximityMethod> make_mesh_proximity(const Scene& scene) {
  std::vector<ProximityBody> bodies;
  for (const SceneBody& part : scene.bodies) {
    const Body& body = part.body;
    bodies.push_back(
        {.surface = &body.surface(),
         .may_touch = [&body](const auto& triangle) { return body.may_touch(triangle); },
         .is_immobile = body.frame().is_held() && body.deformation() == nullptr});
  }
  return std::make_unique<MeshProximity>(bodies);
}

/// Runs an action; what it refuses is led by the place in the scene file.
template <class Action>
decltype(auto) located(const std::string& where, const std::string& path, const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}: {}", where, path, error.what()));
  }
}

class SceneBuilder {
 public:
  SceneBuilder(const SceneDescription& description, const SceneBuildOptions& options)
      : description_(description), options_(options) {}

  BuiltScene build() {
    Scene& scene = built_.scene;
    scene.name = description_.name;
    scene.simulation = description_.simulation;
    scene.friction = friction_table(description_);
    scene.make_proximity = make_mesh_proximity;
    for (const DriveDescription& drive : description_.drives) prepare_drive(drive);
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      const BodyDescription& body = description_.bodies[b];
      geometries_.push_back(
          located(body.where, "body." + body.name, [&] { return make_geometry(body); }));
      add_body(static_cast<int>(b));
    }
    for (std::size_t d = 0; d < scene.drives.size(); ++d) place_drive(d);
    for (const ProbeDescription& probe : description_.probes) add_probe(probe);
    if (description_.probes.empty()) add_usual_probes();
    settle_start();
    return std::move(built_);
  }

 private:
  /// Load cases are part of a body, so that drives come first.
  void prepare_drive(const DriveDescription& from) {
    Drive drive;
    drive.body = from.body;
    drive.kind = from.kind;
    drive.table = from.table;
    drive.stiffness = from.stiffness;
    drive.damping = from.damping;
    drive.rotational_stiffness = from.rotational_stiffness;
    drive.rotational_damping = from.rotational_damping;
    if (!from.region.empty()) {
      std::vector<std::string>& regions = loaded_regions_[uz(from.body)];
      auto known = std::find(regions.begin(), regions.end(), from.region);
      if (known == regions.end()) known = regions.insert(known, from.region);
      drive.load_case = 3 * static_cast<int>(known - regions.begin());
    }
    built_.scene.drives.push_back(std::move(drive));
  }

  void add_body(int b) {
    const BodyDescription& body = description_.bodies[uz(b)];
    const Geometry& geometry = geometries_[uz(b)];
    BodyFacts facts;
    facts.nodes = geometry.mesh.node_count();
    facts.elements = geometry.mesh.element_count();
    facts.surface_points = geometry.surface.point_count();
    facts.surface_triangles = geometry.surface.triangle_count();
    for (const Region& region : geometry.mesh.regions) facts.regions.push_back(region.name);
    SceneBody& added = built_.scene.bodies.emplace_back(
        SceneBody{.name = body.name, .body = located(body.where, "body." + body.name, [&] {
                                       return make_body(b, geometry, facts);
                                     })});
    added.position = body.position;
    added.orientation = body.orientation;
    added.velocity = body.velocity;
    added.angular_velocity = body.angular_velocity;
    built_.facts.push_back(std::move(facts));
  }

  Body make_body(int b, const Geometry& geometry, BodyFacts& facts) const {
    const BodyDescription& body = description_.bodies[uz(b)];
    if (body.kind == BodyKind::fixed) return make_fixed_body(geometry.surface);
    const MaterialDescription* material = description_.find_material(body.material);
    const double density = material == nullptr ? 0.0 : material->density.value_or(0.0);
    if (body.kind == BodyKind::rigid) {
      const MassProperties mass = rigid_mass(geometry, body, density);
      facts.mass = mass.mass;
      return make_loaded_rigid_body(geometry, mass, loaded_regions_[uz(b)]);
    }

    // elements
    Material used;
    used.poisson = material == nullptr ? 0.3 : material->poisson.value_or(0.3);
    used.young = material == nullptr ? 0.0 : material->young.value_or(0.0);
    used.density = body.mass ? *body.mass / volume(geometry.mesh) : density;
    facts.mass = used.density * volume(geometry.mesh);
    if (body.kind == BodyKind::quasi_rigid) {
      used.young = quasi_rigid_young(geometry.mesh, facts.mass, description_.simulation.dt,
                                     body.young_ratio);
    }
    for (const std::string& name : body.contact_regions) static_cast<void>(geometry.region(name));
    const DeformationModel model = make_elastic_model(
        geometry.mesh, used, {.damping = body.damping, .contact_regions = body.contact_regions});
    std::vector<int> held;
    for (const std::string& name : body.held) {
      static_cast<void>(geometry.region(name));
      const std::vector<int>& nodes = model.region_nodes(name);
      held.insert(held.end(), nodes.begin(), nodes.end());
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());

    DeformationOptions options;
    options.is_dynamic = body.is_dynamic;
    options.integration = body.integration;
    options.dt = description_.simulation.dt;
    options.load_cases = load_cases(geometry, model, loaded_regions_[uz(b)]);
    options.compliance.precompute = body.precompute;
    options.compliance.precision = body.is_float32 ? Precision::float32 : Precision::float64;
    if (body.is_cached) options.compliance.cache = default_cache_folder();
    if (options_.progress) {
      options.compliance.progress = [&](double share) { options_.progress(body.name, share); };
    }
    return body.kind == BodyKind::deformable ? make_deformable_body(model, held, options)
                                             : make_corotational_body(model, held, options);
  }

  /// Unit forces along x, y and z on each region.
  static MatX load_cases(const Geometry& geometry, const DeformationModel& model,
                         const std::vector<std::string>& regions) {
    MatX cases(3 * model.node_count(), 3 * static_cast<int>(regions.size()));
    for (std::size_t r = 0; r < regions.size(); ++r) {
      static_cast<void>(geometry.region(regions[r]));
      const Region& region = model.region(regions[r]);
      for (int d = 0; d < 3; ++d) {
        cases.col(static_cast<int>(3 * r) + d) = region_load(model.nodes, region, Vec3::Unit(d));
      }
    }
    return cases;
  }

  /// A rigid body whose load cases act at the centres of regions.
  static Body make_loaded_rigid_body(const Geometry& geometry, const MassProperties& mass,
                                     const std::vector<std::string>& regions) {
    Eigen::Matrix<double, 6, Eigen::Dynamic> cases(6, 3 * static_cast<int>(regions.size()));
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Vec3 arm = centre_of(geometry, geometry.region(regions[r])) - mass.centre;
      cases.block<3, 3>(0, static_cast<int>(3 * r)) = Mat3::Identity();
      cases.block<3, 3>(3, static_cast<int>(3 * r)) = skew(arm);
    }
    Surface centred = geometry.surface;
    for (Vec3& point : centred.points) point -= mass.centre;
    return Body(std::move(centred), mass.centre, RigidFrame(mass.mass, mass.inertia), nullptr,
                cases);
  }

  void place_drive(std::size_t d) {
    const DriveDescription& from = description_.drives[d];
    Drive& drive = built_.scene.drives[d];
    const SceneBody& body = built_.scene.bodies[uz(drive.body)];
    drive.pivot = drive.kind == DriveKind::spring
                      ? body.body.initial_state(body.position, body.orientation).frame.position
                      : body.position;
    if (from.pivot) drive.pivot = *from.pivot;
  }

  void add_probe(const ProbeDescription& from) {
    Probe probe{.name = from.name, .body = from.body};
    const Geometry& geometry = geometries_[uz(from.body)];
    const SceneBody& body = built_.scene.bodies[uz(from.body)];
    // points of the surface in the coordinates of the mesh
    const Vec3 centre = body.body.initial_state().frame.position;
    std::vector<Vec3> points = body.body.surface().points;
    for (Vec3& point : points) point += centre;
    if (from.point) {
      probe.is_on_surface = true;
      probe.point = nearest_point(points, body.body.surface().triangles, *from.point);
    } else if (!from.region.empty()) {
      probe.is_on_surface = true;
      const Region& region = located(from.where, "probe." + from.name, [&]() -> const Region& {
        return geometry.region(from.region);
      });
      probe.point = middle_of(points, geometry, region);
    }
    built_.scene.probes.push_back(probe);
  }

  static SurfacePoint nearest_point(const std::vector<Vec3>& points,
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

  /// The point of the surface nearest to the node of the region that is nearest to its middle.
  static SurfacePoint middle_of(const std::vector<Vec3>& points, const Geometry& geometry,
                                const Region& region) {
    const Vec3 centre = centre_of(geometry, region);
    const auto distance = [&](const Vec3& point) { return (point - centre).squaredNorm(); };
    int nearest = region.nodes.front();
    for (const int node : region.nodes) {
      if (distance(geometry.mesh.nodes[uz(node)]) < distance(geometry.mesh.nodes[uz(nearest)])) {
        nearest = node;
      }
    }
    const Vec3& place = geometry.mesh.nodes[uz(nearest)];
    int vertex = 0;
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
      if ((points[uz(i)] - place).squaredNorm() < (points[uz(vertex)] - place).squaredNorm()) {
        vertex = i;
      }
    }
    return {{vertex, vertex, vertex}, {1.0, 0.0, 0.0}};
  }

  /// The centre of mass of everything that can move.
  void add_usual_probes() {
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      const BodyDescription& body = description_.bodies[b];
      if (body.kind == BodyKind::fixed) continue;
      built_.scene.probes.push_back({.name = body.name, .body = static_cast<int>(b)});
    }
  }

  void settle_start() {
    Scene& scene = built_.scene;
    const double allowed = scene.simulation.alarm_distance;
    if (options_.resolve_start) resolve_start_overlaps(scene, 1e-3 * allowed);
    for (const StartOverlap& overlap : find_start_overlaps(scene)) {
      if (overlap.depth <= allowed) continue;
      const BodyDescription& one = description_.bodies[uz(overlap.body_1)];
      throw InputError(fmt::format(
          "{}: body.{} starts {:.4g} m deep in body.{}: at most simulation.alarm_distance = {} m; "
          "{}",
          one.where, one.name, overlap.depth, scene.bodies[uz(overlap.body_2)].name, allowed,
          options_.resolve_start ? "pulling them apart failed; move one of them"
                                 : "move one of them, or let --resolve-start pull them apart"));
    }
  }

  const SceneDescription& description_;
  const SceneBuildOptions& options_;
  std::vector<Geometry> geometries_;
  std::vector<std::vector<std::string>> loaded_regions_ =
      std::vector<std::vector<std::string>>(description_.bodies.size());
  BuiltScene built_;
};

}  // namespace

BuiltScene build_scene(const SceneDescription& description, const SceneBuildOptions& options) {
  return SceneBuilder(description, options).build();
}

Scene read_scene(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                 const SceneBuildOptions& options) {
  return build_scene(read_scene_description(path, overrides), options).scene;
}

}  // namespace stickslip
