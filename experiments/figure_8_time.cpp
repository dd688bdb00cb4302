#include "experiments/figure_8_time.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <random>

#include "apps/plot/plot.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/solver/gauss_seidel.hpp"
#include "stickslip/solver/pyramid.hpp"

namespace stickslip::experiments {

namespace {

void add_test(Solver& solver, const ContactProblem& problem, const TimeSettings& settings,
              TimeRow::Times& times) {
  SolverOptions options;
  options.max_iterations = settings.max_iterations;
  double best_s = std::numeric_limits<double>::infinity();
  VecX f;
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const SolveResult result = solver.solve(problem, options, f);
    if (result.status != SolveStatus::converged) return;
    best_s = std::min(best_s, result.seconds);
    if (repeat == 0) times.mean_iterations += result.iterations;
  }
  times.least_s = times.solved == 0 ? best_s : std::min(times.least_s, best_s);
  times.longest_s = std::max(times.longest_s, best_s);
  times.mean_s += best_s;
  ++times.solved;
}

void take_means(TimeRow::Times& times) {
  if (times.solved == 0) return;
  times.mean_s /= times.solved;
  times.mean_iterations /= times.solved;
}

}  // namespace

std::vector<TimeRow> measure_time(const TableOnFloor& table, const TimeSettings& settings) {
  GaussSeidelSettings stop;
  stop.epsilon_2 = settings.epsilon_2;
  GaussSeidel gauss_seidel(stop);
  Pyramid pyramid(settings.sides);
  std::vector<TimeRow> rows;
  for (const int per_foot : settings.per_foot) {
    if (per_foot > table.nodes_per_foot()) continue;
    TimeRow row;
    row.contacts = 4 * per_foot;
    for (int test = 0; test < settings.tests; ++test) {
      std::mt19937 random(static_cast<std::uint32_t>(1000 + test));
      std::uniform_real_distribution<double> mu(settings.least_mu, settings.largest_mu);
      std::uniform_real_distribution<double> motion(0.0, settings.longest_motion);
      ContactProblem problem = table.make_problem(per_foot, mu(random));
      table.load(problem, motion(random), static_cast<std::uint32_t>(test + 1));
      add_test(gauss_seidel, problem, settings, row.gauss_seidel);
      add_test(pyramid, problem, settings, row.pyramid);
    }
    take_means(row.gauss_seidel);
    take_means(row.pyramid);
    rows.push_back(row);
  }
  return rows;
}

void write_time(const std::vector<TimeRow>& rows, const std::filesystem::path& folder) {
  std::string csv =
      "contacts,gauss_seidel_mean_s,gauss_seidel_least_s,gauss_seidel_longest_s,"
      "gauss_seidel_sweeps,gauss_seidel_solved,pyramid_mean_s,pyramid_least_s,pyramid_longest_s,"
      "pyramid_pivots,pyramid_solved\n";
  const auto columns = [](const TimeRow::Times& times) {
    return fmt::format("{:.4e},{:.4e},{:.4e},{:.1f},{}", times.mean_s, times.least_s,
                       times.longest_s, times.mean_iterations, times.solved);
  };
  Series gauss_seidel{"Algorithm 1, exact cone", {}, {}};
  Series pyramid{"pyramids of 8 sides, Lemke", {}, {}};
  const auto add = [](const TimeRow& row, const TimeRow::Times& times, Series& series) {
    if (times.solved == 0) return;
    series.x.push_back(row.contacts);
    series.y.push_back(1e3 * times.mean_s);
    series.y_low.push_back(1e3 * times.least_s);
    series.y_high.push_back(1e3 * times.longest_s);
  };
  for (const TimeRow& row : rows) {
    csv += fmt::format("{},{},{}\n", row.contacts, columns(row.gauss_seidel), columns(row.pyramid));
    add(row, row.gauss_seidel, gauss_seidel);
    add(row, row.pyramid, pyramid);
  }
  Plot plot;
  plot.title = "Time of a solve, table on the floor";
  plot.x = {"contacts", false};
  plot.y = {"time: mean, least, longest  [ms]", true};
  plot.series = {gauss_seidel, pyramid};
  write_file_atomically(folder / "figure_8_time.csv", csv);
  write_plot(folder / "figure_8_time.svg", plot);
}

}  // namespace stickslip::experiments
