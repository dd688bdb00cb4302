#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/mesh_import.hpp"
#include "apps/cli/mesh_report.hpp"
#include "apps/cli/number_checks.hpp"
#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::cli {

namespace {

/// The findings that no command but the check can live with.
void refuse_broken_structure(const std::filesystem::path& path, std::vector<Finding> findings) {
  std::erase_if(findings, [](const Finding& finding) { return !breaks_structure(finding); });
  refuse_errors(path, findings);
}

TetMesh read_usable_mesh(const std::filesystem::path& path) {
  TetMeshFile file = read_tet_mesh_unchecked(path);
  refuse_broken_structure(path, check_elements(file.mesh, file.numbers));
  return std::move(file.mesh);
}

Surface read_usable_surface(const std::filesystem::path& path) {
  Surface surface = read_surface_unchecked(path);
  refuse_broken_structure(path, check_surface(surface));
  return surface;
}

struct InfoOptions {
  std::string file;
  std::optional<double> density_kg_m3;
  bool json = false;
};

void run_info(const InfoOptions& options) {
  MeshSummary summary = is_surface_file(options.file)
                            ? summarize(options.file, read_usable_surface(options.file))
                            : summarize(options.file, read_usable_mesh(options.file));
  summary.density_kg_m3 = options.density_kg_m3;
  fmt::print("{}{}", options.json ? summary_json(summary) : summary_text(summary),
             options.json ? "\n" : "");
}

struct CheckOptions {
  std::string file;
  bool json = false;
};

std::vector<Finding> check_file(const std::string& path) {
  if (is_surface_file(path)) return check_surface(read_surface_unchecked(path));
  const TetMeshFile file = read_tet_mesh_unchecked(path);
  return check_mesh(file.mesh, file.numbers);
}

void run_check(const CheckOptions& options) {
  std::vector<Finding> findings;
  try {
    findings = check_file(options.file);
  } catch (const InputError& error) {
    if (!options.json) throw;
    // programs learn of an unreadable file the same way as of any other fault
    findings.push_back({"unreadable_file", Severity::error, options.file, error.what(),
                        "give a mesh file that is whole"});
  }
  if (options.json) {
    fmt::print("{}\n", findings_json(options.file, findings));
  } else {
    for (const Finding& finding : findings) fmt::print("{}\n", finding_text(finding));
    const auto errors = std::count_if(findings.begin(), findings.end(), [](const Finding& f) {
      return f.severity == Severity::error;
    });
    const auto warnings = static_cast<std::ptrdiff_t>(findings.size()) - errors;
    fmt::print("{}: {}\n", options.file,
               findings.empty()
                   ? std::string("nothing found, it can be simulated")
                   : fmt::format("{} errors, {} warnings, {}", errors, warnings,
                                 errors == 0 ? "it can be simulated" : "it cannot be simulated"));
  }
  if (!can_be_simulated(findings)) throw ExitCode{2};
  if (!findings.empty()) throw ExitCode{1};
}

struct ConvertOptions {
  std::string input;
  std::string output;
  double scale = 1.0;
  int to_order = 0;
  bool binary = false;
};

void run_convert(const ConvertOptions& options) {
  const MeshWriteOptions write_options{options.binary};
  const bool to_surface = is_surface_file(options.output);
  if (is_surface_file(options.input)) {
    if (!to_surface || options.to_order != 0) {
      throw InputError(
          fmt::format("{}: holds a surface and no tetrahedra to write to {}; mesh it "
                      "with `stickslip mesh import`",
                      options.input, options.output));
    }
    Surface surface = read_usable_surface(options.input);
    drop_floating_points(surface);
    for (Vec3& p : surface.points) p *= options.scale;
    write_surface(options.output, surface, write_options);
    return;
  }
  TetMesh mesh = read_usable_mesh(options.input);
  drop_floating_nodes(mesh);
  for (Vec3& p : mesh.nodes) p *= options.scale;
  if (options.to_order == 2) mesh = to_ten_node(mesh);
  if (to_surface) {
    write_surface(options.output, extract_surface(mesh), write_options);
  } else {
    write_tet_mesh(options.output, mesh, write_options);
  }
}

void add_info(CLI::App& mesh) {
  const auto options = std::make_shared<InfoOptions>();
  CLI::App* info = mesh.add_subcommand("info", "Nodes, elements, volume, box, quality, regions");
  info->add_option("FILE", options->file, "Mesh (.msh) or surface (.obj, .stl)")->required();
  info->add_option("--density", options->density_kg_m3, "Density in kg/m^3, to tell the mass")
      ->check(above_zero());
  info->add_flag("--json", options->json, "One JSON object on standard output");
  info->callback([options] { run_info(*options); });
}

void add_check(CLI::App& mesh) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App* check = mesh.add_subcommand("check", "Find what keeps a mesh from being simulated");
  check->add_option("FILE", options->file, "Mesh (.msh) or surface (.obj, .stl)")->required();
  check->add_flag("--json", options->json, "One JSON object on standard output");
  check->footer("Exit codes: 0 nothing found; 1 only warnings; 2 it cannot be simulated.");
  check->callback([options] { run_check(*options); });
}

void add_convert(CLI::App& mesh) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* convert = mesh.add_subcommand("convert", "Write a mesh in another format or scale");
  convert->add_option("IN", options->input, "Mesh (.msh) or surface (.obj, .stl)")->required();
  convert
      ->add_option("OUT", options->output,
                   "Mesh (.msh, .vtu), or its surface (.obj, .stl), by the extension")
      ->required();
  convert->add_option("--scale", options->scale, "Factor on all lengths: 0.001 for a file in mm")
      ->check(above_zero());
  convert->add_option("--to-order", options->to_order, "2 makes ten-node tetrahedra")
      ->check(CLI::IsMember({2}));
  convert->add_flag("--binary", options->binary, "Write .msh and .stl in binary");
  convert->callback([options] { run_convert(*options); });
}

}  // namespace

void add_mesh_command(CLI::App& program) {
  CLI::App* mesh = program.add_subcommand("mesh", "Inspect, check, convert and import meshes");
  mesh->require_subcommand(1);
  add_info(*mesh);
  add_check(*mesh);
  add_convert(*mesh);
  add_mesh_import(*mesh);
}

}  // namespace stickslip::cli
