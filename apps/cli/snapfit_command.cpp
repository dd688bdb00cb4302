#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/number_checks.hpp"
#include "apps/cli/progress.hpp"
#include "apps/cli/scene_progress.hpp"
#include "apps/cli/snap_telling.hpp"
#include "apps/plot/plot.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/io/snap_fit_scene.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/simulation/linear_range.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace stickslip::cli {

namespace {

constexpr double degrees = std::numbers::pi / 180.0;

struct SnapfitOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> overrides;
  std::vector<double> frictions;
  std::vector<double> offset = {0.0, 0.0, 0.0};
  std::vector<double> tilt_deg = {0.0, 0.0, 0.0};
  std::vector<double> axis = {0.0, -1.0, 0.0};
  std::string handle = "handle";
  std::string hold;
  std::optional<double> travel;
  SnapFitOptions motion;
  SnapFitParts parts;
  std::string out = "snapfit";
  bool json = false;
};

Vec3 vector_of(const std::vector<double>& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

/// A name, or six numbers.
SnapFitParts::Held held_of(std::string_view option, const std::string& text) {
  const std::string_view numerals = "+-0123456789.eE, ";
  if (text.find(',') == std::string::npos ||
      text.find_first_not_of(numerals) != std::string::npos) {
    return {text};
  }
  SnapFitParts::Held held;
  std::vector<double> numbers;
  const bool is_read = CLI::detail::lexical_conversion<std::vector<double>, std::vector<double>>(
      CLI::detail::split(text, ','), numbers);
  if (is_read && numbers.size() == 6) {
    held.low = {numbers[0], numbers[1], numbers[2]};
    held.high = {numbers[3], numbers[4], numbers[5]};
  }
  if (!is_read || numbers.size() != 6 || (held.high - held.low).minCoeff() < 0.0) {
    throw InputError(fmt::format(
        "{} {}: a box is six numbers, x0,y0,z0,x1,y1,z1 [m], the first three not above the others",
        option, text));
  }
  return held;
}

/// A scene file, or two meshes, with the friction asked for.
SceneDescription describe(const SnapfitOptions& options, std::optional<double> friction) {
  std::vector<std::string> overrides = options.overrides;
  if (options.inputs.size() == 1) {
    if (friction) overrides.push_back(fmt::format("contact.friction={}", *friction));
    return read_scene_description(options.inputs.front(), overrides);
  }
  if (!overrides.empty()) {
    throw InputError(
        fmt::format("--set {}: two meshes have no scene file to set it in; use the "
                    "options of snapfit, or write a scene",
                    overrides.front()));
  }
  SnapFitParts parts = options.parts;
  parts.handle = held_of("--handle", options.handle);
  if (!options.hold.empty()) parts.counterpart_held = held_of("--hold", options.hold);
  parts.part = options.inputs[0];
  parts.counterpart = options.inputs[1];
  const Vec3 axis = vector_of(options.axis);
  if (!(axis.norm() > 0.0)) {
    throw InputError("--axis 0,0,0: no direction; give the one in which the part goes in");
  }
  parts.axis = axis.normalized();
  if (options.travel) parts.travel = *options.travel;
  if (friction) parts.friction = *friction;
  return describe_snap_fit(parts);
}

struct Tested {
  double friction = 0.0;
  SnapFit fit;
  std::vector<std::string> warnings;  ///< of the range of the linear model
  double dt = 0.0;
  std::string curve_csv;
};

Tested test(const SnapfitOptions& options, std::optional<double> friction) {
  const SceneDescription description = describe(options, friction);
  Scene scene = [&] {
    SceneProgress progress;
    SceneBuildOptions building;
    building.progress = progress.callback();
    return build_scene(description, building).scene;
  }();
  std::optional<SnapMover> mover = find_snap_mover(scene);
  if (!mover) {
    throw InputError(fmt::format(
        "{}: needs exactly one hand with a path, or one drive of kind motion or spring, that leads "
        "the part in; take the others out, or give one a path",
        options.inputs.front()));
  }
  if (options.travel && options.inputs.size() == 1) mover->travel = *options.travel;
  steady_hands(scene);
  misalign(scene, *mover, vector_of(options.offset), degrees * vector_of(options.tilt_deg));

  Tested tested;
  tested.friction = friction.value_or(description.friction);
  tested.dt = scene.simulation.dt;
  ProgressBar bar(fmt::format("friction {:g}", tested.friction));
  tested.fit = run_snap_fit(scene, *mover, options.motion,
                            [&](double share, const State&, const StepData&) { bar.show(share); });
  tested.warnings = linear_range_warnings(scene, tested.fit.of_bodies);
  return tested;
}

std::string curve_csv(const SnapFit& fit) {
  std::string text =
      "time_s,moved_m,force_N,stored_J,friction_J,left_over_J,penetration_m,loaded_contacts\n";
  for (const SnapSample& s : fit.samples) {
    text += fmt::format("{:.6g},{:.9g},{:.9g},{:.9g},{:.9g},{:.3g},{:.3g},{}\n", s.time_s,
                        s.moved_m, s.force_N, s.stored_J, s.friction_J, s.left_over_J,
                        s.penetration_m, s.loaded_contacts);
  }
  return text;
}

/// Force against displacement, in and out, of all frictions.
Plot force_plot(const std::vector<Tested>& tests) {
  Plot plot{.title = "Force against displacement",
            .x = {.label = "displacement [mm]"},
            .y = {.label = "force against the way in [N]"},
            .series = {},
            .levels = {0.0}};
  for (std::size_t k = 0; k < tests.size(); ++k) {
    const SnapFit& fit = tests[k].fit;
    Series in{.name = fmt::format("friction {:g}, in", tests[k].friction), .x = {}, .y = {}};
    Series out{.name = fmt::format("friction {:g}, out", tests[k].friction), .x = {}, .y = {}};
    in.look = Look::line;
    out.look = Look::dashed_line;
    in.colour = out.colour = static_cast<int>(k);
    for (std::size_t s = 0; s < fit.samples.size(); ++s) {
      Series& series = s < fit.withdrawal ? in : out;
      series.x.push_back(1e3 * fit.samples[s].moved_m);
      series.y.push_back(fit.samples[s].force_N);
    }
    plot.series.push_back(std::move(in));
    plot.series.push_back(std::move(out));
  }
  return plot;
}

void write_results(const SnapfitOptions& options, std::vector<Tested>& tests) {
  const std::filesystem::path folder = options.out;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw InputError(fmt::format("--out {}: {}; choose a folder that can be written", options.out,
                                 failure.message()));
  }
  for (Tested& tested : tests) {
    const auto path = folder / fmt::format("curve_mu_{:g}.csv", tested.friction);
    write_file_atomically(path, curve_csv(tested.fit));
    tested.curve_csv = path.string();
  }
  const auto plot = folder / "force.svg";
  write_plot(plot, force_plot(tests));
  write_png(plot);
}

nlohmann::ordered_json report_json(const SnapfitOptions& options, const Tested& tested) {
  const SnapFit& fit = tested.fit;
  return {
      {"input", options.inputs},
      {"friction", tested.friction},
      {"dt_s", tested.dt},
      {"speed_m_s", options.motion.speed},
      {"insertion", {{"peak_N", fit.peak_N}, {"peak_at_m", fit.peak_at_m}, {"work_J", fit.work_J}}},
      {"snap",
       {{"snaps", fit.snaps},
        {"at_m", fit.snap_at_m},
        {"time_s", fit.snap_time_s},
        {"duration_s", fit.snap_duration_s},
        {"pull_in_N", fit.pull_in_N}}},
      {"retention",
       {{"holds", fit.holds},
        {"lets_go", fit.lets_go},
        {"peak_N", fit.retention_N},
        {"peak_at_m", fit.retention_at_m},
        {"release_at_m", fit.release_at_m}}},
      {"energy_J",
       {{"stored", fit.stored_J},
        {"friction", fit.friction_J},
        {"lost", fit.lost_J},
        {"largest_gain", fit.largest_gain_J}}},
      {"penetration_m", {{"pushing", fit.penetration_m}, {"in_snap", fit.penetration_in_snap_m}}},
      {"max_strain", fit.strain},
      {"max_relative_rotation_rad", fit.rotation_rad},
      {"not_converged", fit.steps_not_converged},
      {"curve_csv", tested.curve_csv}};
}

std::string report_text(const Tested& tested) {
  const SnapFit& fit = tested.fit;
  return fmt::format("{:<16}{:g}\n{}{:<16}{:.2f} %, turned by {:.1f} degrees\n", "friction",
                     tested.friction, snap_fit_text(fit), "largest strain", 1e2 * fit.strain,
                     fit.rotation_rad / degrees);
}

void warn(const Tested& tested) {
  const SnapFit& fit = tested.fit;
  for (const std::string& warning : tested.warnings) {
    fmt::print(stderr, "stickslip: friction {:g}: {}\n", tested.friction, warning);
  }
  if (fit.steps_not_converged > 0) {
    fmt::print(stderr, "stickslip: friction {:g}: {} of {} steps did not reach the tolerance\n",
               tested.friction, fit.steps_not_converged, fit.samples.size());
  }
}

void snapfit(const SnapfitOptions& options) {
  std::vector<std::optional<double>> frictions(options.frictions.begin(), options.frictions.end());
  if (frictions.empty()) frictions.emplace_back();
  std::vector<Tested> tests;
  for (const std::optional<double>& friction : frictions) tests.push_back(test(options, friction));
  write_results(options, tests);
  bool all_snap = true;
  for (const Tested& tested : tests) {
    if (options.json) {
      using Json = nlohmann::ordered_json;
      fmt::print("{}\n",
                 report_json(options, tested).dump(-1, ' ', false, Json::error_handler_t::replace));
    } else {
      fmt::print("{}", report_text(tested));
    }
    warn(tested);
    all_snap &= tested.fit.snaps;
  }
  std::fflush(stdout);
  fmt::print(stderr, "curves and plot are in {}\n", options.out);
  if (!all_snap) throw ExitCode{1};
}

}  // namespace

void add_snapfit_command(CLI::App& program) {
  const auto options = std::make_shared<SnapfitOptions>();
  SnapFitParts& parts = options->parts;
  CLI::App* command = program.add_subcommand(
      "snapfit", "Pushes a part in until it snaps, withdraws it: forces, click, strain");
  command
      ->add_option("INPUT", options->inputs,
                   "A scene with one hand or drive that leads a part in; or two meshes, PART and "
                   "COUNTERPART, as they lie when assembled")
      ->required()
      ->expected(1, 2);
  command->add_option("--mu", options->frictions, "Coefficients of friction, e.g. 0,0.2,0.8")
      ->delimiter(',')
      ->check(zero_or_more());
  command->add_option("--speed", options->motion.speed, "Of the hand [m/s] (default 0.02)")
      ->check(above_zero());
  command
      ->add_option("--travel", options->travel,
                   "Way of the hand [m] (scene: as far as its path; meshes: 0.03, to where the "
                   "part is seated)")
      ->check(above_zero());
  command->add_option("--offset", options->offset, "The part starts beside its line by x,y,z [m]")
      ->delimiter(',')
      ->expected(3);
  command
      ->add_option("--tilt-deg", options->tilt_deg,
                   "and turned about its handle, as a rotation vector [degrees]")
      ->delimiter(',')
      ->expected(3);
  command->add_option("--out", options->out, "Folder of curves and plot (default snapfit)");
  command
      ->add_option("--set", options->overrides,
                   "PATH=VALUE in place of the scene's own; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "One JSON object a line on standard output");

  auto* meshes = command->add_option_group("two meshes");
  meshes->add_option("--handle", options->handle,
                     "What of PART is held: a region (default handle), or all nodes within a box, "
                     "x0,y0,z0,x1,y1,z1 [m]");
  meshes->add_option("--axis", options->axis, "Direction in which it goes in (default 0,-1,0)")
      ->delimiter(',')
      ->expected(3);
  meshes->add_option("--overtravel", parts.overtravel, "Beyond where it is seated [m] (default 0)")
      ->check(zero_or_more());
  meshes->add_option("--hold", options->hold,
                     "What of a deformable COUNTERPART is held, likewise (default: it is rigid)");
  meshes->add_option("--young", parts.young, "Young's modulus [Pa] (default 7e8)")
      ->check(above_zero());
  meshes->add_option("--poisson", parts.poisson, "Poisson's ratio (default 0.35)")
      ->check(zero_or_more())
      ->check(CLI::Range(0.0, 0.499));
  meshes->add_option("--density", parts.density, "[kg/m^3] (default 950)")->check(above_zero());
  meshes->add_option("--dt", parts.dt, "Time step [s] (default 0.003)")->check(above_zero());
  meshes->add_option("--stiffness", parts.stiffness, "Of the hand [N/m] (default 2000)")
      ->check(above_zero());
  command->footer(
      "The force is that of the contacts on the part against its way in, displacement is that of\n"
      "the part from its start. The snap is where the part is open widest; the click lasts while\n"
      "what it gives back goes from a tenth to nine tenths.\n"
      "Exit code 1: the part does not snap in.\n"
      "Examples:\n"
      "  stickslip snapfit scenes/snap_in.toml --mu 0,0.2,0.8 --out fit\n"
      "  stickslip snapfit clip.msh pipe.msh --handle handle --axis 0,-1,0 --travel 0.03");
  command->callback([options] { snapfit(*options); });
}

}  // namespace stickslip::cli
