#include "experiments/figure_07_gap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "apps/plot/plot.hpp"
#include "experiments/figures.hpp"
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

std::vector<GapRow> measure_gap(const TableOnFloor& table, const GapSettings& settings,
                                const std::function<void(double)>& show) {
  ContactProblem problem = table.make_problem(settings.contacts, settings.mu);
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
      if (show) {
        show(static_cast<double>(rows.size()) /
             static_cast<double>(settings.motions.size() * settings.sides.size()));
      }
    }
  }
  return rows;
}

namespace {

const char* slip_name(double motion) {
  return motion < 1.0 ? "partial slip" : motion > 1.0 ? "full slip" : "threshold of slip";
}

/// One curve: all sides at one length of the motion.
std::vector<GapRow> rows_of(const std::vector<GapRow>& rows, double motion) {
  std::vector<GapRow> result;
  for (const GapRow& row : rows) {
    if (row.motion == motion && row.solved > 0) result.push_back(row);
  }
  return result;
}

/// The fewest sides from which on the gap is below 5 %; none where it never is.
std::optional<int> enough_sides(const std::vector<GapRow>& rows, double GapRow::*gap) {
  std::optional<int> result;
  for (auto row = rows.rbegin(); row != rows.rend() && (*row).*gap < 5.0; ++row) {
    result = row->sides;
  }
  return result;
}

std::string told(std::optional<int> sides, int most) {
  return sides ? fmt::format("{}", *sides) : fmt::format("more than {}", most);
}

}  // namespace

Finding figure_07_gap(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 7 and section 5.2: the mean gap γ (Eq. 26) between the forces of k-sided pyramids and "
      "those of the exact cone falls as k grows, over 30 random tangential motions of the table at "
      "µ = 0.1. To have γ below 5 % it takes pyramids of 16 sides. How far the feet slide, and "
      "whether γ is of whole forces, is not said.";
  GapSettings measured;
  if (settings.is_quick) {
    measured.tests = 6;
    measured.contacts = 12;
    measured.sides = {4, 8, 16, 32};
  }
  const TableOnFloor table(settings.scenes / "models/table_500.msh");
  const std::vector<GapRow> rows =
      measure_gap(table, measured, [&](double share) { settings.show(share); });

  std::string csv =
      "sides,motion,gap_percent,friction_gap_percent,largest_friction_gap_percent,"
      "sliding_share,solved\n";
  for (const GapRow& row : rows) {
    csv += fmt::format("{},{:g},{:.4f},{:.4f},{:.4f},{:.3f},{}\n", row.sides, row.motion,
                       row.gap_percent, row.friction_gap_percent, row.largest_friction_gap_percent,
                       row.sliding_share, row.solved);
  }
  save_table(settings, finding, "figure_07_gap", csv);

  Plot plot;
  plot.title = fmt::format("Pyramids of k sides against the exact cone ({} contacts, µ = {:g})",
                           measured.contacts, measured.mu);
  plot.x = {"sides k of the pyramids", true, {4, 6, 8, 12, 16, 24, 32}};
  plot.y = {"mean gap γ [%]", true, {0.2, 0.5, 1, 2, 5, 10, 20, 50}};
  plot.levels = {5.0};
  const int most = measured.sides.back();
  for (const double motion : measured.motions) {
    const std::vector<GapRow> of_motion = rows_of(rows, motion);
    const int colour = static_cast<int>(plot.series.size() / 2);
    Series whole{fmt::format("whole forces, {}", slip_name(motion)), {}, {}};
    Series friction{fmt::format("tangential part, {}", slip_name(motion)), {}, {}};
    friction.look = Look::dashed_line;
    whole.colour = friction.colour = colour;
    for (const GapRow& row : of_motion) {
      whole.x.push_back(row.sides);
      whole.y.push_back(row.gap_percent);
      friction.x.push_back(row.sides);
      friction.y.push_back(row.friction_gap_percent);
      if (row.sides != 16) continue;
      finding.add(fmt::format("γ of whole forces at 16 sides, {}", slip_name(motion)),
                  row.gap_percent, "%");
      finding.add(fmt::format("γ of the tangential part at 16 sides, {}", slip_name(motion)),
                  row.friction_gap_percent, "%");
    }
    plot.series.push_back(whole);
    plot.series.push_back(friction);
    finding.ours += fmt::format(
        "{}With motion {:g} times what the legs bend ({}, {:.0f} % of the contacts slide) γ is "
        "below 5 % "
        "from {} sides on for whole forces, from {} for their tangential part.",
        finding.ours.empty() ? "" : " ", motion, slip_name(motion),
        100.0 * of_motion.front().sliding_share,
        told(enough_sides(of_motion, &GapRow::gap_percent), most),
        told(enough_sides(of_motion, &GapRow::friction_gap_percent), most));
  }
  save_picture(settings, finding, "figure_07_gap", draw_plot(plot));

  const auto sides = [&](std::size_t motion, double GapRow::*gap) {
    return told(enough_sides(rows_of(rows, measured.motions[motion]), gap), most);
  };
  finding.verdict = Verdict::corrected;
  finding.why = fmt::format(
      "γ falls with k, as the paper shows. But what 5 % takes depends on what it leaves open. "
      "Whole "
      "forces: {} sides in partial slip, {} at the threshold, {} in full slip; only there, "
      "counting "
      "4, 8, 16, is 16 the answer. Tangential part: {}, {} and {} sides; 16 leave {:.1f}, {:.1f} "
      "and "
      "{:.1f} %.",
      sides(0, &GapRow::gap_percent), sides(1, &GapRow::gap_percent),
      sides(2, &GapRow::gap_percent), sides(0, &GapRow::friction_gap_percent),
      sides(1, &GapRow::friction_gap_percent), sides(2, &GapRow::friction_gap_percent),
      finding.number("γ of the tangential part at 16 sides, partial slip"),
      finding.number("γ of the tangential part at 16 sides, threshold of slip"),
      finding.number("γ of the tangential part at 16 sides, full slip"));
  return finding;
}

}  // namespace stickslip::experiments
