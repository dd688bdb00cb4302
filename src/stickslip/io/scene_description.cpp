#include "stickslip/io/scene_description.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "stickslip/error.hpp"
#include "stickslip/io/drive_table.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 5> kind_names = {"fixed", "rigid", "deformable",
                                                        "corotational", "quasi-rigid"};
constexpr std::array<std::string_view, 3> drive_names = {"motion", "force", "spring"};

// values below are of the right type: validate_scene_keys has seen them

void read(const TomlValue& table, std::string_view key, double& target) {
  if (const TomlValue* value = table.find(key)) target = value->real;
}
void read(const TomlValue& table, std::string_view key, std::optional<double>& target) {
  if (const TomlValue* value = table.find(key)) target = value->real;
}
void read(const TomlValue& table, std::string_view key, int& target) {
  if (const TomlValue* value = table.find(key)) target = static_cast<int>(value->integer);
}
void read(const TomlValue& table, std::string_view key, bool& target) {
  if (const TomlValue* value = table.find(key)) target = value->boolean;
}
void read(const TomlValue& table, std::string_view key, std::string& target) {
  if (const TomlValue* value = table.find(key)) target = value->text;
}
void read(const TomlValue& table, std::string_view key, Vec3& target) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return;
  for (int d = 0; d < 3; ++d) target[d] = value->items[uz(d)].real;
}
void read(const TomlValue& table, std::string_view key, std::optional<Vec3>& target) {
  if (table.find(key) != nullptr) read(table, key, target.emplace());
}
void read(const TomlValue& table, std::string_view key, std::vector<std::string>& target) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return;
  target.clear();
  for (const TomlValue& item : value->items) target.push_back(item.text);
}

/// Up to six numbers from a place of a list on; those that are absent are zero.
Vec6 six_numbers(const TomlValue& list, std::size_t first = 0) {
  Vec6 value = Vec6::Zero();
  for (std::size_t i = first; i < list.items.size(); ++i) {
    value[static_cast<int>(i - first)] = list.items[i].real;
  }
  return value;
}

/// The tables of a list; none where the key is absent.
const std::vector<TomlValue>& list_of(const TomlValue& table, std::string_view key) {
  static const std::vector<TomlValue> none;
  const TomlValue* value = table.find(key);
  return value == nullptr ? none : value->items;
}

Places places_of(const TomlValue& table) {
  Places places{table.where, {}};
  for (const auto& [key, value] : table.entries) places.keys[key] = value.where;
  return places;
}

[[noreturn]] void refuse(const std::string& where, const std::string& problem) {
  throw InputError(fmt::format("{}: {}", where, problem));
}

std::string with_suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  const std::string all =
      known.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(known, ", "));
  return near.empty() ? all : fmt::format("did you mean \"{}\"? {}", near, all);
}

/// Refuses keys that mean nothing here.
void refuse_keys(const TomlValue& table, const std::string& path,
                 std::initializer_list<std::string_view> keys, std::string_view why) {
  for (const std::string_view key : keys) {
    if (const TomlValue* value = table.find(key)) {
      refuse_value(*value, fmt::format("{}.{}", path, key), fmt::format("{}; remove it", why));
    }
  }
}

class DescriptionReader {
 public:
  DescriptionReader(const std::filesystem::path& path, const TomlValue& document,
                    const FilePlaces& places)
      : document_(document), places_(places) {
    scene_.path = path;
    scene_.name = path.stem().string();
  }

  SceneDescription read_all() {
    read(document_, "name", scene_.name);
    read_simulation();
    read_materials();
    for (const TomlValue& table : list_of(document_, "body")) read_body(table);
    if (scene_.bodies.empty()) refuse(scene_.path.string(), "has no body; add a [[body]]");
    read_contact();
    read_friction();
    for (const TomlValue& table : list_of(document_, "drive")) read_drive(table);
    for (const TomlValue& table : list_of(document_, "probe")) read_probe(table);
    for (const TomlValue& table : list_of(document_, "hand")) read_hand(table);
    return std::move(scene_);
  }

 private:
  void read_simulation() {
    const TomlValue* table = document_.find("simulation");
    if (table == nullptr) return;
    SimulationOptions& options = scene_.simulation;
    read(*table, "dt", options.dt);
    read(*table, "duration", options.duration);
    read(*table, "gravity", options.gravity);
    read(*table, "solver", options.solver);
    read(*table, "tolerance", options.tolerance);
    read(*table, "max_iterations", options.max_iterations);
    read(*table, "deadline_us", options.deadline_us);
    read(*table, "contact_budget", options.contact_budget);
    read(*table, "alarm_distance", options.alarm_distance);
    std::string delassus = "automatic";
    read(*table, "delassus", delassus);
    if (delassus == "built") options.delassus = DelassusForm::built;
    if (delassus == "unbuilt") options.delassus = DelassusForm::unbuilt;
    read_contact_method(*table);
    read(*table, "passes", options.passes);
    read(*table, "interpolate_normals", options.interpolate_normals);
    read(*table, "recovery_per_step", options.recovery_per_step);
    read(*table, "fast_motion", options.fast_motion);
    std::string proximity = "exact";
    read(*table, "proximity", proximity);
    if (proximity == "stochastic") options.proximity = ProximityKind::stochastic;
    read(*table, "proximity_distances", options.stochastic.distances);
    read(*table, "proximity_samples", options.stochastic.samples);
    int seed = 1;
    read(*table, "proximity_seed", seed);
    options.stochastic.seed = static_cast<std::uint64_t>(seed);
    const auto solvers = solver_names();
    if (std::find(solvers.begin(), solvers.end(), options.solver) == solvers.end()) {
      refuse_value(
          *table->find("solver"), "simulation.solver",
          "is not a solver; " + with_suggestion(options.solver, {solvers.begin(), solvers.end()}));
    }
  }

  void read_contact_method(const TomlValue& table) {
    SimulationOptions& options = scene_.simulation;
    std::string method(to_string(options.contact_method));
    read(table, "contact_method", method);
    const auto methods = contact_method_names();
    options.contact_method = static_cast<ContactMethod>(
        std::find(methods.begin(), methods.end(), method) - methods.begin());
    if (options.contact_method != ContactMethod::exact &&
        options.delassus == DelassusForm::unbuilt) {
      refuse_value(*table.find("delassus"), "simulation.delassus",
                   fmt::format("contact_method {} needs W; choose built", method));
    }
    read(table, "penalty_stiffness", options.law.penalty_stiffness);
    read(table, "penalty_damping", options.law.penalty_damping);
    read(table, "friction_velocity", options.law.friction_velocity);
    read(table, "pyramid_sides", options.pyramid_sides);
    if (options.pyramid_sides % 2 != 0) {
      refuse_value(*table.find("pyramid_sides"), "simulation.pyramid_sides",
                   "must be even; 8 is usual");
    }
  }

  void read_materials() {
    const TomlValue* tables = document_.find("material");
    if (tables == nullptr) return;
    for (const auto& [name, table] : tables->entries) {
      MaterialDescription material;
      material.name = name;
      read(table, "young", material.young);
      read(table, "poisson", material.poisson);
      read(table, "density", material.density);
      scene_.materials.push_back(std::move(material));
    }
  }

  void read_body(const TomlValue& table) {
    BodyDescription body;
    read(table, "name", body.name);
    body.places = places_of(table);
    const std::string path = fmt::format("body.{}", body.name);
    if (body_index(body.name) >= 0) {
      refuse_value(*table.find("name"), "body.name", "two bodies have that name; rename one");
    }
    const std::string& kind = table.find("kind")->text;
    body.kind = static_cast<BodyKind>(std::find(kind_names.begin(), kind_names.end(), kind) -
                                      kind_names.begin());
    read_geometry(table, path, body);
    read_matter(table, path, body);
    read_place(table, path, body);
    scene_.bodies.push_back(std::move(body));
  }

  void read_geometry(const TomlValue& table, const std::string& path, BodyDescription& body) {
    std::string mesh;
    read(table, "mesh", mesh);
    read(table, "shape", body.shape);
    if (mesh.empty() == body.shape.empty()) {
      refuse(table.where,
             fmt::format("{} must have either a mesh or a shape; write mesh = \"file.msh\", or "
                         "shape = \"box\" with its size",
                         path));
    }
    read(table, "scale", body.scale);
    if (!mesh.empty()) {
      body.mesh = place_of(mesh);
      refuse_keys(table, path, {"size", "cells", "element"}, "belongs to a shape, not to a mesh");
    } else {
      refuse_keys(table, path, {"scale"}, "belongs to a mesh; a shape has a size");
      read_shape(table, path, body);
    }
    for (const TomlValue& box : list_of(table, "region")) {
      BoxRegion region;
      read(box, "name", region.name);
      read(box, "low", region.low);
      read(box, "high", region.high);
      region.places = places_of(box);
      if ((region.low.array() > region.high.array()).any()) {
        refuse_value(*box.find("low"), fmt::format("{}.region.{}.low", path, region.name),
                     fmt::format("is above high = {}; low is the smaller corner",
                                 box.find("high")->shown()));
      }
      body.regions.push_back(std::move(region));
    }
  }

  void read_shape(const TomlValue& table, const std::string& path, BodyDescription& body) {
    const bool is_plane = body.shape == "plane";
    const TomlValue* size = table.find("size");
    const std::string wanted = is_plane ? "size = [x, y]" : "size = [x, y, z]";
    if (size == nullptr) {
      refuse(table.where,
             fmt::format("{} is a {} without size; add {} in metres", path, body.shape, wanted));
    }
    if (size->items.size() != (is_plane ? 2U : 3U)) {
      refuse_value(*size, path + ".size", fmt::format("a {} has {} in metres", body.shape, wanted));
    }
    for (std::size_t d = 0; d < size->items.size(); ++d) {
      body.size[static_cast<int>(d)] = size->items[d].real;
    }
    if (is_plane) {
      refuse_keys(table, path, {"cells", "element"}, "belongs to a box; a plane is two triangles");
      if (body.kind != BodyKind::fixed) {
        refuse_value(*table.find("shape"), path + ".shape",
                     fmt::format("a plane has no volume and can only be fixed, not {}; use a box",
                                 to_string(body.kind)));
      }
    }
    if (const TomlValue* cells = table.find("cells")) {
      for (std::size_t d = 0; d < 3; ++d) {
        body.cells[d] = static_cast<int>(cells->items[d].integer);
      }
    }
    std::string element = "tet4";
    read(table, "element", element);
    body.element = element == "tet10" ? ElementType::tet10 : ElementType::tet4;
  }

  void read_matter(const TomlValue& table, const std::string& path, BodyDescription& body) {
    const std::string a_kind = fmt::format("means nothing to a {} body", to_string(body.kind));
    read(table, "material", body.material);
    read(table, "mass", body.mass);
    const MaterialDescription* material = scene_.find_material(body.material);
    if (!body.material.empty() && material == nullptr) {
      std::vector<std::string> names;
      for (const MaterialDescription& known : scene_.materials) names.push_back(known.name);
      refuse_value(*table.find("material"), path + ".material",
                   "is not a material; " + with_suggestion(body.material, names));
    }
    if (body.kind == BodyKind::fixed) refuse_keys(table, path, {"mass"}, a_kind);
    const bool has_density = material != nullptr && material->density.has_value();
    if (body.kind != BodyKind::fixed && !body.mass && !has_density) {
      refuse(table.where, fmt::format("{} has no mass; give it mass = ... [kg], or a material with "
                                      "a density",
                                      path));
    }
    const bool is_elastic =
        body.kind == BodyKind::deformable || body.kind == BodyKind::corotational;
    if (is_elastic && (material == nullptr || !material->young || !material->poisson)) {
      refuse(table.where, fmt::format("{} is {} and needs a material with young and poisson", path,
                                      to_string(body.kind)));
    }

    if (!is_elastic) refuse_keys(table, path, {"dynamic", "integration", "damping"}, a_kind);
    read(table, "dynamic", body.is_dynamic);
    if (!body.is_dynamic) {
      refuse_keys(table, path, {"integration", "damping"},
                  "means nothing without inertia; add dynamic = true, or");
    }
    std::string integration = "euler";
    read(table, "integration", integration);
    if (integration == "trapezoidal") body.integration = Integration::trapezoidal;
    if (const TomlValue* damping = table.find("damping")) {
      read(*damping, "alpha", body.damping.alpha);
      read(*damping, "beta", body.damping.beta);
    }
    if (body.kind != BodyKind::quasi_rigid) refuse_keys(table, path, {"young_ratio"}, a_kind);
    read(table, "young_ratio", body.young_ratio);
    if (!has_elements(body.kind)) {
      refuse_keys(table, path, {"precompute", "float32", "cache", "contact_regions"}, a_kind);
    }
    read(table, "precompute", body.precompute);
    read(table, "float32", body.is_float32);
    read(table, "cache", body.is_cached);
  }

  void read_place(const TomlValue& table, const std::string& path, BodyDescription& body) {
    read(table, "position", body.position);
    if (const TomlValue* rotation = table.find("rotation")) {
      Vec3 axis = Vec3::UnitZ();
      double angle_deg = 0.0;
      read(*rotation, "axis", axis);
      read(*rotation, "angle_deg", angle_deg);
      if (axis.norm() == 0.0) {
        refuse_value(*rotation->find("axis"), path + ".rotation.axis",
                     "has no direction; e.g. [0, 0, 1]");
      }
      body.orientation =
          Quat(Eigen::AngleAxisd(angle_deg * std::numbers::pi / 180.0, axis.stableNormalized()));
    }
    if (!has_free_frame(body.kind)) {
      refuse_keys(
          table, path, {"velocity", "angular_velocity"},
          fmt::format("a {} body stands still; move it by a drive, and", to_string(body.kind)));
    }
    read(table, "velocity", body.velocity);
    read(table, "angular_velocity", body.angular_velocity);
    if (!has_elements(body.kind) || body.kind == BodyKind::quasi_rigid) {
      refuse_keys(table, path, {"held"},
                  fmt::format("a {} body cannot be held at a region", to_string(body.kind)));
    }
    read(table, "held", body.held);
    read(table, "contact_regions", body.contact_regions);
    if (body.kind == BodyKind::deformable && body.held.empty()) {
      refuse(table.where,
             fmt::format("{} is deformable but held nowhere: it would float, since its frame "
                         "stands still; add held = [\"region\"], or make it corotational",
                         path));
    }
  }

  void read_contact() {
    const TomlValue* contact = document_.find("contact");
    if (contact == nullptr) return;
    read(*contact, "friction", scene_.friction);
    for (const TomlValue& pair : list_of(*contact, "excluded")) {
      std::array<int, 2> bodies{};
      for (std::size_t k = 0; k < 2; ++k) {
        bodies[k] = body_index(pair.items[k].text);
        if (bodies[k] < 0) {
          refuse_value(pair, "contact.excluded",
                       fmt::format("\"{}\" is not a body; {}", pair.items[k].text,
                                   with_suggestion(pair.items[k].text, body_names())));
        }
      }
      if (bodies[0] == bodies[1]) {
        refuse_value(pair, "contact.excluded", "a body does not touch itself; name two");
      }
      scene_.excluded_pairs.emplace_back(bodies[0], bodies[1]);
    }
  }

  void read_friction() {
    std::set<std::pair<std::string, std::string>> said;
    for (const TomlValue& table : list_of(document_, "friction")) {
      FrictionDescription pair;
      const TomlValue& between = *table.find("between");
      pair.first = between.items[0].text;
      pair.second = between.items[1].text;
      read(table, "mu", pair.mu);
      for (const std::string& name : {pair.first, pair.second}) {
        if (body_index(name) >= 0 || scene_.find_material(name) != nullptr) continue;
        std::vector<std::string> known = body_names();
        for (const MaterialDescription& material : scene_.materials) known.push_back(material.name);
        refuse_value(between, "friction.between",
                     fmt::format("\"{}\" is neither a body nor a material; {}", name,
                                 with_suggestion(name, known)));
      }
      if (pair.first == pair.second && body_index(pair.first) >= 0) {
        refuse_value(between, "friction.between", "a body does not touch itself; name two");
      }
      if (!said.insert(std::minmax(pair.first, pair.second)).second) {
        refuse_value(between, "friction.between", "stands twice; remove one");
      }
      scene_.friction_pairs.push_back(std::move(pair));
    }
  }

  void read_drive(const TomlValue& table) {
    DriveDescription drive;
    drive.name = std::to_string(scene_.drives.size() + 1);
    read(table, "name", drive.name);
    drive.places = places_of(table);
    const std::string path = fmt::format("drive.{}", drive.name);
    for (const DriveDescription& other : scene_.drives) {
      if (other.name == drive.name) {
        refuse(table.where, fmt::format("{}: two drives have that name; rename one", path));
      }
    }
    drive.body = require_body(table, path);
    const BodyDescription& body = scene_.bodies[uz(drive.body)];
    const std::string& kind = table.find("kind")->text;
    drive.kind = static_cast<DriveKind>(std::find(drive_names.begin(), drive_names.end(), kind) -
                                        drive_names.begin());
    read(table, "region", drive.region);
    read(table, "pivot", drive.pivot);
    read(table, "stiffness", drive.stiffness);
    read(table, "damping", drive.damping);
    read(table, "rotational_stiffness", drive.rotational_stiffness);
    read(table, "rotational_damping", drive.rotational_damping);
    drive.table = read_course(table, path, drive.kind);

    // what the kind of body can be driven by
    const auto refuse_kind = [&](std::string_view remedy) {
      refuse_value(*table.find("kind"), path + ".kind",
                   fmt::format("body \"{}\" is {}; {}", body.name, to_string(body.kind), remedy));
    };
    if (drive.kind != DriveKind::spring) {
      refuse_keys(table, path,
                  {"stiffness", "damping", "rotational_stiffness", "rotational_damping"},
                  "belongs to a spring");
    }
    switch (drive.kind) {
      case DriveKind::motion:
        refuse_keys(table, path, {"region"}, "a motion moves the whole frame with what is held");
        if (has_free_frame(body.kind)) {
          refuse_kind("a motion drives fixed and deformable ones; tie this one to a spring");
        }
        for (const DriveDescription& other : scene_.drives) {
          if (other.kind == DriveKind::motion && other.body == drive.body) {
            refuse_kind(fmt::format("drive \"{}\" moves it already; remove one", other.name));
          }
        }
        break;
      case DriveKind::force:
        refuse_keys(table, path, {"pivot"}, "belongs to a motion or spring");
        if (body.kind == BodyKind::fixed) refuse_kind("no force moves it; use a motion");
        if (body.kind == BodyKind::deformable && drive.region.empty()) {
          refuse_kind("its frame stands still; name the region that the force acts on");
        }
        break;
      case DriveKind::spring:
        refuse_keys(table, path, {"region"}, "a spring holds the whole frame");
        if (!has_free_frame(body.kind)) refuse_kind("nothing but a motion moves it");
        if (drive.stiffness + drive.damping + drive.rotational_stiffness +
                drive.rotational_damping ==
            0.0) {
          refuse(table.where,
                 fmt::format("{} is a spring without stiffness; add stiffness = ... [N/m]", path));
        }
        break;
    }
    scene_.drives.push_back(std::move(drive));
  }

  TimeTable read_course(const TomlValue& table, const std::string& path, DriveKind kind) {
    const TomlValue* given = nullptr;
    for (const char* key : {"value", "ramp", "table", "csv"}) {
      const TomlValue* value = table.find(key);
      if (value == nullptr) continue;
      if (given != nullptr) {
        refuse(value->where,
               fmt::format("{} has more than one of value, ramp, table and csv; keep one", path));
      }
      given = value;
    }
    if (given == nullptr) {
      refuse(table.where,
             fmt::format("{} does not say how much; add value, ramp, table or csv", path));
    }
    TimeTable course;
    if (given == table.find("value")) {
      course = TimeTable(six_numbers(*given));
    } else if (given == table.find("ramp")) {
      course = read_ramp(*given);
    } else if (given == table.find("csv")) {
      try {
        course = read_drive_csv(place_of(given->text), kind);
      } catch (const InputError& error) {
        refuse(given->where, fmt::format("{}.csv: {}", path, error.what()));
      }
    } else {
      course = read_rows(*given, path + ".table");
    }
    const bool has_torque = std::any_of(course.rows().begin(), course.rows().end(), [](auto& row) {
      return !row.value.template tail<3>().isZero(0.0);
    });
    if (table.find("region") != nullptr && has_torque) {
      refuse(given->where,
             fmt::format("{}: a force on a region has no torque; give three numbers", path));
    }
    return course;
  }

  static TimeTable read_ramp(const TomlValue& ramp) {
    double start = 0.0;
    double duration = 0.0;
    read(ramp, "start", start);
    read(ramp, "duration", duration);
    const TomlValue* from = ramp.find("from");
    const Vec6 low = from == nullptr ? Vec6(Vec6::Zero()) : six_numbers(*from);
    return TimeTable({{start, low}, {start + duration, six_numbers(*ramp.find("to"))}});
  }

  static TimeTable read_rows(const TomlValue& table, const std::string& path) {
    std::vector<TimeTable::Row> rows;
    for (const TomlValue& row : table.items) {
      const double time_s = row.items[0].real;
      if (!rows.empty() && time_s <= rows.back().time_s) {
        refuse_value(row, path,
                     fmt::format("time {} does not come after {}; let times ascend", time_s,
                                 rows.back().time_s));
      }
      rows.push_back({time_s, six_numbers(row, 1)});
    }
    return TimeTable(std::move(rows));
  }

  void read_probe(const TomlValue& table) {
    ProbeDescription probe;
    read(table, "name", probe.name);
    probe.places = places_of(table);
    const std::string path = fmt::format("probe.{}", probe.name);
    for (const ProbeDescription& other : scene_.probes) {
      if (other.name == probe.name) {
        refuse_value(*table.find("name"), "probe.name", "two probes have that name; rename one");
      }
    }
    probe.body = require_body(table, path);
    read(table, "point", probe.point);
    read(table, "region", probe.region);
    if (probe.point && !probe.region.empty()) {
      refuse(table.where, fmt::format("{} has both a point and a region; keep one", path));
    }
    scene_.probes.push_back(std::move(probe));
  }

  void read_hand(const TomlValue& table) {
    HandDescription from;
    Hand& hand = from.hand;
    hand.name = scene_.hands.empty() ? "hand" : fmt::format("hand{}", scene_.hands.size() + 1);
    read(table, "name", hand.name);
    from.places = places_of(table);
    const std::string path = fmt::format("hand.{}", hand.name);
    for (const HandDescription& other : scene_.hands) {
      if (other.hand.name == hand.name) {
        refuse(table.where, fmt::format("{}: two hands have that name; rename one", path));
      }
    }
    from.body = require_body(table, path);
    const BodyDescription& body = scene_.bodies[uz(from.body)];
    if (!has_free_frame(body.kind)) {
      refuse_value(*table.find("body"), path + ".body",
                   fmt::format("is {}; a hand can hold a rigid, corotational or quasi-rigid body",
                               to_string(body.kind)));
    }
    read(table, "point", from.point);
    read(table, "region", from.region);
    if (from.point && !from.region.empty()) {
      refuse(table.where, fmt::format("{} has both a point and a region; keep one", path));
    }
    read(table, "reach", hand.reach);
    read(table, "device", hand.device);
    read(table, "starts_holding", hand.starts_holding);
    read(table, "grab_at", from.grab_at);
    read(table, "release_at", from.release_at);
    if (from.grab_at && !table.find("starts_holding")) hand.starts_holding = false;
    const TomlValue* rows = table.find("path");
    if (rows != nullptr) from.path = read_rows(*rows, path + ".path");
    std::string kind = "minimum-jerk";
    read(table, "path_kind", kind);
    from.is_path_smooth = kind == "minimum-jerk";
    read_workspace(table, hand);
    read_gains(table, hand);
    scene_.hands.push_back(std::move(from));
  }

  static void read_workspace(const TomlValue& table, Hand& hand) {
    Vec3 turn = Vec3::Zero();
    read(table, "centre", hand.map.centre);
    read(table, "turn", turn);
    hand.map.turn = rotation_exp(turn);
    read(table, "motion_scale", hand.map.motion_scale);
    read(table, "force_scale", hand.map.force_scale);
    read(table, "max_force", hand.max_force);
    read(table, "max_torque", hand.max_torque);
  }

  static void read_gains(const TomlValue& table, Hand& hand) {
    CouplingGains& gains = hand.gains;
    gains.stiffness = gains.damping = std::numeric_limits<double>::quiet_NaN();
    gains.rotational_stiffness = gains.rotational_damping = gains.stiffness;
    read(table, "stiffness", gains.stiffness);
    read(table, "damping", gains.damping);
    read(table, "rotational_stiffness", gains.rotational_stiffness);
    read(table, "rotational_damping", gains.rotational_damping);
  }

  std::vector<std::string> body_names() const {
    std::vector<std::string> names;
    for (const BodyDescription& body : scene_.bodies) names.push_back(body.name);
    return names;
  }

  /// -1 where there is none.
  int body_index(const std::string& name) const {
    const std::vector<std::string> names = body_names();
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }

  int require_body(const TomlValue& table, const std::string& path) const {
    const TomlValue& name = *table.find("body");
    const int index = body_index(name.text);
    if (index < 0) {
      refuse_value(name, path + ".body",
                   "is not a body; " + with_suggestion(name.text, body_names()));
    }
    return index;
  }

  /// A file beside the scene file, unless the path is absolute or the place is given.
  std::filesystem::path place_of(const std::string& file) {
    const auto given = places_.find(file);
    return scene_.files[file] =
               given != places_.end() ? given->second : scene_.path.parent_path() / file;
  }

  const TomlValue& document_;
  const FilePlaces& places_;
  SceneDescription scene_;
};

}  // namespace

std::string_view to_string(BodyKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string_view to_string(DriveKind kind) {
  return drive_names[static_cast<std::size_t>(kind)];
}

const MaterialDescription* SceneDescription::find_material(std::string_view name) const {
  const auto found =
      std::find_if(materials.begin(), materials.end(),
                   [&](const MaterialDescription& material) { return material.name == name; });
  return found == materials.end() ? nullptr : &*found;
}

SceneDescription read_scene_description(const std::filesystem::path& path,
                                        const std::vector<std::string>& overrides,
                                        const FilePlaces& places) {
  TomlValue document = read_toml(path);
  apply_overrides(overrides, document);
  validate_scene_keys(document);
  return DescriptionReader(path, document, places).read_all();
}

MatX friction_table(const SceneDescription& scene) {
  const auto count = static_cast<int>(scene.bodies.size());
  MatX mu = MatX::Constant(count, count, scene.friction);
  const auto is_body = [&](const std::string& name) {
    return std::any_of(scene.bodies.begin(), scene.bodies.end(),
                       [&](const BodyDescription& body) { return body.name == name; });
  };
  // the vaguest first, so that the others replace it
  for (int bodies_named = 0; bodies_named <= 2; ++bodies_named) {
    for (const FrictionDescription& pair : scene.friction_pairs) {
      const bool is_first_body = is_body(pair.first);
      const bool is_second_body = is_body(pair.second);
      if ((is_first_body ? 1 : 0) + (is_second_body ? 1 : 0) != bodies_named) continue;
      const auto fits = [&](const BodyDescription& body, const std::string& name, bool by_body) {
        return (by_body ? body.name : body.material) == name;
      };
      for (int a = 0; a < count; ++a) {
        for (int b = 0; b < count; ++b) {
          if (a == b || !fits(scene.bodies[uz(a)], pair.first, is_first_body) ||
              !fits(scene.bodies[uz(b)], pair.second, is_second_body)) {
            continue;
          }
          mu(a, b) = mu(b, a) = pair.mu;
        }
      }
    }
  }
  return mu;
}

}  // namespace stickslip
