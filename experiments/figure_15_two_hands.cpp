#include <fmt/core.h>

#include <algorithm>

#include "apps/plot/plot.hpp"
#include "experiments/figures.hpp"
#include "experiments/snap_story.hpp"

namespace stickslip::experiments {

namespace {

/// What both hands feel over time, along the way in.
Plot hands_plot(const SnapRun& run) {
  Plot plot;
  plot.title = "What the hands feel";
  plot.x = {"time [s]", false, {}, run.time_s(run.touch) - 0.1, run.time_s(run.release) + 0.1};
  plot.y = {"force on the hand, upwards [N]"};
  for (std::size_t h = 0; h < run.scene.hands.size(); ++h) {
    Series series{
        run.scene.hands[h].name + " hand", {}, {}, {}, {}, {}, Look::line, static_cast<int>(h)};
    for (std::size_t k = 0; k < run.hand_wrenches.size(); ++k) {
      series.x.push_back(run.time_s(k));
      series.y.push_back(run.hand_wrenches[k][h].y());
    }
    plot.series.push_back(series);
  }
  return plot;
}

std::string to_csv(const SnapRun& run) {
  std::string csv = "time_s,moved_m,contact_N,right_N,left_N\n";
  for (std::size_t k = 0; k < run.hand_wrenches.size(); ++k) {
    const SnapSample& now = run.fit.samples[k];
    csv += fmt::format("{:.4f},{:.6f},{:.5f},{:.5f},{:.5f}\n", now.time_s, now.moved_m, now.force_N,
                       run.hand_wrenches[k][0].y(), run.hand_wrenches[k][1].y());
  }
  return csv;
}

}  // namespace

Finding figure_15_two_hands(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 15 and section 7.2: a photograph of a workbench with two devices of six degrees of "
      "freedom (Virtuose 6D), where haptic and visual rendering share one space.";
  SnapRunOptions options;
  options.scene = "snap_in_two_hands";
  options.keeps_states = true;
  if (settings.is_quick) options.test.speed = 0.05;
  const SnapRun run = run_snap(settings, options);

  // what one hand pushes the other holds
  double largest = 0.0;
  double apart = 0.0;
  for (std::size_t k = run.touch; k < run.snap; ++k) {
    const std::vector<Vec6>& wrenches = run.hand_wrenches[k];
    largest = std::max(largest, wrenches[0].head<3>().norm());
    apart = std::max(apart, (wrenches[0] + wrenches[1]).head<3>().norm());
  }
  finding.add("largest force on the right hand, way in", largest, "N");
  finding.add("sum of both hands' forces in the push, largest", apart, "N");
  finding.add("largest force on the way in", run.fit.peak_N, "N");
  finding.add("largest force on the way out", run.fit.retention_N, "N");
  Drawing drawing(1260.0, 780.0);
  draw_moments(drawing, {10.0, 0.0, 1250.0, 350.0}, run);
  draw_plot(drawing, {200.0, 370.0, 860.0, 400.0}, hands_plot(run));
  save_table(settings, finding, "figure_15_two_hands", to_csv(run));
  save_picture(settings, finding, "figure_15_two_hands", drawing);
  finding.ours = fmt::format(
      "Two simulated hands in one space, a coupling each: the right one leads the clip, the left "
      "one holds the rigid pipe (50 g). Way in {:.1f} N, way out {:.1f} N; until the snap the "
      "forces on both hands differ from opposite ones by at most {:.2f} N.",
      run.fit.peak_N, run.fit.retention_N, apart);
  finding.verdict = run.fit.snaps && run.fit.lets_go && apart < 0.1 * largest ? Verdict::agrees
                                                                              : Verdict::differs;
  finding.why =
      "two hands work on the same contact and feel it alike; real devices take the place of the "
      "simulated ones by a line of the scene.";
  return finding;
}

}  // namespace stickslip::experiments
