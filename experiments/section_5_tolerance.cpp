#include "experiments/section_5_tolerance.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "apps/plot/plot.hpp"
#include "experiments/figures.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/gauss_seidel.hpp"

namespace stickslip::experiments {

namespace {

/// Below this an error is rounding.
constexpr double least_error = 1e-16;

}  // namespace

std::vector<ToleranceRow> measure_tolerance(const TableOnFloor& table,
                                            const ToleranceSettings& settings,
                                            const std::function<void(double)>& show) {
  std::vector<ToleranceRow> rows;
  for (const int contacts : settings.contacts) {
    if (contacts > table.contact_count()) continue;
    std::vector<ToleranceRow> of_size;
    for (const double epsilon_2 : settings.epsilon_2) {
      of_size.push_back({contacts, epsilon_2});
    }
    for (int test = 0; test < settings.tests; ++test) {
      std::mt19937 random(static_cast<std::uint32_t>(1000 + test));
      std::uniform_real_distribution<double> mu(settings.least_mu, settings.largest_mu);
      std::uniform_real_distribution<double> motion(0.0, settings.longest_motion);
      ContactProblem problem = table.make_problem(contacts, mu(random));
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
    if (show) show(static_cast<double>(contacts) / settings.contacts.back());
  }
  return rows;
}

Finding section_5_tolerance(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Section 5.4 (and 6.1), in words: the algorithm gives approximate solutions; ε₂ trades "
      "computing time for precision.";
  ToleranceSettings measured;
  if (settings.is_quick) {
    measured.tests = 6;
    measured.contacts = {4, 12};
    measured.epsilon_2 = {1.0, 1e-2, 1e-4, 1e-6, 1e-8};
  }
  const TableOnFloor table(settings.scenes / "models/table_500.msh");
  const std::vector<ToleranceRow> rows =
      measure_tolerance(table, measured, [&](double share) { settings.show(share); });

  std::string csv = "contacts,epsilon_2,seconds,sweeps,error_rescaled,gap_percent,tests\n";
  Plot plot;
  plot.title = "Algorithm 1 as ε₂ (beside the points) is relaxed, table on the floor";
  plot.x = {"time of a solve [µs]", true};
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
  save_table(settings, finding, "section_5_tolerance", csv);
  save_picture(settings, finding, "section_5_tolerance", draw_plot(plot));

  const auto at = [&](double epsilon_2) -> const ToleranceRow& {
    return *std::find_if(rows.begin(), rows.end(), [&](const ToleranceRow& row) {
      return row.contacts == rows.back().contacts && row.epsilon_2 == epsilon_2;
    });
  };
  const double fine_time = at(1e-8).seconds / at(1e-4).seconds;
  const double coarse_time = at(1e-8).seconds / at(1e-2).seconds;
  finding.add("time saved from ε₂ = 1e-8 to 1e-4, factor", fine_time);
  finding.add("time saved from ε₂ = 1e-8 to 1e-2, factor", coarse_time);
  finding.add("forces wrong at ε₂ = 1e-4", at(1e-4).gap_percent, "%");
  finding.add("forces wrong at ε₂ = 1e-2", at(1e-2).gap_percent, "%");
  finding.ours = fmt::format(
      "With {} contacts, relaxing ε₂ from 1e-8 to 1e-4 and 1e-2 takes {:.1f} and {:.1f} times less "
      "time; forces are then {:.2g} and {:.2g} % from the converged ones (geometric means).",
      rows.back().contacts, fine_time, coarse_time, at(1e-4).gap_percent, at(1e-2).gap_percent);
  finding.verdict = fine_time > 1.0 && coarse_time > fine_time ? Verdict::agrees : Verdict::differs;
  finding.why = "ε₂ is a good handle: four decades of precision for a factor of a few in time.";
  return finding;
}

}  // namespace stickslip::experiments
