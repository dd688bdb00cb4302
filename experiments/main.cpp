// Runs the experiments and writes their data (.csv) and pictures (.svg).

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>

#include "experiments/figure_7_gap.hpp"
#include "experiments/figure_8_time.hpp"
#include "experiments/relaxed_tolerance.hpp"
#include "experiments/table_problems.hpp"
#include "stickslip/error.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::experiments;

struct Arguments {
  std::vector<std::string> names;
  std::string table = STICKSLIP_SOURCE_DIR "/scenes/models/table_500.msh";
  std::string large_table;
  std::string out = ".";
};

void run(const Arguments& arguments) {
  const std::filesystem::path out = arguments.out;
  std::filesystem::create_directories(out);
  const auto is_asked_for = [&](const std::string& name) {
    return arguments.names.empty() ||
           std::find(arguments.names.begin(), arguments.names.end(), name) != arguments.names.end();
  };
  const auto perform = [&](const std::string& name, const std::function<void()>& work) {
    if (!is_asked_for(name)) return;
    const auto start = std::chrono::steady_clock::now();
    work();
    fmt::print("{:<20} {:>6.1f} s\n", name,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::fflush(stdout);
  };

  const TableOnFloor table(arguments.table);
  perform("figure_7_gap", [&] { write_gap(measure_gap(table), out); });
  perform("figure_8_time", [&] {
    std::vector<TimeRow> rows = measure_time(table);
    if (!arguments.large_table.empty()) {
      // more contacts than the small mesh has under its feet
      TimeSettings settings;
      settings.per_foot = {12, 16, 20, 25};
      settings.repeats = 1;
      for (const TimeRow& row : measure_time(TableOnFloor(arguments.large_table), settings)) {
        rows.push_back(row);
      }
    }
    write_time(rows, out);
  });
  perform("relaxed_tolerance", [&] { write_tolerance(measure_tolerance(table), out); });
  perform("table_problems", [&] {
    write_table_problems(table, out);
    if (arguments.large_table.empty()) return;
    TableProblemSettings settings;
    settings.per_foot = {16, 25};
    write_table_problems(TableOnFloor(arguments.large_table), out, settings);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> known = {"figure_7_gap", "figure_8_time", "relaxed_tolerance",
                                          "table_problems"};
  Arguments arguments;
  CLI::App app("The experiments of the paper");
  app.add_option("NAME", arguments.names,
                 fmt::format("{}; without a name all of them", fmt::join(known, ", ")))
      ->check(CLI::IsMember(known));
  app.add_option("--table", arguments.table, "mesh of the table, with feet and top")
      ->capture_default_str();
  app.add_option("--large-table", arguments.large_table,
                 "a finer mesh of it, for more contacts than that has");
  app.add_option("--out", arguments.out, "folder for data and pictures")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
  } catch (const InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
