#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/bench/machine.hpp"
#include "apps/bench/setting.hpp"
#include "stickslip/error.hpp"

namespace stickslip::bench {

namespace {

std::vector<PlannedSuite> plan_suites() {
  return {plan_step_suite(),   plan_snap_in_suite(),   plan_haptic_suite(),
          plan_solver_suite(), plan_proximity_suite(), plan_fem_suite()};
}

/// Those asked for, in the order of the plan.
std::vector<PlannedSuite> planned_suites(const std::vector<std::string>& names) {
  const std::vector<std::string> known = suite_names();
  const auto contains = [](const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    throw InputError(
        fmt::format("bench --suite {}: no such suite; there are {}", name, fmt::join(known, ", ")));
  }
  std::vector<PlannedSuite> chosen;
  for (PlannedSuite& suite : plan_suites()) {
    if (names.empty() || contains(names, suite.name)) chosen.push_back(std::move(suite));
  }
  return chosen;
}

Figure measure_row(const PlannedRow& row, const Options& options, Setting& setting) {
  const Cost allowed = options.large ? Cost::large : options.quick ? Cost::quick : Cost::usual;
  Figure figure;
  if (row.cost <= allowed) {
    figure = row.measure(setting);
  } else {
    figure.remark = row.cost == Cost::large ? "only with --large" : "not with --quick";
  }
  figure.name = row.name;
  return figure;
}

}  // namespace

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const PlannedSuite& suite : plan_suites()) names.push_back(suite.name);
  return names;
}

Report run_bench(const Options& options) {
  const Stopwatch watch;
  const std::vector<PlannedSuite> suites = planned_suites(options.suites);
  Setting setting;
  setting.quick = options.quick;
  setting.scenes = options.scenes;
  setting.limits.measure(setting.effort_s());
  Report report;
  report.machine = this_machine();
  report.limits = setting.limits.report();
  for (const PlannedSuite& planned : suites) {
    Suite suite{planned.name, planned.about, {}};
    for (const PlannedRow& row : planned.rows) {
      if (options.progress) {
        options.progress(planned.name, static_cast<double>(suite.rows.size()) /
                                           static_cast<double>(planned.rows.size()));
      }
      suite.rows.push_back(measure_row(row, options, setting));
    }
    report.suites.push_back(std::move(suite));
  }
  report.noise = setting.noise.report();
  report.seconds = watch.wall_seconds();
  return report;
}

}  // namespace stickslip::bench
