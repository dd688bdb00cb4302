#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/scene_progress.hpp"
#include "stickslip/io/replay.hpp"
#include "stickslip/version.hpp"

namespace stickslip::cli {

namespace {

struct ReplayOptions {
  std::string file;
  bool json = false;
};

struct Outcome {
  std::int64_t compared = 0;
  std::int64_t missing = 0;  ///< lost while it was recorded
  std::int64_t cut = 0;      ///< in which a clock refused something
  std::optional<std::int64_t> first_difference;
};

Outcome compare(const Recording& recording, const Scene& scene) {
  Outcome outcome;
  Replay replay(recording, scene);
  ProgressBar bar("replay");
  const std::size_t rows = recording.row_count();
  std::int64_t before = replay.step();
  while (!outcome.first_difference && replay.advance()) {
    outcome.missing += replay.step() - before - 1;
    before = replay.step();
    outcome.cut += recording.refused(replay.next_row() - 1).empty() ? 0 : 1;
    outcome.compared += replay.was_stepped() ? 1 : 0;
    if (!replay.is_equal()) outcome.first_difference = replay.step();
    bar.show(static_cast<double>(replay.next_row()) / static_cast<double>(rows));
  }
  return outcome;
}

void print(const Recording& recording, const Outcome& outcome, const ReplayOptions& options) {
  const bool is_equal = !outcome.first_difference;
  if (options.json) {
    using Json = nlohmann::ordered_json;
    Json json = {{"file", options.file},
                 {"scene", recording.scene().path},
                 {"recorded_by", recording.scene().version},
                 {"version", version},
                 {"steps", recording.row_count()},
                 {"simulated_s", recording.dt() * static_cast<double>(recording.row_count())},
                 {"states", recording.state_count()},
                 {"missing", outcome.missing},
                 {"clock_refused", outcome.cut},
                 {"compared", outcome.compared},
                 {"equal", is_equal},
                 {"first_difference", nullptr}};
    if (!is_equal) json["first_difference"] = *outcome.first_difference;
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}: {} steps of {:g} s, {} full states, made by version {}\n", options.file,
               recording.row_count(), recording.dt(), recording.state_count(),
               recording.scene().version);
    if (outcome.missing > 0) fmt::print("{} steps were lost while recording\n", outcome.missing);
    if (outcome.cut > 0) fmt::print("the clock cut {} steps short\n", outcome.cut);
    if (is_equal) fmt::print("{} steps repeated, all equal bit by bit\n", outcome.compared);
  }
  std::fflush(stdout);
  if (!is_equal) {
    fmt::print(stderr,
               "stickslip: step {} ({:g} s) differs from the recording; the same program on the "
               "same kind of machine repeats it\n",
               *outcome.first_difference,
               recording.dt() * static_cast<double>(*outcome.first_difference));
  }
}

void replay_recording(const ReplayOptions& options) {
  const Recording recording(options.file);
  const Scene scene = [&] {
    SceneProgress progress;
    SceneBuildOptions building;
    building.progress = progress.callback();
    return recording.build_scene(building);
  }();
  const Outcome outcome = compare(recording, scene);
  print(recording, outcome, options);
  if (outcome.first_difference) throw ExitCode{1};
}

}  // namespace

void add_replay_command(CLI::App& program) {
  const auto options = std::make_shared<ReplayOptions>();
  CLI::App* replay =
      program.add_subcommand("replay", "Step a recorded run again and compare it bit by bit");
  replay->add_option("FILE", options->file, "Recording of `stickslip run --record`")->required();
  replay->add_flag("--json", options->json, "One JSON object on standard output");
  replay->footer(
      "The scene, its meshes, the inputs and what the clock decided come from the recording.\n"
      "Exit code 1: a step came out differently; the first is named. Example:\n"
      "  stickslip run scenes/heap.toml --record heap.h5 && stickslip replay heap.h5");
  replay->callback([options] { replay_recording(*options); });
}

}  // namespace stickslip::cli
