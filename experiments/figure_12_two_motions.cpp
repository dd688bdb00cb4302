#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "apps/plot/plot.hpp"
#include "experiments/body_solid.hpp"
#include "experiments/figures.hpp"
#include "experiments/snap_run.hpp"
#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::experiments {

namespace {

constexpr double degree = std::numbers::pi / 180.0;

/// Elastic energy that linear elasticity without a frame sees in a body that has only turned:
/// 1/2 d K d, d the way of each node. [J]
double energy_of_turning(const DeformationModel& model, double angle) {
  const Mat3 R = rotation_exp(Vec3(0.0, 0.0, angle)).toRotationMatrix();
  VecX d(3 * model.node_count());
  for (int i = 0; i < model.node_count(); ++i) {
    d.segment<3>(3 * i) = R * model.nodes[uz(i)] - model.nodes[uz(i)];
  }
  return 0.5 * d.dot(model.K * d);
}

Plot energy_plot(const DeformationModel& model, double stored) {
  Plot plot;
  plot.title = "Elastic energy of a clip that turns";
  plot.x = {"angle [degrees]"};
  plot.y = {"energy [mJ]"};
  Series linear{"undeformed, without the rigid motion", {}, {}, {}, {}, {}, Look::line, 1};
  Series split{"undeformed, split in two", {}, {}, {}, {}, {}, Look::line, 0};
  Series open{"open widest, split in two", {}, {}, {}, {}, {}, Look::dashed_line, 0};
  for (double angle = 0.0; angle <= 4.0; angle += 0.05) {
    linear.x.push_back(angle);
    linear.y.push_back(1e3 * energy_of_turning(model, angle * degree));
    split.x.push_back(angle);
    split.y.push_back(0.0);
    open.x.push_back(angle);
    open.y.push_back(1e3 * stored);
  }
  plot.series = {linear, split, open};
  return plot;
}

/// The clip of a run at a state of its own.
Solid clip_solid(const SnapRun& run, const BodyState& state, const Vec3& colour, double opacity) {
  const int clip = body_of(run.scene, "clip");
  State whole = run.states[run.snap];
  whole.bodies[uz(clip)] = state;
  Solid solid = body_solid(run.scene, whole, clip);
  solid.colour = colour;
  solid.opacity = opacity;
  solid.has_edges = true;
  return solid;
}

double farthest(const Solid& a, const Solid& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    most = std::max(most, (a.points[i] - b.points[i]).norm());
  }
  return most;
}

}  // namespace

Finding figure_12_two_motions(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 12 and section 6.2: the motion of a deformable body is split in two: a rigid motion in "
      "space, and a linear deformation in the configuration that this motion leads to.";
  SnapRunOptions options;
  options.keeps_states = true;
  if (settings.is_quick) options.test.speed = 0.05;
  const SnapRun run = run_snap(settings, options);
  const auto clip = uz(body_of(run.scene, "clip"));

  // at the start; moved rigidly; moved and deformed
  const BodyState& start = run.states.front().bodies[clip];
  const BodyState& open = run.states[run.snap].bodies[clip];
  BodyState rigid = open;
  rigid.deformation.u.own().setZero();
  const Solid at_start = clip_solid(run, start, {190.0, 195.0, 200.0}, 1.0);
  const Solid moved = clip_solid(run, rigid, {90.0, 140.0, 200.0}, 1.0);
  const Solid deformed = clip_solid(run, open, {240.0, 170.0, 70.0}, 1.0);
  const double rigid_part = farthest(at_start, moved);
  const double deformation = farthest(moved, deformed);
  const double stored = run.fit.samples[run.snap].stored_J;

  const DeformationModel model = make_elastic_model(
      read_tet_mesh(settings.scenes / "models" / "clip_500.msh"), {700e6, 0.35, 950.0});
  double as_much = 0.0;
  while (energy_of_turning(model, as_much * degree) < stored) as_much += 0.01;
  finding.add("rigid motion to the widest opening, farthest", 1e3 * rigid_part, "mm");
  finding.add("deformation there, farthest", 1e3 * deformation, "mm");
  finding.add("energy stored there", 1e3 * stored, "mJ");
  finding.add("turn that linear elasticity alone takes for as much energy", as_much, "degrees");

  Drawing drawing(1260.0, 440.0);
  const std::array<std::pair<const Solid*, const char*>, 3> shapes = {
      {{&at_start, "at the start"}, {&moved, "moved rigidly"}, {&deformed, "and deformed"}}};
  View view({0.3, 0.2, 1.0}, Vec3::UnitY());
  const std::array<Vec3, 4> window = {
      {{-0.024, -0.018, 0.0}, {-0.024, 0.074, 0.0}, {0.024, -0.018, 0.0}, {0.024, 0.074, 0.0}}};
  double left = 10.0;
  for (const auto& [shape, name] : shapes) {
    view.fit(window, {left, 40.0, 190.0, 380.0});
    draw_solids(drawing, view, std::array{*shape});
    drawing.text({left + 95.0, 24.0}, name, {.anchor = Anchor::middle, .is_bold = true});
    left += 200.0;
  }
  draw_plot(drawing, {620.0, 0.0, 640.0, 430.0}, energy_plot(model, stored));
  save_picture(settings, finding, "figure_12_two_motions", drawing);
  finding.ours = fmt::format(
      "The clip of Fig. 14 at its widest opening: its frame has moved by {:.0f} mm, its surface is "
      "displaced in that frame by at most {:.1f} mm. Linear elasticity without the rigid motion "
      "takes a mere turn by {:.1f} degrees for as much energy as that opening stores.",
      1e3 * rigid_part, 1e3 * deformation, as_much);
  finding.verdict = deformation < rigid_part ? Verdict::agrees : Verdict::differs;
  finding.why =
      "every point of a body is its frame times its place at rest plus its displacement; turning "
      "costs nothing.";
  return finding;
}

}  // namespace stickslip::experiments
