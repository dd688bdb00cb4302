#include <fmt/core.h>
#include <fmt/ranges.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/scene_progress.hpp"
#include "apps/cli/vector_text.hpp"
#include "apps/json_values.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/mesh/findings.hpp"

namespace stickslip::cli {

namespace {

struct SceneOptions {
  std::string scene;
  std::vector<std::string> overrides;
  bool resolve_start = false;
  bool json = false;
};

using Json = nlohmann::ordered_json;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// What is allowed, and yet is most likely not meant, or far off.
std::vector<std::string> doubts(const SceneDescription& description, const BuiltScene& built) {
  std::vector<std::string> doubts;
  for (const BodyFacts& facts : built.facts) {
    doubts.insert(doubts.end(), facts.warnings.begin(), facts.warnings.end());
  }
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const BodyDescription& body = description.bodies[b];
    // a floor may be as large as it likes
    if (body.mesh.empty() && body.kind == BodyKind::fixed) continue;
    Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
    Vec3 high = -low;
    for (const Vec3& point : built.scene.bodies[b].body.surface().points) {
      low = low.cwiseMin(point);
      high = high.cwiseMax(point);
    }
    std::vector<Finding> findings;
    check_size((high - low).maxCoeff(), findings);
    for (const Finding& finding : findings) {
      doubts.push_back(
          fmt::format("body.{}: {} ({}); {}", body.name, finding.message, finding.where,
                      body.mesh.empty() ? "the lengths of a shape are in metres"
                                        : finding.remedy + ", or give the body a scale"));
    }
  }
  return doubts;
}

Json report_json(const SceneDescription& description, const BuiltScene& built,
                 const std::string& file) {
  const SimulationOptions& simulation = description.simulation;
  Json json = {{"file", file}, {"ok", true}, {"name", description.name}};
  json["simulation"] = {{"dt_s", simulation.dt},
                        {"duration_s", simulation.duration},
                        {"gravity_m_s2", vector_json(simulation.gravity)},
                        {"solver", to_string(simulation.solver)},
                        {"tolerance", simulation.tolerance},
                        {"alarm_distance_m", simulation.alarm_distance}};
  json["materials"] = Json::array();
  for (const MaterialDescription& material : description.materials) {
    json["materials"].push_back({{"name", material.name},
                                 {"young_Pa", or_null(material.young)},
                                 {"poisson", or_null(material.poisson)},
                                 {"density_kg_m3", or_null(material.density)}});
  }
  json["bodies"] = Json::array();
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const BodyDescription& body = description.bodies[b];
    const BodyFacts& facts = built.facts[b];
    json["bodies"].push_back({{"name", body.name},
                              {"kind", to_string(body.kind)},
                              {"material", body.material},
                              {"nodes", facts.nodes},
                              {"elements", facts.elements},
                              {"surface_points", facts.surface_points},
                              {"surface_triangles", facts.surface_triangles},
                              {"mass_kg", facts.mass},
                              {"position_m", vector_json(built.scene.bodies[b].position)},
                              {"held", body.held},
                              {"regions", facts.regions}});
  }
  json["friction"] = Json::array();
  for (std::size_t a = 0; a < description.bodies.size(); ++a) {
    for (std::size_t b = a + 1; b < description.bodies.size(); ++b) {
      json["friction"].push_back(
          {{"between", {description.bodies[a].name, description.bodies[b].name}},
           {"mu", built.scene.friction(static_cast<int>(a), static_cast<int>(b))}});
    }
  }
  json["drives"] = Json::array();
  for (const DriveDescription& drive : description.drives) {
    json["drives"].push_back({{"name", drive.name},
                              {"body", description.bodies[uz(drive.body)].name},
                              {"kind", to_string(drive.kind)},
                              {"region", drive.region},
                              {"rows", drive.table.rows().size()}});
  }
  json["probes"] = Json::array();
  for (const Probe& probe : built.scene.probes) {
    json["probes"].push_back(
        {{"name", probe.name}, {"body", description.bodies[uz(probe.body)].name}});
  }
  json["warnings"] = doubts(description, built);
  return json;
}

/// The friction of all pairs, as a triangle with a column for each body but the last.
std::string friction_text(const SceneDescription& description, const MatX& friction) {
  const std::size_t count = description.bodies.size();
  if (count < 2) return {};
  std::size_t width = 6;
  for (const BodyDescription& body : description.bodies) width = std::max(width, body.name.size());
  std::string text = fmt::format("friction\n  {:<{}}", "", width);
  for (std::size_t b = 0; b + 1 < count; ++b) {
    text += fmt::format("  {:>{}}", description.bodies[b].name, width);
  }
  text += "\n";
  for (std::size_t a = 1; a < count; ++a) {
    text += fmt::format("  {:<{}}", description.bodies[a].name, width);
    for (std::size_t b = 0; b < a; ++b) {
      text += fmt::format("  {:>{}.4g}", friction(static_cast<int>(a), static_cast<int>(b)), width);
    }
    text += "\n";
  }
  return text;
}

std::string report_text(const SceneDescription& description, const BuiltScene& built) {
  const SimulationOptions& simulation = description.simulation;
  std::string text = fmt::format(
      "{}: {:g} s in steps of {:g} s, gravity {} m/s^2, solver {} to {:g}\n", description.name,
      simulation.duration, simulation.dt, vector_text(simulation.gravity),
      to_string(simulation.solver), simulation.tolerance);
  text += "bodies\n";
  for (std::size_t b = 0; b < description.bodies.size(); ++b) {
    const BodyDescription& body = description.bodies[b];
    const BodyFacts& facts = built.facts[b];
    text += fmt::format("  {}: {}", body.name, to_string(body.kind));
    if (!body.material.empty()) text += fmt::format(", {}", body.material);
    if (facts.elements > 0) {
      text += fmt::format(", {} nodes, {} elements", facts.nodes, facts.elements);
    }
    text += fmt::format(", surface of {} points and {} triangles", facts.surface_points,
                        facts.surface_triangles);
    if (facts.mass > 0.0) text += fmt::format(", {:.4g} kg", facts.mass);
    text += fmt::format(", at {} m", vector_text(built.scene.bodies[b].position));
    if (!body.held.empty()) text += fmt::format(", held at {}", fmt::join(body.held, ", "));
    text += "\n";
    if (!facts.regions.empty()) {
      text += fmt::format("    regions {}\n", fmt::join(facts.regions, ", "));
    }
  }
  if (!description.materials.empty()) text += "materials\n";
  for (const MaterialDescription& material : description.materials) {
    text += fmt::format("  {}:", material.name);
    if (material.young) text += fmt::format(" young {:g} Pa", *material.young);
    if (material.poisson) text += fmt::format(" poisson {:g}", *material.poisson);
    if (material.density) text += fmt::format(" density {:g} kg/m^3", *material.density);
    text += "\n";
  }
  text += friction_text(description, built.scene.friction);
  if (!description.drives.empty()) text += "drives\n";
  for (const DriveDescription& drive : description.drives) {
    const auto& rows = drive.table.rows();
    text += fmt::format(
        "  {}: {} of {}{}, {}\n", drive.name, to_string(drive.kind),
        description.bodies[uz(drive.body)].name, drive.region.empty() ? "" : " at " + drive.region,
        rows.size() == 1
            ? std::string("constant")
            : fmt::format("from {:g} s to {:g} s", rows.front().time_s, rows.back().time_s));
  }
  if (!built.scene.probes.empty()) text += "probes\n";
  for (const Probe& probe : built.scene.probes) {
    text += fmt::format("  {}: {} of {}\n", probe.name,
                        probe.is_on_surface ? "a point of the surface" : "the centre of mass",
                        description.bodies[uz(probe.body)].name);
  }
  return text;
}

void check_scene(const SceneOptions& options) {
  try {
    const SceneDescription description = read_scene_description(options.scene, options.overrides);
    BuiltScene built;
    {
      SceneProgress progress;
      SceneBuildOptions building;
      building.resolve_start = options.resolve_start;
      building.progress = progress.callback();
      built = build_scene(description, building);
    }
    if (options.json) {
      fmt::print("{}\n", report_json(description, built, options.scene)
                             .dump(-1, ' ', false, Json::error_handler_t::replace));
    } else {
      fmt::print("{}", report_text(description, built));
    }
    for (const std::string& doubt : doubts(description, built)) {
      fmt::print(stderr, "stickslip: warning: {}\n", doubt);
    }
  } catch (const InputError& error) {
    if (!options.json) throw;
    const Json json = {{"file", options.scene}, {"ok", false}, {"message", error.what()}};
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    fmt::print(stderr, "stickslip: {}\n", error.what());
    throw ExitCode{2};
  }
}

}  // namespace

void add_scene_command(CLI::App& program) {
  CLI::App* scene = program.add_subcommand("scene", "Scene files");
  scene->require_subcommand(1);
  const auto options = std::make_shared<SceneOptions>();
  CLI::App* check = scene->add_subcommand(
      "check", "Read a scene as `run` does, and say what is in it or what is wrong");
  check->add_option("FILE", options->scene, "Scene file (.toml)")->required();
  check
      ->add_option("--set", options->overrides,
                   "PATH=VALUE in place of the scene's own; may be repeated")
      ->allow_extra_args(false);
  check->add_flag("--resolve-start", options->resolve_start,
                  "Pull bodies apart that overlap at the start");
  check->add_flag("--json", options->json, "One JSON object on standard output");
  check->footer(
      "What is wrong is said in one line with the place in the file, and the exit code is 2.\n"
      "docs/scene_format.md lists every key. Example:\n"
      "  stickslip scene check scenes/incline.toml --set body.block.kind=rigid");
  check->callback([options] { check_scene(*options); });
}

}  // namespace stickslip::cli
