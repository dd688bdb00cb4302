#include "stickslip/mesh/gmsh_program.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>

#include "stickslip/error.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/mesh/child_process.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_formats.hpp"
#include "stickslip/mesh/msh_contents.hpp"
#include "stickslip/mesh/step_faces.hpp"
#include "stickslip/mesh/straighten.hpp"

namespace stickslip {

namespace {

namespace fs = std::filesystem;

/// A folder of its own that disappears with it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "stickslip-import-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InputError(
          fmt::format("{}: no temporary folder can be made there; set TMPDIR to one "
                      "that you may write to",
                      fs::temp_directory_path().string()));
    }
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  fs::path operator/(std::string_view name) const { return path_ / name; }

 private:
  fs::path path_;
};

constexpr std::array<std::string_view, 6> geometry_extensions = {".step", ".stp",  ".iges",
                                                                 ".igs",  ".brep", ".geo"};
constexpr std::array<std::string_view, 16> mesh_extensions = {
    ".msh",  ".vtk",  ".mesh", ".meshb", ".bdf", ".nas", ".unv",  ".med",
    ".mmed", ".cgns", ".su2",  ".diff",  ".p3d", ".off", ".ply2", ".neu"};

bool contains(std::span<const std::string_view> list, std::string_view value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_step(std::string_view extension) {
  return extension == ".step" || extension == ".stp";
}

/// Formats whose reader converts to metres by the unit that the file itself states.
bool states_its_unit(std::string_view extension) {
  return is_step(extension) || extension == ".iges" || extension == ".igs";
}

/// A line without the colours of terminals.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = std::min(line.find('m', i), line.size());
    } else {
      text += line[i];
    }
  }
  return text;
}

/// One run of gmsh on one file, with what it said.
class GmshRun {
 public:
  GmshRun(fs::path subject, const ImportOptions& options)
      : subject_(std::move(subject)), options_(options) {}

  /// Throws when gmsh is absent, fails, or leaves no `output`.
  void run(std::vector<std::string> arguments, const fs::path& output) {
    arguments.insert(arguments.begin(), options_.program);
    error_.clear();
    const ChildResult result = run_program(
        arguments, [&](std::string_view line) { hear(plain(line)); }, [&] { show(); });
    if (!result.started) {
      throw InputError(
          fmt::format("{}: the program '{}' is needed to read it and was not found; "
                      "install gmsh (apt install gmsh, or https://gmsh.info)",
                      subject_.string(), options_.program));
    }
    const bool failed = result.exit_code != 0 || result.signal != 0;
    if (!failed && fs::exists(output)) return;
    std::string words = error_;
    if (result.signal != 0) words = fmt::format("it crashed with signal {}", result.signal);
    if (words.empty()) words = fmt::format("it ended with exit code {}", result.exit_code);
    throw InputError(
        fmt::format("{}: gmsh failed: {}; check that the file is whole and of a format "
                    "that your version of gmsh reads (gmsh {} shows it)",
                    subject_.string(), words, subject_.string()));
  }

 private:
  void hear(const std::string& line) {
    // "Error   : Could not read file", "**** ERR StepFile : Incorrect syntax ****"
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) return;
    std::string text = line.substr(colon + 2);
    if (line.starts_with("Error") || line.find("** ERR") != std::string::npos) {
      text.erase(text.find_last_not_of(" *") + 1);
      if (error_.empty()) error_ = text;
      return;
    }
    if (!line.starts_with("Info")) return;

    // "Info    : Meshing 3D...", "Info    : [ 30%] Meshing curve 4 (Line)"
    if (text.starts_with('[')) {
      const std::size_t digit = std::min(text.find_first_of("0123456789"), text.size());
      std::from_chars(text.data() + digit, text.data() + text.size(), progress_.percent);
      show();
    } else if (text.ends_with("...")) {
      const bool reading = text.starts_with("Reading ");
      const bool meshing = text.starts_with("Meshing ") || text.starts_with("Optimizing ");
      if (!reading && !meshing) return;
      const std::string stage =
          reading ? "Reading " + subject_.filename().string() : text.substr(0, text.size() - 3);
      if (stage != progress_.stage) progress_ = {stage, -1, 0.0};
      show();
    }
  }

  void show() {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    progress_.elapsed_s = elapsed.count();
    if (options_.progress && !progress_.stage.empty()) options_.progress(progress_);
  }

  fs::path subject_;
  const ImportOptions& options_;
  std::string error_;
  ImportProgress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The options of every meshing: HXT, and all elements whether in a physical group or not.
std::vector<std::string> meshing_arguments(const fs::path& input, const fs::path& output,
                                           const ImportOptions& options, double size,
                                           bool is_own_script, bool from_facets = false) {
  std::vector<std::string> arguments = {fs::absolute(input).string(),
                                        "-3",
                                        "-algo",
                                        "hxt",
                                        "-order",
                                        fmt::format("{}", options.order.value_or(2)),
                                        "-setstring",
                                        "Geometry.OCCTargetUnit",
                                        "M",
                                        "-save_all",
                                        "-format",
                                        "msh41",
                                        "-o",
                                        output.string()};
  // the facets of a surface file are flat, whatever patches they make
  if (from_facets) {
    arguments.insert(arguments.end(), {"-setnumber", "Mesh.SecondOrderLinear", "1"});
  }
  if (size > 0.0) {
    arguments.insert(arguments.end(), {"-clmax", fmt::format("{}", size)});
    // a user's script knows where it wants finer elements; elsewhere it is gmsh's guess
    if (extension_of(input) != ".geo" || is_own_script) {
      arguments.insert(arguments.end(), {"-clmin", fmt::format("{}", size)});
    }
  }
  return arguments;
}

/// Fills a closed surface with tetrahedra.
void mesh_surface(GmshRun& gmsh, const fs::path& path, Surface surface,
                  const TemporaryFolder& folder, const ImportOptions& options, double size,
                  const fs::path& result) {
  // gmsh would fail on it, with fewer words
  std::vector<Finding> findings = check_surface(surface);
  for (Finding& finding : findings) {
    const bool fatal = finding.code == "open_surface" || finding.code == "nonmanifold_surface";
    if (fatal) finding.severity = Severity::error;
  }
  refuse_errors(path, findings);
  drop_floating_points(surface);
  write_file_atomically(folder / "surface.stl", stl_text(surface, false));

  // with a size the surface is cut into patches at its sharp edges and meshed anew
  constexpr std::string_view remesh =
      "ClassifySurfaces{40 * Pi / 180, 1, 1, Pi};\nCreateGeometry;\n";
  write_file_atomically(folder / "surface.geo",
                        fmt::format("Merge \"surface.stl\";\n{}Surface Loop(1) = Surface{{:}};\n"
                                    "Volume(1) = {{1}};\n",
                                    size > 0.0 ? remesh : std::string_view()));
  gmsh.run(meshing_arguments(folder / "surface.geo", result, options, size, true, true), result);
}

/// Meshes a CAD part with a physical group for each of its faces, in their order.
void mesh_part(GmshRun& gmsh, const fs::path& path, const TemporaryFolder& folder,
               const ImportOptions& options, double size, const fs::path& result) {
  const std::string name = "part" + extension_of(path);
  fs::create_symlink(fs::absolute(path), folder / name);
  write_file_atomically(folder / "part.geo",
                        fmt::format("SetFactory(\"OpenCASCADE\");\nMerge \"{}\";\n"
                                    "faces() = Surface{{:}};\nFor k In {{0 : #faces() - 1}}\n"
                                    "  Physical Surface(Sprintf(\"face_%g\", faces(k)), faces(k))"
                                    " = {{faces(k)}};\nEndFor\n",
                                    name));
  gmsh.run(meshing_arguments(folder / "part.geo", result, options, size, true), result);
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// How many elements of a dimension a .msh file holds.
std::size_t count_elements(const fs::path& path, int dimension) {
  FileCursor cursor(path, "a gmsh mesh");
  std::size_t count = 0;
  for (const MshBlock& block : parse_msh(cursor).blocks) {
    if (block.type->dimension == dimension) count += block.element_tags.size();
  }
  return count;
}

}  // namespace

ImportedMesh import_mesh(const fs::path& path, const ImportOptions& options) {
  require_file(path, "a part or mesh");
  const std::string extension = extension_of(path);
  if (!contains(geometry_extensions, extension) && !contains(mesh_extensions, extension) &&
      extension != ".inp" && !is_surface_file(path)) {
    throw InputError(
        fmt::format("{}: extension '{}' is of no format that gmsh reads; export the "
                    "part as STEP (.step) or the surface as .stl",
                    path.string(), printable(extension)));
  }
  if (states_its_unit(extension) && options.unit_m) {
    throw InputError(
        fmt::format("{}: --unit does not apply, a {} file states its unit; leave it out",
                    path.string(), extension));
  }
  const double unit = options.unit_m.value_or(1.0);
  const double size = options.size_m / unit;
  const TemporaryFolder folder;
  const fs::path result = folder / "result.msh";
  GmshRun gmsh(path, options);

  // many versions of gmsh write Abaqus files but cannot read them
  const bool abaqus = extension == ".inp";
  bool promote = abaqus && options.order == 2;
  try {
    if (is_surface_file(path)) {
      mesh_surface(gmsh, path, read_surface_unchecked(path), folder, options, size, result);
    } else if (extension == ".geo") {
      gmsh.run(meshing_arguments(path, result, options, size, false), result);
    } else if (contains(geometry_extensions, extension)) {
      mesh_part(gmsh, path, folder, options, size, result);
    } else if (!abaqus) {
      gmsh.run({fs::absolute(path).string(), "-save", "-save_all", "-format", "msh41", "-o",
                result.string()},
               result);
      if (count_elements(result, 3) > 0) {
        promote = options.order == 2;
      } else if (count_elements(result, 2) > 0) {
        const fs::path triangles = folder / "triangles.stl";
        gmsh.run(
            {result.string(), "-save", "-save_all", "-format", "stl", "-o", triangles.string()},
            triangles);
        mesh_surface(gmsh, path, read_stl(triangles), folder, options, size, result);
      }
    }
    TetMeshFile file = abaqus ? read_inp(path) : read_msh(result);
    std::vector<Finding> findings = check_elements(file.mesh, file.numbers);
    std::erase_if(findings, [](const Finding& f) { return !breaks_structure(f); });
    refuse_errors(abaqus ? path : result, findings);
    drop_floating_nodes(file.mesh);
    for (Vec3& p : file.mesh.nodes) p *= unit;
    if (is_step(extension)) name_faces(parse_step_faces(contents_of(path)), file.mesh);
    if (promote) file.mesh = to_ten_node(file.mesh);
    const int straightened = straighten_folded_elements(file.mesh);
    return {std::move(file.mesh), straightened};
  } catch (const InputError& error) {
    // the user knows the file, not the temporary one
    std::string words = error.what();
    const std::size_t at = words.find(result.string());
    if (at == std::string::npos) throw;
    words.erase(0, at + result.string().size());
    words.erase(0, words.find(": ") + 2);
    throw InputError(fmt::format("{}: gmsh's mesh of it {}", path.string(), words));
  }
}

}  // namespace stickslip
