#include "apps/cli/mesh_import.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include "apps/cli/mesh_report.hpp"
#include "apps/cli/units.hpp"
#include "stickslip/mesh/gmsh_program.hpp"

namespace stickslip::cli {

namespace {

struct ImportArguments {
  std::string input;
  std::string output;
  std::string size;
  std::string unit;
  int order = 0;
  bool binary = false;
};

/// One line that rewrites itself on a terminal, one line per stage elsewhere.
class ProgressLine {
 public:
  ~ProgressLine() { clear(); }

  void show(const ImportProgress& progress) {
    if (!terminal_) {
      if (progress.stage != stage_) fmt::print(stderr, "gmsh: {}\n", progress.stage);
      stage_ = progress.stage;
      return;
    }
    const std::string percent =
        progress.percent < 0 ? std::string() : fmt::format(" {:3}%", progress.percent);
    fmt::print(stderr, "\r\x1b[Kgmsh: {}{} ({:.0f} s)", progress.stage, percent,
               progress.elapsed_s);
    std::fflush(stderr);
    shown_ = true;
  }

  void clear() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
    shown_ = false;
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  bool shown_ = false;
  std::string stage_;
};

void run_import(const ImportArguments& arguments) {
  ImportOptions options;
  if (!arguments.size.empty()) options.size_m = parse_length("--size", arguments.size);
  if (!arguments.unit.empty()) options.unit_m = unit_in_metres(arguments.unit);
  if (arguments.order != 0) options.order = arguments.order;

  // mesh and check
  ImportedMesh imported;
  {
    ProgressLine line;
    options.progress = [&](const ImportProgress& progress) { line.show(progress); };
    imported = import_mesh(arguments.input, options);
  }
  if (imported.straightened_nodes > 0) {
    fmt::print(stderr, "{} mid-side nodes straightened where curved elements folded\n",
               imported.straightened_nodes);
  }
  const std::vector<Finding> findings = check_mesh(imported.mesh);
  for (const Finding& finding : findings) fmt::print(stderr, "{}\n", finding_text(finding));
  refuse_errors(arguments.input, findings);

  write_tet_mesh(arguments.output, imported.mesh, {arguments.binary});
  fmt::print("{}", summary_text(summarize(arguments.output, imported.mesh)));
}

}  // namespace

void add_mesh_import(CLI::App& mesh) {
  const auto arguments = std::make_shared<ImportArguments>();
  CLI::App* import = mesh.add_subcommand(
      "import", "Make a mesh of CAD parts, surfaces and other meshes, by the program gmsh");
  import
      ->add_option("FILE", arguments->input,
                   "STEP, IGES, BREP, .geo; .stl, .obj; or a mesh: .vtk, .mesh, .bdf, ...")
      ->required();
  import->add_option("-o,--output", arguments->output, "Mesh to write (.msh, .vtu)")->required();
  import->add_option("--size", arguments->size,
                     "Largest element, as in 2mm (default: gmsh's choice); numbers without a unit "
                     "are in metres, and below 0.1");
  import->add_option("--unit", arguments->unit,
                     "Unit of the file's coordinates: m, cm, mm, um, in (default: m; STEP and IGES "
                     "state theirs)");
  import
      ->add_option("--order", arguments->order,
                   "1 four-node, 2 ten-node tetrahedra (default: 2; meshes stay as they are)")
      ->check(CLI::IsMember({1, 2}));
  import->add_flag("--binary", arguments->binary, "Write .msh in binary");
  import->footer("Nothing is written when the mesh cannot be simulated.");
  import->callback([arguments] { run_import(*arguments);
});
}  // namespace stickslip::cli

}  // namespace stickslip::cli
