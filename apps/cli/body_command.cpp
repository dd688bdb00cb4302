#include <fmt/core.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/commands.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/units.hpp"
#include "apps/json_values.hpp"
#include "apps/plot/picture.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/compliance.hpp"
#include "stickslip/fem/compliance_cache.hpp"
#include "stickslip/fem/vibration.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::cli {

namespace {

struct BodyOptions {
  std::string mesh;
  Material material;
  double mass = 0.0;
  std::vector<std::string> clamped;
  std::vector<std::string> contact_regions;
  std::vector<std::string> loads;
  int frequencies = 6;
  bool on_demand = false;
  bool float32 = false;
  std::string memory_limit = "4GB";
  std::string cache;
  bool no_cache = false;
  std::string deformed;
  std::string picture;
  std::string up = "z";
  double magnify = 1.0;
  bool json = false;
};

/// A total force on a named region, as `REGION:FX,FY,FZ` says it.
struct Load {
  std::string region;
  Vec3 force;
};

Load parse_load(const std::string& text) {
  const auto refuse = [&] {
    return InputError(fmt::format(
        "--load {}: write REGION:FX,FY,FZ with the total force in newtons, e.g. handle:0,0,-5",
        text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) throw refuse();
  Load load{text.substr(0, colon), Vec3::Zero()};
  const char* at = text.data() + colon + 1;
  const char* end = text.data() + text.size();
  for (int d = 0; d < 3; ++d) {
    const auto [next, error] = std::from_chars(at, end, load.force[d]);
    const bool ends_well = d < 2 ? next != end && *next == ',' : next == end;
    if (error != std::errc() || !ends_well || !std::isfinite(load.force[d])) throw refuse();
    at = next + 1;
  }
  return load;
}

struct Deflection {
  Load load;
  Vec3 mean;       ///< what the load works on, per newton [m]
  double largest;  ///< of any node of the region [m]
};

struct BodyReport {
  int nodes = 0;
  int elements = 0;
  int surface_nodes = 0;
  int contact_nodes = 0;
  MassProperties mass;
  double density = 0.0;
  VecX frequencies_hz;
  Compliance::Report compliance;
  std::vector<Deflection> deflections;
  double largest_displacement = 0.0;
};

std::vector<int> clamped_nodes(const DeformationModel& model, const BodyOptions& options) {
  std::vector<int> nodes;
  for (const std::string& name : options.clamped) {
    const auto& region = model.region_nodes(name);
    nodes.insert(nodes.end(), region.begin(), region.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// Surface compliance, with the memory it will take said beforehand.
Compliance compute_compliance(const DeformationModel& model, const std::vector<int>& held,
                              const BodyOptions& options) {
  ComplianceOptions wanted;
  wanted.precompute = !options.on_demand;
  wanted.precision = options.float32 ? Precision::float32 : Precision::float64;
  wanted.memory_limit_bytes = parse_bytes("--memory-limit", options.memory_limit);
  if (!options.no_cache) {
    wanted.cache = options.cache;
    if (wanted.cache.empty()) wanted.cache = default_cache_folder();
  }
  if (wanted.precompute) {
    fmt::print(stderr, "surface compliance: {} x {} nodes, {:.1f} MB\n", model.surface_count(),
               model.contact_count,
               static_cast<double>(compliance_bytes(model, wanted.precision)) * 1e-6);
  }
  ProgressBar bar("surface compliance");
  wanted.progress = [&](double share) { bar.show(share); };
  return Compliance(model, model.K, held, wanted);
}

std::vector<Deflection> deflect(const DeformationModel& model, const Compliance& compliance,
                                const std::vector<Load>& loads, VecX& u) {
  MatX displacement = MatX::Zero(3 * model.node_count(), 1);
  for (const Load& load : loads) {
    displacement.col(0) += region_load(model.nodes, model.region(load.region), load.force);
  }
  compliance.solve(displacement);
  u = displacement.col(0);
  std::vector<Deflection> deflections;
  for (const Load& load : loads) {
    const Region& region = model.region(load.region);
    Deflection& found = deflections.emplace_back(Deflection{load, Vec3::Zero(), 0.0});
    for (int d = 0; d < 3; ++d) {
      found.mean[d] = region_load(model.nodes, region, Vec3::Unit(d)).dot(u);
    }
    for (const int node : region.nodes) {
      found.largest = std::max(found.largest, u.segment<3>(3 * node).norm());
    }
  }
  return deflections;
}

std::string report_json(const BodyOptions& options, const BodyReport& report) {
  const Mat3& I = report.mass.inertia;
  nlohmann::ordered_json json;
  json["file"] = options.mesh;
  json["nodes"] = report.nodes;
  json["elements"] = report.elements;
  json["young_Pa"] = options.material.young;
  json["poisson"] = options.material.poisson;
  json["density_kg_m3"] = report.density;
  json["mass_kg"] = report.mass.mass;
  json["centre_m"] = vector_json(report.mass.centre);
  json["inertia_kg_m2"] = {vector_json(I.row(0)), vector_json(I.row(1)), vector_json(I.row(2))};
  json["clamped"] = options.clamped;
  json["frequencies_Hz"] =
      std::vector<double>(report.frequencies_hz.begin(), report.frequencies_hz.end());
  json["compliance"] = {{"surface_nodes", report.surface_nodes},
                        {"contact_nodes", report.contact_nodes},
                        {"precomputed", !options.on_demand},
                        {"precision", options.float32 ? "float32" : "float64"},
                        {"table_bytes", report.compliance.table_bytes},
                        {"factor_bytes", report.compliance.factor_bytes},
                        {"factor_s", report.compliance.factor_seconds},
                        {"table_s", report.compliance.table_seconds},
                        {"cached", report.compliance.was_cached},
                        {"float32_error", report.compliance.float32_error}};
  json["loads"] = nlohmann::ordered_json::array();
  for (const Deflection& deflection : report.deflections) {
    json["loads"].push_back({{"region", deflection.load.region},
                             {"force_N", vector_json(deflection.load.force)},
                             {"mean_displacement_m", vector_json(deflection.mean)},
                             {"largest_displacement_m", deflection.largest}});
  }
  json["largest_displacement_m"] = report.largest_displacement;
  return json.dump();
}

std::string report_text(const BodyOptions& options, const BodyReport& report) {
  const auto row = [](std::string_view name, const std::string& value) {
    return fmt::format("{:<20}{}\n", name, value);
  };
  const auto vector = [](const Vec3& v, double scale) {
    return fmt::format("{:.4g}  {:.4g}  {:.4g}", v.x() * scale, v.y() * scale, v.z() * scale);
  };
  std::string text =
      fmt::format("{}: {} nodes, {} elements\n", options.mesh, report.nodes, report.elements);
  text += row("mass",
              fmt::format("{:.6g} kg (density {:.6g} kg/m^3)", report.mass.mass, report.density));
  text += row("centre of mass", vector(report.mass.centre, 1e3) + "  mm");
  const Mat3& I = report.mass.inertia;
  text += row("inertia", fmt::format("Ixx {:.4g}  Iyy {:.4g}  Izz {:.4g}  Ixy {:.3g}  Ixz {:.3g}  "
                                     "Iyz {:.3g}  kg m^2",
                                     I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
  text += row("held at", options.clamped.empty()
                             ? std::string("nothing: a free body, rigid motion taken out")
                             : fmt::format("{}", fmt::join(options.clamped, ", ")));
  if (report.frequencies_hz.size() > 0) {
    std::string list;
    for (const double f : report.frequencies_hz) list += fmt::format("{:.4g}  ", f);
    text += row("frequencies", list + "Hz");
  }
  const auto& compliance = report.compliance;
  text += row("factorisation", fmt::format("{:.3f} s, {:.1f} MB", compliance.factor_seconds,
                                           static_cast<double>(compliance.factor_bytes) * 1e-6));
  text += row(
      "surface compliance",
      options.on_demand
          ? std::string("solved on demand")
          : fmt::format("{} x {} nodes, {:.1f} MB, {} in {:.3f} s{}", report.surface_nodes,
                        report.contact_nodes, static_cast<double>(compliance.table_bytes) * 1e-6,
                        compliance.was_cached ? "loaded" : "computed", compliance.table_seconds,
                        options.float32
                            ? fmt::format(", float32 error {:.1e}", compliance.float32_error)
                            : std::string()));
  for (const Deflection& deflection : report.deflections) {
    text +=
        row("under load", fmt::format("{} N on \"{}\" moves it by {} mm on the mean, {:.4g} mm "
                                      "at most",
                                      vector(deflection.load.force, 1.0), deflection.load.region,
                                      vector(deflection.mean, 1e3), deflection.largest * 1e3));
  }
  return text;
}

void write_deformed(const TetMesh& mesh, const DeformationModel& model, const VecX& u,
                    const BodyOptions& options) {
  TetMesh moved = mesh;
  for (std::size_t i = 0; i < model.mesh_nodes.size(); ++i) {
    moved.nodes[uz(model.mesh_nodes[i])] += options.magnify * u.segment<3>(static_cast<int>(3 * i));
  }
  if (is_surface_file(options.deformed)) {
    write_surface(options.deformed, extract_surface(moved));
  } else {
    write_tet_mesh(options.deformed, moved);
  }
}

void draw_deformed(const DeformationModel& model, const VecX& u, const BodyOptions& options) {
  Picture picture;
  picture.surface = model.surface;
  for (int i = 0; i < model.surface_count(); ++i) {
    picture.surface.points[uz(i)] += options.magnify * u.segment<3>(3 * i);
    picture.values.push_back(1e3 * u.segment<3>(3 * i).norm());
  }
  picture.title = fmt::format("{}, {}", std::filesystem::path(options.mesh).stem().string(),
                              fmt::join(options.loads, ", "));
  if (options.magnify != 1.0) {
    picture.title += fmt::format(" N; displacements drawn {} times", options.magnify);
  } else {
    picture.title += " N";
  }
  picture.legend = "displacement [mm]";
  picture.up_axis = options.up.front() - 'x';
  write_svg(options.picture, picture);
}

BodyReport study(const BodyOptions& options) {
  const TetMesh mesh = read_tet_mesh(options.mesh);
  ModelOptions model_options;
  model_options.total_mass = options.mass;
  model_options.contact_regions = options.contact_regions;
  std::vector<Load> loads;
  for (const std::string& text : options.loads) loads.push_back(parse_load(text));
  const DeformationModel model = make_elastic_model(mesh, options.material, model_options);
  const std::vector<int> held = clamped_nodes(model, options);
  for (const Load& load : loads) static_cast<void>(model.region(load.region));

  BodyReport report;
  report.nodes = mesh.node_count();
  report.elements = mesh.element_count();
  report.surface_nodes = model.surface_count();
  report.contact_nodes = model.contact_count;
  report.mass = model.mass;
  report.density = options.mass > 0.0 ? options.mass / volume(mesh) : options.material.density;
  const Compliance compliance = compute_compliance(model, held, options);
  report.compliance = compliance.report();
  if (options.frequencies > 0) {
    // a free body's six zeros are no news
    const int rigid = held.empty() ? 6 : 0;
    const Vibration found = lowest_vibrations(model, held, options.frequencies + rigid);
    report.frequencies_hz = found.frequencies_hz.tail(found.frequencies_hz.size() - rigid);
  }
  if (!loads.empty()) {
    VecX u;
    report.deflections = deflect(model, compliance, loads, u);
    report.largest_displacement = u.reshaped(3, u.size() / 3).colwise().norm().maxCoeff();
    if (!options.deformed.empty()) write_deformed(mesh, model, u, options);
    if (!options.picture.empty()) draw_deformed(model, u, options);
  }
  return report;
}

void run_body(const BodyOptions& options) {
  if (options.loads.empty() && !(options.deformed.empty() && options.picture.empty())) {
    throw InputError("--deformed, --picture: nothing deforms the body; give a --load");
  }
  BodyReport report;
  try {
    report = study(options);
  } catch (const InputError& error) {
    const std::string text = error.what();
    // errors of the file name it themselves
    const bool is_named = text.starts_with(options.mesh) || text.starts_with("--");
    throw InputError(is_named ? text : fmt::format("{}: {}", options.mesh, text));
  }
  fmt::print("{}",
             options.json ? report_json(options, report) + "\n" : report_text(options, report));
}

}  // namespace

void add_body_command(CLI::App& program) {
  const auto options = std::make_shared<BodyOptions>();
  CLI::App* body = program.add_subcommand(
      "body", "Mass, vibrations, surface compliance and deflections of a deformable body");
  body->add_option("MESH", options->mesh, "Tetrahedral mesh (.msh)")->required();
  body->add_option("--young", options->material.young, "Young's modulus [Pa]")->required();
  body->add_option("--poisson", options->material.poisson, "Poisson's ratio, below 0.5")
      ->required();
  auto* density = body->add_option("--density", options->material.density, "Density [kg/m^3]");
  auto* mass =
      body->add_option("--mass", options->mass, "Total mass instead [kg]")->check(above_zero());
  density->excludes(mass);
  body->add_option("--clamp", options->clamped,
                   "Region held still; may be repeated. Without it the body is free")
      ->allow_extra_args(false);
  body->add_option("--contact", options->contact_regions,
                   "Region where contact may happen, to save memory; may be repeated")
      ->allow_extra_args(false);
  body->add_option("--load", options->loads,
                   "REGION:FX,FY,FZ, total force [N] spread over a region; may be repeated")
      ->allow_extra_args(false);
  body->add_option("--frequencies", options->frequencies, "How many natural frequencies to find")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  body->add_flag("--on-demand", options->on_demand,
                 "Do not precompute the compliance; solve when it is needed");
  body->add_flag("--float32", options->float32, "Keep the compliance in single precision");
  body->add_option("--memory-limit", options->memory_limit,
                   "Refuse a compliance larger than this (B, kB, MB, GB)")
      ->capture_default_str();
  body->add_option("--cache", options->cache,
                   "Folder of precomputed compliances (default: the user's cache folder)");
  body->add_flag("--no-cache", options->no_cache, "Neither read nor write that folder");
  body->add_option("--deformed", options->deformed,
                   "Write the loaded shape to a .msh, .vtu, .obj or .stl file");
  body->add_option("--picture", options->picture, "Draw the loaded shape to an .svg file");
  body->add_option("--up", options->up, "Axis that points up in the picture: x, y or z")
      ->check(CLI::IsMember({"x", "y", "z"}))
      ->capture_default_str();
  body->add_option("--magnify", options->magnify, "Factor on the displacements of both")
      ->capture_default_str();
  body->add_flag("--json", options->json, "One JSON object on standard output");
  body->footer(
      "Example: how far do the lips of a polyethylene clip yield when its handle is held?\n"
      "  stickslip body scenes/models/clip_500.msh --young 700e6 --poisson 0.35 --mass 0.015 \\\n"
      "      --clamp handle --load inside:0,1,0");
  body->callback([options, density, mass] {
    if (density->count() + mass->count() == 0) {
      throw InputError("give --density [kg/m^3] or --mass [kg]");
    }
    run_body(*options);
  });
}

}  // namespace stickslip::cli
