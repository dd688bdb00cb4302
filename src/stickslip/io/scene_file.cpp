#include "stickslip/io/scene_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/body/nonlinear_deformation.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/compliance_cache.hpp"
#include "stickslip/haptics/models/device.hpp"
#include "stickslip/io/body_geometry.hpp"
#include "stickslip/io/located.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/scene/skin_binding.hpp"
#include "stickslip/simulation/start_overlap.hpp"

namespace stickslip {

namespace {

/// Whether elements resist any change of shape since they hardly can change their volume: those of
/// four nodes, where the bulk modulus is above ten times the shear modulus (volumetric locking).
bool locks(const TetMesh& mesh, const Material& material) {
  const double nu = material.poisson;
  return mesh.type == ElementType::tet4 && 2.0 * (1.0 + nu) > 10.0 * 3.0 * (1.0 - 2.0 * nu);
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
    scene.excluded_pairs = description_.excluded_pairs;
    for (const DriveDescription& drive : description_.drives) prepare_drive(drive);
    for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
      geometries_.push_back(make_geometry(description_.bodies[b]));
      require_regions(static_cast<int>(b));
      add_body(static_cast<int>(b));
    }
    for (std::size_t d = 0; d < scene.drives.size(); ++d) place_drive(d);
    for (const ProbeDescription& probe : description_.probes) add_probe(probe);
    if (description_.probes.empty()) add_usual_probes();
    for (const HandDescription& hand : description_.hands) add_hand(hand);
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

  /// Refuses names of regions that the mesh does not have.
  void require_regions(int b) const {
    const BodyDescription& body = description_.bodies[uz(b)];
    const auto require = [&](const Places& places, const std::string& section,
                             const std::string& key, const std::string& region) {
      located(places.of(key), fmt::format("{}.{}", section, key),
              [&] { static_cast<void>(geometries_[uz(b)].region(region)); });
    };
    for (const std::string& region : body.held) {
      require(body.places, "body." + body.name, "held", region);
    }
    for (const std::string& region : body.contact_regions) {
      require(body.places, "body." + body.name, "contact_regions", region);
    }
    for (const HandDescription& hand : description_.hands) {
      if (hand.body != b || hand.region.empty()) continue;
      require(hand.places, "hand." + hand.hand.name, "region", hand.region);
    }
    for (const DriveDescription& drive : description_.drives) {
      if (drive.body != b || drive.region.empty()) continue;
      require(drive.places, "drive." + drive.name, "region", drive.region);
    }
    for (const ProbeDescription& probe : description_.probes) {
      if (probe.body != b || probe.region.empty()) continue;
      require(probe.places, "probe." + probe.name, "region", probe.region);
    }
  }

  void add_body(int b) {
    const BodyDescription& body = description_.bodies[uz(b)];
    const BodyGeometry& geometry = geometries_[uz(b)];
    BodyFacts facts;
    facts.nodes = geometry.mesh.node_count();
    facts.elements = geometry.mesh.element_count();
    facts.surface_points = geometry.touching().point_count();
    facts.surface_triangles = geometry.touching().triangle_count();
    for (const Region& region : geometry.mesh.regions) facts.regions.push_back(region.name);
    SceneBody& added = built_.scene.bodies.emplace_back(
        SceneBody{.name = body.name, .body = located(body.places.section, "body." + body.name, [&] {
                                       return make_body(b, geometry, facts);
                                     })});
    added.position = body.position;
    added.orientation = body.orientation;
    added.velocity = body.velocity;
    added.angular_velocity = body.angular_velocity;
    added.exact = geometry.exact;
    built_.facts.push_back(std::move(facts));
  }

  Body make_body(int b, const BodyGeometry& geometry, BodyFacts& facts) const {
    const BodyDescription& body = description_.bodies[uz(b)];
    if (body.kind == BodyKind::fixed) return make_fixed_body(geometry.touching());
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
    if (body.kind != BodyKind::quasi_rigid && locks(geometry.mesh, used)) {
      facts.warnings.push_back(fmt::format(
          "body.{}: four-node elements lock where poisson is near 0.5 ({:g} here): forces come out "
          "several times too large; use ten-node elements (element = \"tet10\", for a "
          "mesh `stickslip mesh convert --to-order 2`), or poisson up to 0.45",
          body.name, used.poisson));
    }
    const DeformationModel model = make_elastic_model(
        geometry.mesh, used, {.damping = body.damping, .contact_regions = body.contact_regions});
    std::vector<int> held;
    for (const std::string& name : body.held) {
      const std::vector<int>& nodes = model.region_nodes(name);
      held.insert(held.end(), nodes.begin(), nodes.end());
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());

    DeformationOptions options;
    options.is_dynamic = body.is_dynamic;
    options.integration = body.integration;
    options.dt = description_.simulation.dt;
    options.load_cases = load_cases(model, loaded_regions_[uz(b)]);
    options.compliance.precompute = body.precompute;
    options.compliance.precision = body.is_float32 ? Precision::float32 : Precision::float64;
    options.compliance.threads = options_.threads;
    if (body.is_cached && options_.use_cache) options.compliance.cache = default_cache_folder();
    if (options_.progress) {
      options.compliance.progress = [&](double share) { options_.progress(body.name, share); };
    }
    if (body.kind == BodyKind::nonlinear) warn_of_law(body, material->law, facts);
    const ElasticLaw law = material == nullptr ? ElasticLaw{} : material->law;
    Body made = make_elastic_body(body, geometry.mesh, used, law, model, held, options);
    if (geometry.skin) wear_skin(geometry, model, made);
    return made;
  }

  static Body make_elastic_body(const BodyDescription& body, const TetMesh& mesh,
                                const Material& used, ElasticLaw law, const DeformationModel& model,
                                const std::vector<int>& held, const DeformationOptions& options) {
    if (body.kind == BodyKind::deformable) return make_deformable_body(model, held, options);
    if (body.kind != BodyKind::nonlinear) return make_corotational_body(model, held, options);
    return make_nonlinear_body(mesh, used, law, model, held,
                               {.load_cases = options.load_cases,
                                .is_dynamic = body.is_dynamic,
                                .dt = options.dt,
                                .newton_steps = body.newton_steps});
  }

  static void wear_skin(const BodyGeometry& geometry, const DeformationModel& model, Body& body) {
    Surface skin = *geometry.skin;
    for (Vec3& point : skin.points) point -= model.mass.centre;
    const NodeShares binding =
        bind_skin(skin, model.nodes, boundary_faces(renumbered(geometry.mesh, model.mesh_nodes)));
    body.wear(std::move(skin), binding);
  }

  static void warn_of_law(const BodyDescription& body, ElasticLaw law, BodyFacts& facts) {
    if (law != ElasticLaw::st_venant_kirchhoff) return;
    facts.warnings.push_back(
        fmt::format("body.{}: st-venant-kirchhoff gives way under compression, at 42 % of it, and "
                    "lets elements "
                    "stay inverted; where strains are not small use neo-hooke or corotated",
                    body.name));
  }

  /// Unit forces along x, y and z on each region.
  static MatX load_cases(const DeformationModel& model, const std::vector<std::string>& regions) {
    MatX cases(3 * model.node_count(), 3 * static_cast<int>(regions.size()));
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Region& region = model.region(regions[r]);
      for (int d = 0; d < 3; ++d) {
        cases.col(static_cast<int>(3 * r) + d) = region_load(model.nodes, region, Vec3::Unit(d));
      }
    }
    return cases;
  }

  /// A rigid body whose load cases act at the centres of regions.
  static Body make_loaded_rigid_body(const BodyGeometry& geometry, const MassProperties& mass,
                                     const std::vector<std::string>& regions) {
    Eigen::Matrix<double, 6, Eigen::Dynamic> cases(6, 3 * static_cast<int>(regions.size()));
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Vec3 arm = geometry.centre_of(geometry.region(regions[r])) - mass.centre;
      cases.block<3, 3>(0, static_cast<int>(3 * r)) = Mat3::Identity();
      cases.block<3, 3>(3, static_cast<int>(3 * r)) = skew(arm);
    }
    Surface centred = geometry.touching();
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
    const BodyGeometry& geometry = geometries_[uz(from.body)];
    const SceneBody& body = built_.scene.bodies[uz(from.body)];
    // points of the surface in the coordinates of the mesh
    const Vec3 centre = body.body.initial_state().frame.position;
    std::vector<Vec3> points = body.body.surface().points;
    for (Vec3& point : points) point += centre;
    const auto& triangles = body.body.surface().triangles;
    if (from.point) {
      probe.point = nearest_on_surface(points, triangles, *from.point);
    } else if (!from.region.empty()) {
      const Vec3& place = geometry.middle_node(geometry.region(from.region));
      probe.point = nearest_on_surface(points, triangles, place);
    }
    probe.is_on_surface = from.point || !from.region.empty();
    built_.scene.probes.push_back(probe);
  }

  void add_hand(const HandDescription& from) {
    Hand hand = from.hand;
    const auto add_handle = [&](int b, const std::optional<Vec3>& place) {
      const SceneBody& body = built_.scene.bodies[uz(b)];
      const FrameState frame = body.body.initial_state(body.position, body.orientation).frame;
      Pose grip{frame.position, Quat::Identity()};
      if (place) grip.position = body.position + body.orientation * *place;
      hand.handles.push_back({b, grip_at(frame, grip)});
      return grip;
    };
    if (from.body >= 0) {
      std::optional<Vec3> place = from.point;
      const BodyGeometry& geometry = geometries_[uz(from.body)];
      if (!from.region.empty()) place = geometry.centre_of(geometry.region(from.region));
      hand.intention = intention_of(from, add_handle(from.body, place));
    } else {
      std::optional<Pose> first;
      for (std::size_t b = 0; b < description_.bodies.size(); ++b) {
        if (!has_free_frame(description_.bodies[b].kind)) continue;
        const Pose grip = add_handle(static_cast<int>(b), std::nullopt);
        if (!first) first = grip;
      }
      hand.intention = intention_of(from, *first);
    }
    built_.scene.hands.push_back(std::move(hand));
  }

  /// The path of a hand, which rests at the grip where there is none.
  static Intention intention_of(const HandDescription& from, const Pose& grip) {
    const auto& rows = from.path.rows();
    const WorkspaceMap& map = from.hand.map;
    const auto pose_of = [&map](const Vec6& value) {
      return map.to_device(Pose{value.head<3>(), rotation_exp(value.tail<3>())});
    };
    Intention intention(rows.empty() ? map.to_device(grip) : pose_of(rows.front().value));
    double time_s = 0.0;
    for (const TimeTable::Row& row : rows) {
      const double seconds = row.time_s - time_s;
      if (seconds <= 0.0) continue;
      if (from.is_path_smooth) {
        intention.minimum_jerk_to(pose_of(row.value), seconds);
      } else {
        intention.ramp_to(pose_of(row.value), seconds);
      }
      time_s = row.time_s;
    }
    constexpr double press_s = 0.05;
    for (const std::optional<double>& at : {from.grab_at, from.release_at}) {
      if (at) intention.press(default_grab_button, *at, *at + press_s);
    }
    return intention;
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
      // the one that can be moved is the one to move
      const bool is_first = has_free_frame(description_.bodies[uz(overlap.body_1)].kind);
      const BodyDescription& one =
          description_.bodies[uz(is_first ? overlap.body_1 : overlap.body_2)];
      const BodyDescription& other =
          description_.bodies[uz(is_first ? overlap.body_2 : overlap.body_1)];
      throw InputError(fmt::format(
          "{}: body.{} starts {:.4g} m deep in body.{}: at most simulation.alarm_distance = {} m; "
          "{}",
          one.places.of("position"), one.name, overlap.depth, other.name, allowed,
          options_.resolve_start ? "pulling them apart failed; move one of them"
                                 : "move one of them, or let --resolve-start pull them apart"));
    }
  }

  const SceneDescription& description_;
  const SceneBuildOptions& options_;
  std::vector<BodyGeometry> geometries_;
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
