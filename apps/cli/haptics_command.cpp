#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/cli/commands.hpp"
#include "apps/cli/haptics_report.hpp"
#include "apps/cli/progress.hpp"

namespace stickslip::cli {

namespace {

struct BenchOptions {
  bool json = false;
  bool quick = false;
  std::string out;
};

void run_bench(const BenchOptions& options) {
  const HapticsBench bench = [&] {
    ProgressBar bar("haptics bench");
    return run_haptics_bench({options.quick, [&](double share) { bar.show(share); }});
  }();
  if (options.json) {
    using Json = nlohmann::ordered_json;
    fmt::print("{}\n", bench_json(bench).dump(-1, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", bench_text(bench));
  }
  std::fflush(stdout);
  if (!options.out.empty()) {
    write_bench(options.out, bench);
    fmt::print(stderr, "tables and pictures are in {}\n", options.out);
  }
  const std::vector<AskedFigure> asked = asked_figures(bench);
  const auto is_met = [](const AskedFigure& figure) { return figure.is_met(); };
  if (!std::all_of(asked.begin(), asked.end(), is_met)) throw ExitCode{1};
}

}  // namespace

void add_haptics_command(CLI::App& program) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* haptics = program.add_subcommand("haptics", "The haptic loop in figures");
  haptics->require_subcommand(1);
  CLI::App* bench = haptics->add_subcommand(
      "bench", "Close the loop by simulated devices and hands, and measure it");
  bench->add_flag("--json", options->json, "One JSON object on standard output");
  bench->add_option("--out", options->out, "Folder for tables (.csv) and pictures (.svg)");
  bench->add_flag("--quick", options->quick,
                  "Two devices at two rates by the two-rate loop, a minute of restless hands");
  bench->footer(
      "A rigid cube of 15 g and 20 mm over a rigid floor, led by each device in each hand.\n"
      "- stable stiffness: a tap and a hold of 3 N; unstable where the rendered force above 20 Hz\n"
      "  (Butterworth, second order) exceeds 0.15 N during one second of the hold, from 0.95 s\n"
      "  after the tap on, or the motion above 20 Hz grows in it. Looked for up to 50 kN/m.\n"
      "- force step at an update: how much more the rendered force changes at a tick with a new\n"
      "  step of the simulation than at the tick before or after, and no more than the coupling\n"
      "  makes of the jump of the grip by that step.\n"
      "- elastic bodies: a cube over a block, each rigid or elastic over five decades of "
      "stiffness;\n"
      "  what a still hand is given against the contact force, and along a recorded motion "
      "against\n"
      "  the same scene stepped at 1 kHz.\n"
      "- links of 0 to 5 ms, with the gains that are chosen for them.\n"
      "- restless hands: ten minutes of pokes, strokes, twists and snaps of an elastic blade.\n"
      "docs/haptics.md says more. Exit code 1: a figure misses what is asked. Example:\n"
      "  stickslip haptics bench --out build/haptics");
  bench->callback([options] { run_bench(*options); });
}

}  // namespace stickslip::cli
