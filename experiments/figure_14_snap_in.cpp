#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "apps/plot/plot.hpp"
#include "experiments/body_solid.hpp"
#include "experiments/figures.hpp"
#include "experiments/snap_run.hpp"

namespace stickslip::experiments {

namespace {

enum class Pipe { rigid, deformable };

SnapRun snap(const Settings& settings, Pipe pipe, double mu) {
  SnapOptions options;
  options.overrides = {fmt::format("contact.friction={:.3f}", mu)};
  if (pipe == Pipe::deformable) {
    for (const char* change :
         {"body.pipe.kind=\"deformable\"", "body.pipe.mesh=\"models/pipe_hollow_500.msh\"",
          "body.pipe.material=\"polyethylene\"", "body.pipe.held=[\"ends\"]",
          "body.pipe.mass=0.0115"}) {
      options.overrides.emplace_back(change);
    }
  }
  options.keeps_states = true;
  options.speed_m_s = settings.is_quick ? 0.05 : 0.02;
  return run_snap(settings, options);
}

/// Clip and pipe after a step, seen along the pipe.
void draw_moment(Drawing& drawing, const Area& cell, const SnapRun& run, std::size_t step,
                 const std::string& name) {
  const int clip = body_of(run.scene, "clip");
  const int pipe = body_of(run.scene, "pipe");
  Solid pipe_solid = body_solid(run.scene, run.states[step], pipe);
  pipe_solid.colour = {150.0, 165.0, 180.0};
  Solid clip_solid = body_solid(run.scene, run.states[step], clip);
  clip_solid.colour = {240.0, 170.0, 70.0};
  clip_solid.has_edges = true;
  View view({0.5, 0.35, 1.0}, Vec3::UnitY());
  // the same window of space for every moment
  std::vector<Vec3> window;
  for (const double x : {-0.024, 0.024}) {
    for (const double y : {-0.018, 0.078}) window.emplace_back(x, y, 0.0);
  }
  view.fit(window, {cell.left, cell.top + 44.0, cell.width, cell.height - 50.0});
  draw_solids(drawing, view, std::array{pipe_solid, clip_solid});
  const SnapStep& now = run.steps[step];
  drawing.text({cell.centre().x(), cell.top + 18.0}, name,
               {.anchor = Anchor::middle, .is_bold = true});
  drawing.text({cell.centre().x(), cell.top + 36.0},
               fmt::format("{:.2f} s, {:.1f} N", now.time_s, now.force_N),
               {.size_px = 12.0, .anchor = Anchor::middle});
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
    for (std::size_t k = run.stages.touch; k < run.steps.size(); ++k) {
      Series& series = k <= run.stages.turn ? in : out;
      series.x.push_back(1e3 * run.steps[k].clip_m);
      series.y.push_back(run.steps[k].force_N);
      deepest = std::max(deepest, 1e3 * run.steps[k].clip_m);
    }
    from = std::min(from, 1e3 * run.steps[run.stages.touch].clip_m);
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
  const SnapStages& stages = run.stages;
  const auto time = [&](std::size_t k) { return run.steps[k].time_s; };
  plot.title = fmt::format("The task over time, µ = {:g}", mu);
  plot.x = {"time [s]", false, {}, time(stages.touch) - 0.1};
  plot.y = {"force against the way in [N]"};
  Series force{"", {}, {}, {}, {}, {}, Look::line, 1};
  for (const SnapStep& step : run.steps) {
    force.x.push_back(step.time_s);
    force.y.push_back(step.force_N);
  }
  plot.series = {force};
  plot.bands = {{time(stages.touch), time(stages.peak), "push"},
                {time(stages.peak), time(stages.snap), "snap"},
                {time(stages.snap), time(stages.turn) + snap_rest_s, "seated"},
                {time(stages.turn) + snap_rest_s, time(stages.retention), "withdraw"},
                {time(stages.retention), time(stages.release), "let go"}};
  return plot;
}

std::string to_csv(const std::vector<std::pair<double, SnapRun>>& runs) {
  std::string csv = "mu,time_s,hand_m,clip_m,force_N,contacts,penetration_m\n";
  for (const auto& [mu, run] : runs) {
    for (const SnapStep& step : run.steps) {
      csv += fmt::format("{:g},{:.4f},{:.6f},{:.6f},{:.5f},{},{:.3e}\n", mu, step.time_s,
                         step.hand_m, step.clip_m, step.force_N, step.contacts, step.penetration_m);
    }
  }
  return csv;
}

void add_numbers(Finding& finding, double mu, const SnapRun& run) {
  const SnapStages& stages = run.stages;
  const auto force = [&](std::size_t k) { return run.steps[k].force_N; };
  double pulled = 0.0;
  double deepest = 0.0;
  double troubled = 0.0;
  for (std::size_t k = stages.snap; k < stages.turn; ++k) pulled = std::min(pulled, force(k));
  for (const SnapStep& step : run.steps) {
    deepest = std::max(deepest, step.penetration_m);
    if (!step.is_converged) troubled += 1.0;
  }
  const std::string with = fmt::format(", µ = {:g}", mu);
  finding.add("largest force on the way in" + with, force(stages.peak), "N");
  finding.add("at a way of the clip of" + with, 1e3 * run.steps[stages.peak].clip_m, "mm");
  finding.add("the hand goes in a step" + with,
              1e3 * (run.steps[stages.snap].hand_m - run.steps[stages.snap - 1].hand_m), "mm");
  finding.add("the clip snaps in a step by" + with,
              1e3 * (run.steps[stages.snap].clip_m - run.steps[stages.snap - 1].clip_m), "mm");
  finding.add("strongest pull into the seat" + with, -pulled, "N");
  finding.add("largest force on the way out" + with, -force(stages.retention), "N");
  finding.add("deepest overlap" + with, deepest, "m");
  finding.add("steps that did not converge" + with, troubled);
}

struct Story {
  std::vector<std::pair<double, SnapRun>> runs;  ///< by friction
  bool snaps = true;  ///< every one: a peak, a jump, a grip on the way out
};

Story tell(const Settings& settings, Pipe pipe, const std::string& file, Finding& finding) {
  Story story;
  for (const double mu : {0.0, 0.2, 0.8}) {
    story.runs.emplace_back(mu, snap(settings, pipe, mu));
    const SnapRun& run = story.runs.back().second;
    add_numbers(finding, mu, run);
    const std::string with = fmt::format(", µ = {:g}", mu);
    story.snaps = story.snaps && finding.number("largest force on the way in" + with) > 0.5 &&
                  finding.number("the clip snaps in a step by" + with) >
                      5.0 * finding.number("the hand goes in a step" + with) &&
                  finding.number("largest force on the way out" + with) > 0.5;
    settings.show(static_cast<double>(story.runs.size()) / 3.0);
  }
  const auto& [mu, shown] = story.runs[1];
  const SnapStages& stages = shown.stages;
  Drawing drawing(1260.0, 880.0);
  const std::array<std::pair<std::size_t, const char*>, 5> moments = {{
      {stages.touch, "first contact"},
      {stages.peak, "largest force"},
      {std::min(stages.snap + 2, stages.turn), "snapped in"},
      {stages.retention, "withdrawn, most force"},
      {stages.release, "let go"},
  }};
  double column = 0.0;
  for (const auto& [step, name] : moments) {
    draw_moment(drawing, {10.0 + 250.0 * column, 0.0, 240.0, 370.0}, shown, step, name);
    column += 1.0;
  }
  draw_plot(drawing, {0.0, 390.0, 640.0, 490.0}, force_plot(story.runs));
  draw_plot(drawing, {630.0, 390.0, 630.0, 490.0}, time_plot(mu, shown));
  save_table(settings, finding, file, to_csv(story.runs));
  save_picture(settings, finding, file, drawing);
  return story;
}

}  // namespace

Finding figure_14_snap_in(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 14 and section 7.2: a flexible clip (polyethylene, 700 MPa, 15 g, 3 ms) snapped onto a "
      "quasi-rigid pipe. Contacts stick, then slide while resistance grows up to the widest "
      "opening; "
      "there the equilibrium is unstable, then the clip closes abruptly. No force is given.";
  const Story story = tell(settings, Pipe::rigid, "figure_14_snap_in", finding);
  finding.ours = fmt::format(
      "A steady hand by a coupling of 2 kN/m. Way in: {:.1f}, {:.1f} and {:.1f} N at µ = 0, 0.2 "
      "and "
      "0.8; past the widest opening the pipe pulls the clip in; way out: {:.1f}, {:.1f} and {:.1f} "
      "N.",
      finding.number("largest force on the way in, µ = 0"),
      finding.number("largest force on the way in, µ = 0.2"),
      finding.number("largest force on the way in, µ = 0.8"),
      finding.number("largest force on the way out, µ = 0"),
      finding.number("largest force on the way out, µ = 0.2"),
      finding.number("largest force on the way out, µ = 0.8"));
  finding.verdict = story.snaps ? Verdict::agrees : Verdict::differs;
  finding.why =
      "push, unstable equilibrium and abrupt closing are all there, with and without friction.";
  return finding;
}

Finding figure_16_deformable_pipe(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 16 and section 7.2: snap-in and snap-out on deformable pipes. Withdrawing, static "
      "friction "
      "and the deformation of the clip resist while the coupling stores energy; the clip then "
      "leaves "
      "abruptly. The pipes deform, especially where friction is large.";
  const Story story = tell(settings, Pipe::deformable, "figure_16_deformable_pipe", finding);
  // how far the pipe gives way, over the run
  double yielded = 0.0;
  const SnapRun& rough = story.runs.back().second;
  const int pipe = body_of(rough.scene, "pipe");
  const Solid rest = body_solid(rough.scene, rough.states.front(), pipe);
  for (const State& state : rough.states) {
    const Solid now = body_solid(rough.scene, state, pipe);
    for (std::size_t i = 0; i < now.points.size(); ++i) {
      yielded = std::max(yielded, (now.points[i] - rest.points[i]).norm());
    }
  }
  finding.add("largest displacement of the pipe, µ = 0.8", 1e3 * yielded, "mm");
  finding.ours = fmt::format(
      "A hollow pipe of the same polyethylene, held at its ends. Way in: {:.1f}, {:.1f} and {:.1f} "
      "N "
      "at µ = 0, 0.2 and 0.8, way out: {:.1f}, {:.1f} and {:.1f} N; the pipe gives way by up to "
      "{:.2f} "
      "mm at µ = 0.8.",
      finding.number("largest force on the way in, µ = 0"),
      finding.number("largest force on the way in, µ = 0.2"),
      finding.number("largest force on the way in, µ = 0.8"),
      finding.number("largest force on the way out, µ = 0"),
      finding.number("largest force on the way out, µ = 0.2"),
      finding.number("largest force on the way out, µ = 0.8"), yielded * 1e3);
  const bool grips = finding.number("largest force on the way out, µ = 0.8") >
                     finding.number("largest force on the way in, µ = 0");
  finding.verdict = story.snaps && grips ? Verdict::agrees : Verdict::differs;
  finding.why = "friction makes the way out the hardest part, and the clip lets go at once.";
  return finding;
}

}  // namespace stickslip::experiments
