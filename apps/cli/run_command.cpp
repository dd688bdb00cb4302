#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/commands.hpp"
#include "apps/cli/csv_file.hpp"
#include "apps/cli/haptic_run.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/run_ending.hpp"
#include "apps/cli/run_report.hpp"
#include "apps/cli/scene_progress.hpp"
#include "apps/cli/snap_telling.hpp"
#include "apps/cli/viewer_run.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/fclib_file.hpp"
#include "stickslip/io/recorder.hpp"
#include "stickslip/io/replay.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/version.hpp"

namespace stickslip::cli {

namespace {

using Clock = std::chrono::steady_clock;

struct RunOptions {
  std::string scene;
  std::string resume;
  std::optional<std::int64_t> at_step;
  std::optional<double> at_s;
  std::string record;
  std::optional<double> record_states_s;
  std::vector<std::string> overrides;
  std::optional<double> duration;
  std::string csv;
  std::string dump_folder;
  int dump_every = 1;
  bool headless = false;
  bool phases = false;
  bool viewer = false;
  std::string address;
  std::optional<std::uint16_t> port;
  std::string recordings = "recordings";
  bool paused = false;
  bool realtime = false;
  bool refuses_realtime = false;  ///< by --realtime=false
  bool resolve_start = false;
  double tick_s = 1e-3;
  std::string rendering = "resolved";
  bool json = false;
};

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw InputError(fmt::format("--dump-problems {}: cannot make the folder ({}); choose another",
                                 folder, error.message()));
  }
}

/// The problems of a step as they were solved last, with their solutions.
void dump_problems(const Run& run, std::int64_t step, const std::string& folder) {
  for (int g = 0; g < run.data.groups.count(); ++g) {
    const StepData::GroupProblem& group = run.data.problems[uz(g)];
    FclibFile file;
    file.problem = group.problem;
    file.title = fmt::format("{}, step {}, group {}", run.scene.name, step, g);
    file.description = fmt::format("contacts of a scene at {} s", run.state.time_s);
    VecX u;
    group.problem.W.multiply(group.f, u);
    u += group.problem.delta_free;
    file.solution = FclibSolution{group.f, u};
    const auto name = fmt::format("step_{:06}_group_{}.hdf5", step, g);
    write_fclib(std::filesystem::path(folder) / name, file);
  }
}

void simulate(Run& run, std::int64_t steps, const RunOptions& options, Recorder* recorder,
              HapticRun* haptics, RunEnding& ending) {
  std::optional<CsvFile> csv;
  if (!options.csv.empty()) {
    csv.emplace("--csv", options.csv, run_csv_header(run.scene) + HapticRun::csv_header(run.scene));
  }
  std::optional<SnapTelling> telling;
  if (options.phases) telling.emplace(run.scene, run.state);
  ProgressBar bar(run.scene.name);
  const Clock::time_point start = Clock::now();
  std::int64_t k = 0;
  const auto note = [&](const StepReport& report) {
    if (recorder) recorder->add(run.scene, run.state, run.data);
    run.summary.add(report);
    run.range.add(run.scene, run.state);
    if (telling) telling->add(run.state, run.data);
    update_readings(run.scene, run.state, run.data, run.readings);
    if (csv) csv->add_line(run_csv_row(run, report) + (haptics ? haptics->csv_row() : ""));
    if (!options.dump_folder.empty() && k % options.dump_every == 0) {
      dump_problems(run, run.first_step + k, options.dump_folder);
    }
    bar.show(static_cast<double>(k) / static_cast<double>(steps));
  };
  const auto after_step = [&](const StepReport& report) {
    ++k;
    ending.guard([&] { note(report); });
  };
  if (haptics) {
    haptics->run(run.scene, run.state, run.data, steps, options.realtime, ending.stop(),
                 after_step);
  } else {
    SceneRunner runner(run.scene, run.state, run.data);
    if (options.realtime) {
      const Pace pace{.makes_up = true};
      run.late_steps = runner.run_by_clock(pace, steps, ending.stop(), {after_step, {}}).late_steps;
    } else {
      runner.run(steps, ending.stop(), {after_step, {}});
    }
  }
  run.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  if (csv) ending.guard([&] { csv->close(); });
  if (telling && !options.json) run.snap_text = telling->to_text();
}

/// Goes through a recording up to where the run is to be taken up.
Resumed resume(const Recording& recording, const Scene& scene, const RunOptions& options) {
  Replay replay(recording, scene);
  const std::size_t rows = recording.row_count();
  const std::int64_t first = recording.state_step(0);
  const std::int64_t last = rows == 0 ? first : recording.step(rows - 1);
  std::int64_t wanted = last;
  if (options.at_step) wanted = *options.at_step;
  if (options.at_s) wanted = std::llround(*options.at_s / recording.dt());
  if (wanted < first || wanted > last) {
    throw InputError(fmt::format(
        "{}: step {} ({:g} s) is not in it; give one from {} to {} ({:g} s to {:g} s)",
        options.resume, wanted, static_cast<double>(wanted) * recording.dt(), first, last,
        static_cast<double>(first) * recording.dt(), static_cast<double>(last) * recording.dt()));
  }
  replay.go_to(wanted);
  if (replay.step() != wanted) {
    throw InputError(fmt::format("{}: step {} was lost while it was recorded; give step {}",
                                 options.resume, wanted, replay.step()));
  }
  if (!replay.is_equal()) {
    throw InputError(
        fmt::format("{}: step {} does not come out as recorded (made by version {}); "
                    "resume it where it was made",
                    options.resume, wanted, recording.scene().version));
  }
  Resumed from{replay.state(), wanted};
  if (wanted > first) from.energy = recording.details(replay.next_row() - 1, 1).energy[0];
  return from;
}

/// What this run has in place of the scene's own values.
std::vector<std::string> overrides_of(const RunOptions& options) {
  std::vector<std::string> overrides = options.overrides;
  if (options.duration) {
    overrides.push_back(fmt::format("simulation.duration={}", *options.duration));
  }
  // what is dumped has to be there
  if (!options.dump_folder.empty()) overrides.emplace_back("simulation.delassus=built");
  return overrides;
}

/// What the scene is made of: files and options, or a recording.
RecordedScene scene_source(const RunOptions& options, const Recording* recording) {
  const std::vector<std::string> overrides = overrides_of(options);
  if (!recording) return collect_scene(options.scene, overrides, options.resolve_start);
  RecordedScene source = recording->scene();
  source.overrides.insert(source.overrides.end(), overrides.begin(), overrides.end());
  source.version = version;
  return source;
}

std::int64_t steps_to_go(const Run& run, const RunOptions& options) {
  const SimulationOptions& simulation = run.scene.simulation;
  const double wanted = std::round(simulation.duration / simulation.dt);
  if (wanted > 1e12) {
    throw InputError(fmt::format("{}: {} s in steps of {} s are too many; shorten the duration",
                                 options.scene, simulation.duration, simulation.dt));
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted) - run.first_step);
}

std::unique_ptr<Recorder> start_recording(const Run& run, const RecordedScene& source,
                                          const RunOptions& options) {
  if (options.record.empty()) return nullptr;
  RecorderOptions recording;
  recording.first_step = run.first_step;
  recording.may_wait = !options.realtime;
  if (options.record_states_s) {
    recording.state_every =
        std::max<std::int64_t>(1, std::llround(*options.record_states_s / run.scene.simulation.dt));
  }
  return std::make_unique<Recorder>(options.record, source, run.scene, run.state, recording);
}

RenderingMode rendering_mode(const RunOptions& options) {
  return options.rendering == "plain" ? RenderingMode::plain : RenderingMode::resolved;
}

/// Whether somebody is there who would watch, and nothing is asked for that a run has to end for.
bool is_to_be_watched(const RunOptions& options) {
  if (options.viewer || options.headless) return options.viewer;
  const bool wants_result = options.json || options.realtime || options.duration ||
                            !options.csv.empty() || !options.record.empty() ||
                            !options.resume.empty() || !options.dump_folder.empty();
  return !wants_result && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

void watch_scene(const RunOptions& options) {
  if (options.scene.empty())
    throw InputError("run: --viewer needs a SCENE; recordings are opened in the page");
  SceneProgress progress;
  ViewerOptions watching;
  watching.viewing.scene = options.scene;
  watching.viewing.overrides = overrides_of(options);
  watching.viewing.stage.tick_s = options.tick_s;
  watching.viewing.stage.rendering = rendering_mode(options);
  watching.viewing.stage.building.resolve_start = options.resolve_start;
  watching.viewing.stage.building.progress = progress.callback();
  watching.viewing.recordings = options.recordings;
  watching.viewing.starts_paused = options.paused;
  watching.address = options.address;
  watching.port = options.port;
  watching.opens_browser = !options.viewer;
  run_viewer(watching);
}

/// On standard output; with --json nothing else.
void print_report(const Run& run, const HapticRun* haptics, const RunOptions& options) {
  // names of files need not be UTF-8
  using Json = nlohmann::ordered_json;
  if (options.json) {
    Json json = report_json(run, options.resume.empty() ? options.scene : options.resume);
    if (haptics) json.update(haptics->to_json(run.scene));
    fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}{}{}", run.snap_text, report_text(run),
               haptics ? haptics->to_text(run.scene) : "");
  }
  std::fflush(stdout);
  report_trouble(run);
  if (haptics) haptics->report_trouble();
}

/// Who is felt lives by the clock, asked for or not.
void keep_to_clock(const HapticRun& haptics, RunOptions& options) {
  if (options.realtime || !haptics.needs_clock()) return;
  if (options.refuses_realtime) {
    throw InputError(
        "run: --realtime=false: a device that is not simulated runs by the clock; leave it out");
  }
  fmt::print(stderr,
             "stickslip: a device that is not simulated is run by the clock (--realtime)\n");
  options.realtime = true;
}

void run_scene(RunOptions options) {
  if (is_to_be_watched(options)) return watch_scene(options);
  if (options.scene.empty() == options.resume.empty()) {
    throw InputError("run: give either a SCENE or --resume with a recording");
  }
  std::optional<Recording> recorded;
  if (!options.resume.empty()) recorded.emplace(options.resume);
  if (!options.dump_folder.empty()) make_folder(options.dump_folder);
  const RecordedScene source = scene_source(options, recorded ? &*recorded : nullptr);
  Scene scene = [&] {
    SceneProgress progress;
    SceneBuildOptions building;
    building.resolve_start = options.resolve_start;
    building.progress = progress.callback();
    return recorded ? recorded->build_scene(building, overrides_of(options))
                    : read_scene(options.scene, source.overrides, building);
  }();
  std::optional<Resumed> from;
  if (recorded) from = resume(*recorded, scene, options);
  std::optional<EndSignals> signals(std::in_place);
  std::optional<HapticRun> haptics;
  if (!scene.hands.empty()) {
    haptics.emplace(scene, options.tick_s, rendering_mode(options));
    keep_to_clock(*haptics, options);
    if (options.realtime) refuse_what_cannot_be_locked(scene);
  }
  Run run = from ? Run(std::move(scene), *from) : Run(std::move(scene));
  const std::unique_ptr<Recorder> recorder = start_recording(run, source, options);
  RunEnding ending(*signals);
  const std::int64_t steps = steps_to_go(run, options);
  simulate(run, steps, options, recorder.get(), haptics ? &*haptics : nullptr, ending);
  if (recorder) {
    ending.guard([&] { recorder->finish(); });
    run.lost_steps = recorder->lost();
  }
  const bool is_early = run.summary.steps() < steps || ending.has_thrown();
  if (is_early) run.ended_by = ending.text();
  // all is done but the report
  signals.reset();
  print_report(run, haptics ? &*haptics : nullptr, options);
  ending.rethrow();
  if (!run.summary.is_sound() || is_early || (haptics && haptics->made_no_tick())) {
    throw ExitCode{1};
  }
}

}  // namespace

void add_run_command(CLI::App& program) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* run =
      program.add_subcommand("run", "Run a scene and say what happened, how well and how fast");
  run->add_option("SCENE", options->scene,
                  "Scene file (.toml); docs/scene_format.md has every key");
  auto* record = run->add_option("--record", options->record,
                                 "Write the run to this file (.h5), for `stickslip replay`, "
                                 "`export` and --resume");
  run->add_option("--record-states-every", options->record_states_s,
                  "Simulated time between full states of the recording [s] (default 1)")
      ->check(above_zero())
      ->needs(record);
  auto* resume = run->add_option("--resume", options->resume,
                                 "Go on with a recorded run, in place of a SCENE");
  run->add_flag("--phases", options->phases,
                "Say when a part that is led into another touches it, snaps in and lets go");
  auto* at_step = run->add_option("--at-step", options->at_step,
                                  "Go on after this step (default: the last recorded)");
  at_step->needs(resume);
  run->add_option("--at", options->at_s, "Go on from this time [s]")
      ->check(zero_or_more())
      ->needs(resume)
      ->excludes(at_step);
  auto* headless = run->add_flag("--headless", options->headless,
                                 "To its end and without the viewer, as if no terminal were there");
  run->add_flag("--viewer", options->viewer,
                "Serve the viewer's page also where no terminal is; opens no browser")
      ->excludes(headless);
  run->add_option("--port", options->port,
                  "Of the viewer on this machine (default 8484, or any if taken; 0: any)");
  run->add_option("--address", options->address,
                  "Serve the viewer on this address of the machine in place of 127.0.0.1 and ::1: "
                  "whoever knows the token may then connect");
  run->add_option("--recordings", options->recordings,
                  "Folder of what the viewer records (default: recordings)");
  run->add_flag("--paused", options->paused, "Let the viewer start paused");
  run->add_option("--duration", options->duration,
                  "Time to simulate [s] (default: simulation.duration of the scene)")
      ->check(above_zero());
  run->add_option("--set", options->overrides,
                  "PATH=VALUE in place of the scene's own, e.g. simulation.dt=0.002, "
                  "body.block.position=[0,0,0.1]; may be repeated")
      ->allow_extra_args(false);
  run->add_option("--csv", options->csv, "Write a row per step: probes, contacts, energy, times");
  auto* dump = run->add_option("--dump-problems", options->dump_folder,
                               "Write the contact problems of each step to this folder, for "
                               "`stickslip solve`");
  run->add_option("--dump-every", options->dump_every, "Only those of every N-th step")
      ->check(above_zero())
      ->needs(dump);
  run->add_option("--tick", options->tick_s, "Of the haptic loop, where the scene has hands [s]")
      ->check(above_zero())
      ->check(CLI::Range(1e-4, 0.02));
  run->add_option("--rendering", options->rendering,
                  "Of the haptic loop between two steps: resolved (contacts solved again at every "
                  "tick) or plain (coupling to where the step left the body)")
      ->check(CLI::IsMember({"resolved", "plain"}));
  auto* realtime =
      run->add_flag("--realtime", options->realtime,
                    "No faster than the clock on the wall; always where a device is not simulated");
  run->add_flag("--resolve-start", options->resolve_start,
                "Pull bodies apart that overlap at the start");
  run->add_flag("--json", options->json, "One JSON object on standard output");
  run->footer(
      "Exit code 1: a step did not converge (unless simulation.deadline_us stopped it), or met a\n"
      "number that is not finite; or SIGINT, SIGTERM or SIGHUP ended the run, with a report.\n"
      "Example: does a block slide on a slope of 20 degrees?\n"
      "  stickslip run scenes/incline.toml --headless --set contact.friction=0.3");
  run->callback([options, realtime] {
    options->refuses_realtime = realtime->count() > 0 && !options->realtime;
    run_scene(*options);
  });
}

}  // namespace stickslip::cli
