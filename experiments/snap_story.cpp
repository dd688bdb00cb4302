#include "experiments/snap_story.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/plot/plot.hpp"
#include "experiments/body_solid.hpp"

namespace stickslip::experiments {

namespace {

/// The part of space that all moments of a run show.
std::vector<Vec3> window_of(const SnapRun& run) {
  constexpr double margin = 0.008;
  double half = 0.0;
  const Solid clip = body_solid(run.scene, run.states.front(), body_of(run.scene, "clip"));
  for (const Vec3& point : clip.points) half = std::max(half, std::abs(point.x()) + margin);
  return {{-half, -0.018, 0.0}, {-half, 0.066, 0.0}, {half, -0.018, 0.0}, {half, 0.066, 0.0}};
}

Plot force_plot(const std::vector<std::pair<double, SnapRun>>& runs) {
  Plot plot;
  plot.title = "Force of the pipe on the clip";
  plot.x = {"way of the clip [mm]"};
  plot.y = {"force against the way in [N]"};
  int colour = 0;
  double from = 1e300;
  double deepest = 0.0;
  for (const auto& [mu, run] : runs) {
    Series in{fmt::format("µ = {:g}, way in", mu), {}, {}, {}, {}, {}, Look::line, colour};
    Series out{fmt::format("µ = {:g}, way out", mu), {}, {}, {}, {}, {}, Look::dashed_line, colour};
    const std::vector<SnapSample>& samples = run.fit.samples;
    for (std::size_t k = run.touch; k < samples.size(); ++k) {
      Series& series = k < run.fit.withdrawal ? in : out;
      series.x.push_back(1e3 * samples[k].moved_m);
      series.y.push_back(samples[k].force_N);
      deepest = std::max(deepest, 1e3 * samples[k].moved_m);
    }
    from = std::min(from, 1e3 * samples[run.touch].moved_m);
    plot.series.push_back(in);
    plot.series.push_back(out);
    ++colour;
  }
  plot.x.from = std::floor(from) - 1.0;
  plot.x.to = std::ceil(deepest) + 0.5;
  return plot;
}

/// Force over time with the stages of the task.
Plot time_plot(double mu, const SnapRun& run) {
  Plot plot;
  plot.title = fmt::format("The task over time, µ = {:g}", mu);
  plot.x = {"time [s]", false, {}, run.time_s(run.touch) - 0.1, run.time_s(run.release) + 0.1};
  plot.y = {"force against the way in [N]"};
  Series force{"", {}, {}, {}, {}, {}, Look::line, 1};
  for (const SnapSample& step : run.fit.samples) {
    force.x.push_back(step.time_s);
    force.y.push_back(step.force_N);
  }
  plot.series = {force};
  const double seated_s = run.fit.snap_time_s + run.fit.snap_duration_s;
  const double back_s = run.time_s(run.fit.withdrawal);
  plot.bands = {{run.time_s(run.touch), run.fit.snap_time_s, "push"},
                {run.fit.snap_time_s, seated_s, "snap"},
                {seated_s, back_s, "seated"},
                {back_s, run.time_s(run.retention), "withdraw"},
                {run.time_s(run.retention), run.time_s(run.release), "let go"}};
  return plot;
}

std::string to_csv(const std::vector<std::pair<double, SnapRun>>& runs) {
  std::string csv =
      "mu,time_s,moved_m,force_N,contacts,stored_J,friction_J,left_over_J,penetration_m\n";
  for (const auto& [mu, run] : runs) {
    for (std::size_t k = 0; k < run.contacts.size(); ++k) {
      const SnapSample& now = run.fit.samples[k];
      csv += fmt::format("{:g},{:.4f},{:.6f},{:.5f},{},{:.4e},{:.4e},{:.3e},{:.3e}\n", mu,
                         now.time_s, now.moved_m, now.force_N, run.contacts[k], now.stored_J,
                         now.friction_J, now.left_over_J, now.penetration_m);
    }
  }
  return csv;
}

void add_numbers(Finding& finding, double mu, const std::string& what, const SnapFit& fit) {
  const std::string with = fmt::format(", µ = {:g}{}", mu, what);
  finding.add("largest force on the way in" + with, fit.peak_N, "N");
  finding.add("at a way of the clip of" + with, 1e3 * fit.peak_at_m, "mm");
  finding.add("pull into the seat" + with, fit.pull_in_N, "N");
  finding.add("duration of the snap" + with, 1e3 * fit.snap_duration_s, "ms");
  finding.add("largest force on the way out" + with, fit.retention_N, "N");
  finding.add("energy stored at the most" + with, 1e3 * fit.stored_J, "mJ");
  finding.add("energy lost to friction" + with, 1e3 * fit.friction_J, "mJ");
  finding.add("largest strain" + with, 100.0 * fit.strain, "%");
  finding.add("deepest overlap" + with, fit.penetration_m, "m");
  finding.add("deepest overlap in the snap" + with, fit.penetration_in_snap_m, "m");
  finding.add("steps that did not converge" + with, fit.steps_not_converged);
}

SnapRun snap(const Settings& settings, const std::string& scene, double mu) {
  SnapRunOptions options;
  options.scene = scene;
  options.overrides = {fmt::format("contact.friction={:.3f}", mu)};
  options.keeps_states = true;
  if (settings.is_quick) options.test.speed = 0.05;
  return run_snap(settings, options);
}

}  // namespace

void draw_moment(Drawing& drawing, const Area& cell, const SnapRun& run, std::size_t step,
                 const std::string& name) {
  std::vector<Solid> solids;
  const int clip = body_of(run.scene, "clip");
  for (int b = 0; b < static_cast<int>(run.scene.bodies.size()); ++b) {
    Solid& solid = solids.emplace_back(body_solid(run.scene, run.states[step], b));
    solid.colour = b == clip ? Vec3(240.0, 170.0, 70.0) : Vec3(150.0, 165.0, 180.0);
    solid.has_edges = b == clip;
  }
  View view({0.5, 0.35, 1.0}, Vec3::UnitY());
  view.fit(window_of(run), {cell.left, cell.top + 44.0, cell.width, cell.height - 50.0});
  draw_solids(drawing, view, solids);
  const SnapSample& now = run.fit.samples[step];
  drawing.text({cell.centre().x(), cell.top + 18.0}, name,
               {.anchor = Anchor::middle, .is_bold = true});
  drawing.text({cell.centre().x(), cell.top + 36.0},
               fmt::format("{:.2f} s, {:.1f} N", now.time_s, now.force_N),
               {.size_px = 12.0, .anchor = Anchor::middle});
}

void draw_moments(Drawing& drawing, const Area& row, const SnapRun& run) {
  const std::array<std::pair<std::size_t, const char*>, 5> moments = {{
      {run.touch, "first contact"},
      {run.peak, "largest force"},
      {std::min(run.snap + 4, run.fit.withdrawal), "snapped in"},
      {run.retention, "withdrawn, most force"},
      {run.release, "let go"},
  }};
  const double width = row.width / static_cast<double>(moments.size());
  double left = row.left;
  for (const auto& [step, name] : moments) {
    draw_moment(drawing, {left, row.top, width - 10.0, row.height}, run, step, name);
    left += width;
  }
}

SnapStory tell_snap(const Settings& settings, const std::string& scene,
                    const std::vector<double>& frictions, const std::string& file,
                    const std::string& what, Finding& finding) {
  SnapStory story;
  for (const double mu : frictions) {
    story.runs.emplace_back(mu, snap(settings, scene, mu));
    const SnapRun& run = story.runs.back().second;
    add_numbers(finding, mu, what, run.fit);
    story.snaps = story.snaps && run.fit.snaps && run.fit.lets_go;
    settings.show(static_cast<double>(story.runs.size()) / static_cast<double>(frictions.size()));
  }
  const auto& [mu, shown] = story.runs[1];
  Drawing drawing(1260.0, 860.0);
  draw_moments(drawing, {10.0, 0.0, 1250.0, 350.0}, shown);
  draw_plot(drawing, {0.0, 370.0, 640.0, 490.0}, force_plot(story.runs));
  draw_plot(drawing, {630.0, 370.0, 630.0, 490.0}, time_plot(mu, shown));
  save_table(settings, finding, file, to_csv(story.runs));
  save_picture(settings, finding, file, drawing);
  return story;
}

std::string forces_of(const SnapStory& story) {
  std::vector<std::string> mus;
  std::vector<std::string> in;
  std::vector<std::string> out;
  for (const auto& [mu, run] : story.runs) {
    mus.push_back(fmt::format("{:g}", mu));
    in.push_back(fmt::format("{:.1f}", run.fit.peak_N));
    out.push_back(fmt::format("{:.1f}", run.fit.retention_N));
  }
  return fmt::format("way in {} N, way out {} N at µ = {}", fmt::join(in, ", "),
                     fmt::join(out, ", "), fmt::join(mus, ", "));
}

}  // namespace stickslip::experiments
