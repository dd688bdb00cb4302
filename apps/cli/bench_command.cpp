#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "apps/bench/report.hpp"
#include "apps/cli/commands.hpp"
#include "apps/cli/progress.hpp"
#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip::cli {

namespace {

struct BenchArguments {
  bench::Options options;
  bool json = false;
  std::string out;
};

std::string json_line(const bench::Report& report) {
  using Json = nlohmann::ordered_json;
  return bench::report_json(report).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void run_suites(BenchArguments arguments) {
  std::optional<ProgressBar> bar;
  std::string shown_suite;
  arguments.options.progress = [&](const std::string& suite, double share) {
    if (suite != shown_suite) bar.emplace("bench " + (shown_suite = suite));
    bar->show(share);
  };
  const bench::Report report = bench::run_bench(arguments.options);
  // what is done leaves no bar behind
  bar.reset();
  fmt::print("{}", arguments.json ? json_line(report) : bench::report_text(report));
  std::fflush(stdout);
  if (arguments.out.empty()) return;
  write_file_atomically(arguments.out + ".json", bench::report_json(report).dump(1) + "\n");
  write_file_atomically(arguments.out + ".md", bench::report_text(report));
  fmt::print(stderr, "the same is in {0}.json and {0}.md\n", arguments.out);
}

}  // namespace

void add_bench_command(CLI::App& program) {
  const auto arguments = std::make_shared<BenchArguments>();
  arguments->options.scenes = STICKSLIP_SCENES;
  CLI::App* bench = program.add_subcommand("bench", "Measure how fast it is on this machine");
  bench
      ->add_option("--suite", arguments->options.suites,
                   fmt::format("What to measure (default: all): {}; may be repeated",
                               fmt::join(bench::suite_names(), ", ")))
      ->allow_extra_args(false);
  bench->add_flag("--json", arguments->json, "One JSON object on standard output");
  auto* quick = bench->add_flag("--quick", arguments->options.quick,
                                "Few repeats, and no row that takes long to prepare: some seconds");
  bench
      ->add_flag("--large", arguments->options.large,
                 "Also what takes minutes or gigabytes: 1000 contacts, 50,000 nodes, 1000 bodies, "
                 "clips of 8,000 and 16,000 nodes, which gmsh makes")
      ->excludes(quick);
  bench->add_option("--out", arguments->out,
                    "Write the same to NAME.json and NAME.md as well, as in bench/results");
  bench->footer(
      "One thread, without a deadline. Nothing of it fails by the clock: it tells, and compares.\n"
      "- a figure is a median; p99 is the 99th of 100. Steps and ticks are made in several runs\n"
      "  that do the same work bit by bit, and of each the least counts; \"p99 as it came\" has "
      "all\n"
      "  that else happened on the machine in it.\n"
      "- noise: an empty loop of known length runs in between. Where it is stretched, so is the "
      "rest.\n"
      "- limits: what the processor computes and reads at best, measured in the same run; a ratio\n"
      "  beside each figure for which there is such a limit.\n"
      "docs/performance.md tells what the rows mean and has the figures of one machine. Examples:\n"
      "  stickslip bench --suite step --suite snap-in\n"
      "  stickslip bench --large --out bench/results/my_machine");
  bench->callback([arguments] { run_suites(*arguments); });
}

}  // namespace stickslip::cli
