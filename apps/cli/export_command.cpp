#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/cli/commands.hpp"
#include "apps/cli/csv_file.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/scene_progress.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/recording_export.hpp"
#include "stickslip/io/replay.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/simulation/contact_report.hpp"

namespace stickslip::cli {

namespace {

struct ExportOptions {
  std::string file;
  std::string vtu_folder;
  std::int64_t every = 0;  ///< steps; 0: full states
  std::string csv;
  bool json = false;
};

/// Pictures of some moments of a recording, and the index that plays them.
class VtuFolder {
 public:
  VtuFolder(const Recording& recording, const Scene& scene, const std::string& folder)
      : recording_(recording), scene_(scene), folder_(folder) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) {
      throw InputError(fmt::format("--vtu {}: cannot make the folder ({}); choose another", folder,
                                   error.message()));
    }
  }

  /// Where the replay stands.
  void add(const Replay& replay) {
    std::vector<ContactReport> contacts;
    const std::size_t next = replay.next_row();
    if (next > 0 && recording_.step(next - 1) == replay.step()) {
      contacts = contacts_of(recording_.details(next - 1, 1), 0);
    }
    const double time_s = replay.state().time_s;
    const auto surfaces_name = fmt::format("surfaces_{:09}.vtu", replay.step());
    const auto contacts_name = fmt::format("contacts_{:09}.vtu", replay.step());
    write_file_atomically(folder_ / surfaces_name, surfaces_vtu(scene_, replay.state()));
    write_file_atomically(folder_ / contacts_name, contacts_vtu(contacts));
    files_.push_back({time_s, 0, surfaces_name});
    files_.push_back({time_s, 1, contacts_name});
  }

  std::size_t finish() const {
    write_file_atomically(folder_ / "recording.pvd", pvd_text(files_));
    return files_.size() / 2;
  }

 private:
  const Recording& recording_;
  const Scene& scene_;
  std::filesystem::path folder_;
  std::vector<TimedFile> files_;
};

std::size_t export_vtu(const Recording& recording, const ExportOptions& options) {
  const Scene scene = [&] {
    SceneProgress progress;
    SceneBuildOptions building;
    building.progress = progress.callback();
    return recording.build_scene(building);
  }();
  VtuFolder folder(recording, scene, options.vtu_folder);
  Replay replay(recording, scene);
  ProgressBar bar("vtu");
  if (options.every == 0) {
    for (std::size_t s = 0; s < recording.state_count(); ++s) {
      replay.go_to(recording.state_step(s));
      folder.add(replay);
      bar.show(static_cast<double>(s + 1) / static_cast<double>(recording.state_count()));
    }
    return folder.finish();
  }
  do {
    if (!replay.is_equal()) {
      throw InputError(fmt::format(
          "{}: step {} does not come out as recorded; export it where it was made, or leave out "
          "--every",
          options.file, replay.step()));
    }
    if (replay.step() % options.every == 0) folder.add(replay);
    bar.show(static_cast<double>(replay.next_row()) /
             static_cast<double>(std::max<std::size_t>(1, recording.row_count())));
  } while (replay.advance());
  return folder.finish();
}

void export_csv(const Recording& recording, const ExportOptions& options) {
  CsvFile csv("--csv", options.csv, table_header(recording));
  ProgressBar bar("csv");
  constexpr std::size_t at_once = 1024;
  for (std::size_t first = 0; first < recording.row_count(); first += at_once) {
    const std::size_t count = std::min(at_once, recording.row_count() - first);
    const Recording::Details details = recording.details(first, count);
    for (std::size_t row = 0; row < count; ++row) {
      csv.add_line(table_line(recording, details, first, row));
    }
    bar.show(static_cast<double>(first + count) / static_cast<double>(recording.row_count()));
  }
  csv.close();
}

void export_recording(const ExportOptions& options) {
  if (options.vtu_folder.empty() && options.csv.empty()) {
    throw InputError("export: give --vtu DIR or --csv FILE, or both");
  }
  const Recording recording(options.file);
  std::size_t moments = 0;
  if (!options.vtu_folder.empty()) moments = export_vtu(recording, options);
  if (!options.csv.empty()) export_csv(recording, options);
  const std::size_t rows = options.csv.empty() ? 0 : recording.row_count();
  if (options.json) {
    using Json = nlohmann::ordered_json;
    const Json json = {{"file", options.file},
                       {"steps", recording.row_count()},
                       {"vtu_moments", moments},
                       {"csv_rows", rows}};
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
    return;
  }
  if (!options.vtu_folder.empty()) {
    fmt::print("{}/recording.pvd: {} moments\n", options.vtu_folder, moments);
  }
  if (!options.csv.empty()) fmt::print("{}: {} rows\n", options.csv, rows);
}

}  // namespace

void add_export_command(CLI::App& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      program.add_subcommand("export", "Turn a recorded run into files for other programs");
  command->add_option("FILE", options->file, "Recording of `stickslip run --record`")->required();
  auto* vtu = command->add_option("--vtu", options->vtu_folder,
                                  "Surfaces and contacts as .vtu files in this folder, with "
                                  "recording.pvd for ParaView; one a full state");
  command
      ->add_option("--every", options->every,
                   "One every N-th step instead; the steps are stepped again for that")
      ->check(above_zero())
      ->needs(vtu);
  command->add_option("--csv", options->csv, "A table with a row per step");
  command->add_flag("--json", options->json, "One JSON object on standard output");
  command->footer(
      "Example: look at a heap in ParaView, 50 pictures a second\n"
      "  stickslip run scenes/heap.toml --record heap.h5\n"
      "  stickslip export heap.h5 --vtu heap --every 10");
  command->callback([options] { export_recording(*options); });
}

}  // namespace stickslip::cli
