#include "stickslip/io/scene_description.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "stickslip/io/scene_keys.hpp"
#include "stickslip/io/scene_reader.hpp"
#include "stickslip/io/scene_values.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {

SceneReader::SceneReader(const std::filesystem::path& path, const TomlValue& document,
                         const FilePlaces& places)
    : document_(document), places_(places) {
  scene_.path = path;
  scene_.name = path.stem().string();
}

SceneDescription SceneReader::read_all() {
  read(document_, "name", scene_.name);
  read_simulation();
  read_materials();
  for (const TomlValue& table : list_of(document_, "body")) read_body(table);
  if (scene_.bodies.empty()) refuse(scene_.path.string(), "has no body; add a [[body]]");
  read_contact();
  read_friction();
  refuse_friction_unsolved();
  for (const TomlValue& table : list_of(document_, "drive")) read_drive(table);
  for (const TomlValue& table : list_of(document_, "probe")) read_probe(table);
  for (const TomlValue& table : list_of(document_, "hand")) read_hand(table);
  return std::move(scene_);
}

void SceneReader::read_simulation() {
  const TomlValue* table = document_.find("simulation");
  if (table == nullptr) return;
  SimulationOptions& options = scene_.simulation;
  read(*table, "dt", options.dt);
  read(*table, "duration", options.duration);
  read(*table, "gravity", options.gravity);
  std::string solver(to_string(options.solver));
  read(*table, "solver", solver);
  if (const auto kind = solver_of(solver)) {
    options.solver = *kind;
  } else {
    const auto solvers = solver_names();
    refuse_value(*table->find("solver"), "simulation.solver",
                 "is not a solver; " + with_suggestion(solver, {solvers.begin(), solvers.end()}));
  }
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
  read(*table, "all_contacts", options.all_contacts);
  std::string proximity = "exact";
  read(*table, "proximity", proximity);
  if (proximity == "stochastic") options.proximity = ProximityKind::stochastic;
  read(*table, "proximity_distances", options.stochastic.distances);
  read(*table, "proximity_samples", options.stochastic.samples);
  int seed = 1;
  read(*table, "proximity_seed", seed);
  options.stochastic.seed = static_cast<std::uint64_t>(seed);
}

void SceneReader::read_contact_method(const TomlValue& table) {
  SimulationOptions& options = scene_.simulation;
  std::string method(to_string(options.contact_method));
  read(table, "contact_method", method);
  const auto methods = contact_method_names();
  options.contact_method = static_cast<ContactMethod>(
      std::find(methods.begin(), methods.end(), method) - methods.begin());
  if (options.contact_method != ContactMethod::exact && options.delassus == DelassusForm::unbuilt) {
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

void SceneReader::read_materials() {
  const TomlValue* tables = document_.find("material");
  if (tables == nullptr) return;
  for (const auto& [name, table] : tables->entries) {
    MaterialDescription material;
    material.name = name;
    read(table, "young", material.young);
    read(table, "poisson", material.poisson);
    read(table, "density", material.density);
    std::string law(to_string(material.law));
    read(table, "law", law);
    for (const ElasticLaw known :
         {ElasticLaw::neo_hooke, ElasticLaw::corotated, ElasticLaw::st_venant_kirchhoff}) {
      if (law == to_string(known)) material.law = known;
    }
    scene_.materials.push_back(std::move(material));
  }
}

void SceneReader::read_contact() {
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

void SceneReader::refuse_friction_unsolved() const {
  if (!is_frictionless(scene_.simulation.solver) || !scene_.has_friction()) return;
  refuse_value(
      *document_.find("simulation")->find("solver"), "simulation.solver",
      "knows no friction, and the scene has some; choose auto, or let every friction be 0");
}

void SceneReader::read_friction() {
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

void SceneReader::read_probe(const TomlValue& table) {
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

std::vector<std::string> SceneReader::body_names() const {
  std::vector<std::string> names;
  for (const BodyDescription& body : scene_.bodies) names.push_back(body.name);
  return names;
}

int SceneReader::body_index(const std::string& name) const {
  const std::vector<std::string> names = body_names();
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

int SceneReader::require_body(const TomlValue& table, const std::string& path) const {
  const TomlValue& name = *table.find("body");
  const int index = body_index(name.text);
  if (index < 0) {
    refuse_value(name, path + ".body",
                 "is not a body; " + with_suggestion(name.text, body_names()));
  }
  return index;
}

std::filesystem::path SceneReader::place_of(const std::string& file) {
  const auto given = places_.find(file);
  return scene_.files[file] =
             given != places_.end() ? given->second : scene_.path.parent_path() / file;
}

bool SceneDescription::has_friction() const {
  return friction > 0.0 ||
         std::any_of(friction_pairs.begin(), friction_pairs.end(),
                     [](const FrictionDescription& pair) { return pair.mu > 0.0; });
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
  return describe_scene(document, path, places);
}

SceneDescription describe_scene(const TomlValue& document, const std::filesystem::path& path,
                                const FilePlaces& places) {
  validate_scene_keys(document);
  return SceneReader(path, document, places).read_all();
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
