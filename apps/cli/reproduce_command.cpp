#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "experiments/finding.hpp"
#include "stickslip/error.hpp"

namespace stickslip::cli {

namespace {

using experiments::Experiment;
using experiments::Result;

struct ReproduceOptions {
  std::vector<std::string> names;
  std::string out = "reproduction";
  std::string scenes = STICKSLIP_SCENES;
  std::string fine_table;
  bool is_quick = false;
  bool json = false;
};

/// Those asked for, in the order of the paper.
std::vector<const Experiment*> chosen(const std::vector<std::string>& names) {
  const std::vector<Experiment>& all = experiments::all_experiments();
  for (const std::string& name : names) {
    const bool is_known = name == "all" || std::any_of(all.begin(), all.end(), [&](const auto& e) {
                            return e.name == name;
                          });
    if (is_known) continue;
    std::vector<std::string_view> known;
    for (const Experiment& experiment : all) known.push_back(experiment.name);
    throw InputError(fmt::format("reproduce {}: no such figure; there are {} and all", name,
                                 fmt::join(known, ", ")));
  }
  const auto asks = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<const Experiment*> result;
  for (const Experiment& experiment : all) {
    if (names.empty() || asks("all") || asks(experiment.name)) result.push_back(&experiment);
  }
  return result;
}

nlohmann::ordered_json result_json(const Result& result) {
  nlohmann::ordered_json json = {{"name", result.experiment->name},
                                 {"title", result.experiment->title},
                                 {"verdict", to_string(result.finding.verdict)},
                                 {"why", result.finding.why},
                                 {"seconds", result.seconds},
                                 {"pictures", result.finding.pictures},
                                 {"tables", result.finding.tables},
                                 {"numbers", nlohmann::ordered_json::array()}};
  for (const experiments::Number& number : result.finding.numbers) {
    json["numbers"].push_back(
        {{"name", number.name}, {"value", number.value}, {"unit", number.unit}});
  }
  return json;
}

Result run(const Experiment& experiment, experiments::Settings settings, const std::string& label) {
  ProgressBar bar(label);
  settings.progress = [&](double share) { bar.show(share); };
  settings.show(0.0);
  const auto start = std::chrono::steady_clock::now();
  Result result{&experiment, experiment.run(settings), 0.0};
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void reproduce(const ReproduceOptions& options) {
  const std::vector<const Experiment*> wanted = chosen(options.names);
  std::error_code failure;
  std::filesystem::create_directories(options.out, failure);
  if (failure) {
    throw InputError(fmt::format("--out {}: {}; choose a folder that can be written", options.out,
                                 failure.message()));
  }
  experiments::Settings settings;
  settings.out = options.out;
  settings.scenes = options.scenes;
  settings.fine_table = options.fine_table;
  settings.is_quick = options.is_quick;

  std::vector<Result> results;
  for (const Experiment* experiment : wanted) {
    results.push_back(
        run(*experiment, settings,
            fmt::format("{} ({} of {})", experiment->name, results.size() + 1, wanted.size())));
    // the page grows with the run: what is done is not lost
    write_page(settings, results);
    if (options.json) continue;
    const Result& last = results.back();
    fmt::print("{:<7} {:<10} {:>6.1f} s  {}\n", experiment->name, to_string(last.finding.verdict),
               last.seconds, last.finding.why);
    std::fflush(stdout);
  }
  if (options.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Result& result : results) json.push_back(result_json(result));
    fmt::print("{}\n", json.dump());
  }
  const auto page = std::filesystem::path(options.out) / "index.html";
  fmt::print(stderr, "the page is {}\n", page.string());
  const bool has_png = std::filesystem::exists(
      settings.out /
      std::filesystem::path(results.front().finding.pictures.front()).replace_extension(".png"));
  if (!has_png) fmt::print(stderr, "no .png files: rsvg-convert (librsvg2-bin) is not installed\n");
}

}  // namespace

void add_reproduce_command(CLI::App& program) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App* command = program.add_subcommand(
      "reproduce", "The paper's figures, measured and drawn, with a verdict on each");
  command->add_option("FIGURE", options->names, "fig3 to fig18, sec2 to sec6.2, or all (default)");
  command
      ->add_option("--out", options->out,
                   "Folder for page, pictures (.svg, .png) and tables (.csv)")
      ->capture_default_str();
  command->add_option("--scenes", options->scenes, "Folder of the scenes and their models")
      ->capture_default_str();
  command->add_option("--fine-table", options->fine_table,
                      "A finer mesh of the table, for more contacts in fig8");
  command->add_flag("--quick", options->is_quick, "Small versions: half a minute, rougher numbers");
  command->add_flag("--json", options->json, "One JSON array on standard output");
  command->footer(
      "Writes index.html: for each figure what the paper says, what we get, and the verdict.\n"
      "Times are of this machine; on a busy one run fig8, fig17 and fig18 again.\n"
      "Example: the two figures about pyramids\n"
      "  stickslip reproduce fig7 fig8 --out pyramids");
  command->callback([options] { reproduce(*options); });
}

}  // namespace stickslip::cli
