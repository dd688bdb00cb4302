#include "experiments/relaxed_tolerance.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "apps/plot/plot.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/gauss_seidel.hpp"

namespace stickslip::experiments {

namespace {

/// Below this an error is rounding.
constexpr double least_error = 1e-16;

}  // namespace

std::vector<ToleranceRow> measure_tolerance(const TableOnFloor& table,
                                            const ToleranceSettings& settings) {
  std::vector<ToleranceRow> rows;
  for (const int per_foot : settings.per_foot) {
    if (per_foot > table.nodes_per_foot()) continue;
    std::vector<ToleranceRow> of_size;
    for (const double epsilon_2 : settings.epsilon_2) {
      of_size.push_back({4 * per_foot, epsilon_2});
    }
    for (int test = 0; test < settings.tests; ++test) {
      std::mt19937 random(static_cast<std::uint32_t>(1000 + test));
      std::uniform_real_distribution<double> mu(settings.least_mu, settings.largest_mu);
      std::uniform_real_distribution<double> motion(0.0, settings.longest_motion);
      ContactProblem problem = table.make_problem(per_foot, mu(random));
      table.load(problem, motion(random), static_cast<std::uint32_t>(test + 1));
      SolverOptions exact;
      exact.tolerance = 1e-11;
      exact.criterion = Criterion::rescaled;
      VecX f_exact;
      exact.max_iterations = 50'000;
      if (GaussSeidel().solve(problem, exact, f_exact).status != SolveStatus::converged) continue;

      for (ToleranceRow& row : of_size) {
        GaussSeidelSettings stop;
        stop.epsilon_2 = row.epsilon_2;
        GaussSeidel solver(stop);
        VecX f;
        double best_s = std::numeric_limits<double>::infinity();
        int sweeps = 0;
        for (int repeat = 0; repeat < settings.repeats; ++repeat) {
          const SolveResult result = solver.solve(problem, {}, f);
          best_s = std::min(best_s, result.seconds);
          sweeps = result.iterations;
        }
        ++row.tests;
        row.seconds += std::log(best_s);
        row.sweeps += std::log(sweeps);
        row.error += std::log(std::max(natural_map_error(problem, f).rescaled, least_error));
        row.gap_percent += std::log(std::max(gap_percent(f, f_exact), least_error));
      }
    }
    for (ToleranceRow& row : of_size) {
      for (double* sum : {&row.seconds, &row.sweeps, &row.error, &row.gap_percent}) {
        *sum = std::exp(*sum / row.tests);
      }
      if (row.tests > 0) rows.push_back(row);
    }
  }
  return rows;
}

void write_tolerance(const std::vector<ToleranceRow>& rows, const std::filesystem::path& folder) {
  std::string csv = "contacts,epsilon_2,seconds,sweeps,error_rescaled,gap_percent,tests\n";
  Plot plot;
  plot.title = "Algorithm 1 as ε₂ (beside the points) is relaxed, table on the floor";
  plot.x = {"time of a solve  [µs]", true};
  plot.y = {"error (rescaled natural map)", true};
  for (const ToleranceRow& row : rows) {
    csv += fmt::format("{},{:g},{:.4e},{:.1f},{:.4e},{:.4e},{}\n", row.contacts, row.epsilon_2,
                       row.seconds, row.sweeps, row.error, row.gap_percent, row.tests);
    const std::string name = fmt::format("{} contacts", row.contacts);
    if (plot.series.empty() || plot.series.back().name != name) {
      plot.series.push_back({name, {}, {}});
    }
    Series& series = plot.series.back();
    series.x.push_back(1e6 * row.seconds);
    series.y.push_back(row.error);
    // one label in a few, or they would cover each other
    const double decade = std::log10(row.epsilon_2);
    const bool is_labelled = std::abs(std::fmod(decade, 2.0)) < 1e-9;
    series.labels.push_back(is_labelled ? fmt::format("{:g}", row.epsilon_2) : "");
  }
  write_file_atomically(folder / "relaxed_tolerance.csv", csv);
  write_plot(folder / "relaxed_tolerance.svg", plot);
}

}  // namespace stickslip::experiments
