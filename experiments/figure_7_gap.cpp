#include "experiments/figure_7_gap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/plot/plot.hpp"
#include "stickslip/mesh/atomic_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/gauss_seidel.hpp"
#include "stickslip/solver/pyramid.hpp"

namespace stickslip::experiments {

namespace {

VecX friction_of(VecX f) {
  for (Eigen::Index i = 0; i < f.size(); i += 3) f[i] = 0.0;
  return f;
}

/// Share of the touching contacts whose friction is at its limit.
double sliding_share(const VecX& f, const VecX& mu) {
  int touching = 0;
  int sliding = 0;
  for (Eigen::Index i = 0; i < mu.size(); ++i) {
    if (!(f[3 * i] > 0.0)) continue;
    ++touching;
    if (f.segment<2>(3 * i + 1).norm() > (1.0 - 1e-6) * mu[i] * f[3 * i]) ++sliding;
  }
  return touching > 0 ? static_cast<double>(sliding) / touching : 0.0;
}

}  // namespace

std::vector<GapRow> measure_gap(const TableOnFloor& table, const GapSettings& settings) {
  ContactProblem problem = table.make_problem(settings.per_foot, settings.mu);
  GaussSeidel exact_solver;
  SolverOptions exact;
  exact.tolerance = 1e-10;
  exact.criterion = Criterion::rescaled;

  std::vector<GapRow> rows;
  for (const double motion : settings.motions) {
    for (const int sides : settings.sides) {
      Pyramid pyramid(sides);
      GapRow row{sides, motion};
      for (int test = 0; test < settings.tests; ++test) {
        table.load(problem, motion, static_cast<std::uint32_t>(test + 1));
        VecX f_GS;
        VecX f_LCP;
        exact_solver.solve(problem, exact, f_GS);
        if (pyramid.solve(problem, {}, f_LCP).status != SolveStatus::converged) continue;
        const double friction_gap = gap_percent(friction_of(f_LCP), friction_of(f_GS));
        ++row.solved;
        row.gap_percent += gap_percent(f_LCP, f_GS);
        row.friction_gap_percent += friction_gap;
        row.largest_friction_gap_percent = std::max(row.largest_friction_gap_percent, friction_gap);
        row.sliding_share += sliding_share(f_GS, problem.mu);
      }
      if (row.solved > 0) {
        row.gap_percent /= row.solved;
        row.friction_gap_percent /= row.solved;
        row.sliding_share /= row.solved;
      }
      rows.push_back(row);
    }
  }
  return rows;
}

void write_gap(const std::vector<GapRow>& rows, const std::filesystem::path& folder) {
  std::string csv =
      "sides,motion,gap_percent,friction_gap_percent,largest_friction_gap_percent,"
      "sliding_share,solved\n";
  Plot plot;
  plot.title = "Pyramids of k sides against the exact cone, table on the floor";
  plot.x = {"sides k of the pyramids", true, {4, 6, 8, 12, 16, 24, 32}};
  plot.y = {"mean gap γ  [%]", true, {0.2, 0.5, 1, 2, 5, 10, 20, 50}};
  plot.levels = {5.0};
  std::vector<double> motions;
  for (const GapRow& row : rows) {
    csv += fmt::format("{},{:g},{:.4f},{:.4f},{:.4f},{:.3f},{}\n", row.sides, row.motion,
                       row.gap_percent, row.friction_gap_percent, row.largest_friction_gap_percent,
                       row.sliding_share, row.solved);
    if (std::find(motions.begin(), motions.end(), row.motion) == motions.end()) {
      motions.push_back(row.motion);
    }
  }
  for (const double motion : motions) {
    Series whole{fmt::format("whole forces, motion {:g} × threshold", motion), {}, {}};
    Series friction{fmt::format("friction alone, motion {:g} × threshold", motion), {}, {}};
    for (const GapRow& row : rows) {
      if (row.motion != motion || row.solved == 0) continue;
      friction.x.push_back(row.sides);
      friction.y.push_back(row.friction_gap_percent);
      whole.x.push_back(row.sides);
      whole.y.push_back(row.gap_percent);
    }
    plot.series.push_back(whole);
    plot.series.push_back(friction);
  }
  write_file_atomically(folder / "figure_7_gap.csv", csv);
  write_plot(folder / "figure_7_gap.svg", plot);
}

}  // namespace stickslip::experiments
