#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/plot/plot.hpp"
#include "experiments/body_solid.hpp"
#include "experiments/figures.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/solver/gauss_seidel.hpp"

namespace stickslip::experiments {

namespace {

/// One contact, pressed by a free motion into it and moved sideways by another: friction over its
/// normal force against the slip that is left.
Series trace_contact(double mu, int points) {
  const Vec3 compliance(1e-5, 2e-5, 2e-5);
  Series series{fmt::format("µ = {:g}", mu), {}, {}};
  series.look = Look::line;
  GaussSeidel solver;
  SolverOptions options;
  options.tolerance = 1e-12;
  options.criterion = Criterion::rescaled;
  for (int i = 0; i <= points; ++i) {
    const double moved = 4e-4 * (2.0 * i / points - 1.0);
    const ContactProblem problem{BlockMatrix::dense(compliance.asDiagonal()),
                                 Vec3(-1e-4, moved, 0.0), VecX::Constant(1, mu)};
    VecX f;
    solver.solve(problem, options, f);
    VecX delta;
    problem.W.multiply(f, delta);
    series.x.push_back(1e3 * (delta[1] + moved));
    series.y.push_back(f[1] / f[0]);
  }
  return series;
}

/// A block on a floor, pulled to and fro by a spring.
struct Pull {
  Series friction{"friction of the block", {}, {}, {}, {}, {}, Look::line};
  double limit_N = 0.0;     ///< mu times weight
  double largest_N = 0.0;   ///< friction
  double slid_m = 0.0;      ///< way of the block, to and fro
  double friction_J = 0.0;  ///< lost, by the book of the step
  double drift_m = 0.0;     ///< of sticking contacts, over the run
};

Pull pull_block(const Settings& settings) {
  Scene scene = read_scene(settings.scenes / "quasi_rigid_block.toml",
                           {"body.block.kind=\"rigid\"", "simulation.dt=0.001"});
  const int block = body_of(scene, "block");
  constexpr double stiffness = 4000.0;
  constexpr double reach_m = 5e-3;
  const double lap_s = settings.is_quick ? 1.0 : 4.0;
  Drive spring;
  spring.body = block;
  spring.kind = DriveKind::spring;
  spring.stiffness = stiffness;
  spring.damping = 10.0;
  std::vector<TimeTable::Row> rows;
  const std::vector<double> turns = {0.0, 1.0, -1.0, 1.0, -1.0};
  double time_s = 0.0;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    if (k > 0) time_s += 0.25 * lap_s * std::abs(turns[k] - turns[k - 1]);
    Vec6 target = Vec6::Zero();
    target[0] = reach_m * turns[k];
    rows.push_back({time_s, target});
  }
  spring.table = TimeTable(rows);
  scene.drives.push_back(spring);

  Pull pull;
  const double mass = scene.bodies[uz(block)].body.frame().mass();
  pull.limit_N = scene.friction(0, 1) * mass * scene.simulation.gravity.norm();
  State state = initial_state(scene);
  StepData data(scene);
  std::vector<ContactReport> contacts;
  double x = state.bodies[uz(block)].frame.position.x();
  const auto steps = static_cast<int>(std::lround(time_s / scene.simulation.dt));
  for (int k = 1; k <= steps; ++k) {
    const StepReport report = step(scene, state, data);
    report_contacts(scene, state, data, contacts);
    double friction = 0.0;
    for (const ContactReport& contact : contacts) {
      friction += (contact.body_1 == block ? 1.0 : -1.0) * contact.force.x();
    }
    const double now = state.bodies[uz(block)].frame.position.x();
    pull.slid_m += std::abs(now - x);
    x = now;
    pull.friction_J += report.energy.friction;
    pull.drift_m += report.stick_drift_m;
    pull.largest_N = std::max(pull.largest_N, std::abs(friction));
    if (k % 5 != 0) continue;
    pull.friction.x.push_back(1e3 * spring.table.at(state.time_s)[0]);
    pull.friction.y.push_back(friction);
  }
  return pull;
}

}  // namespace

Finding figure_04_friction_law(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 4 and Eq. 19: Coulomb's law in integrated form. Without tangential displacement "
      "friction "
      "takes any value up to µ times the normal force (stick); with some it has that value, "
      "against "
      "the displacement (slip).";
  Plot law;
  law.title = "One contact, driven sideways";
  law.x = {"slip over the step δₜ [mm]", false, {}, -0.4, 0.4};
  law.y = {"friction over normal force fₜ / fₙ",
           false,
           {-0.8, -0.5, -0.2, 0.0, 0.2, 0.5, 0.8},
           -1.0,
           1.0};
  double worst = 0.0;
  for (const double mu : {0.2, 0.5, 0.8}) {
    Series series = trace_contact(mu, settings.is_quick ? 80 : 400);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      // (Eq. 19), read as a set: either no slip and |f_t| <= mu f_n, or slip and the full friction
      const bool sticks = std::abs(series.x[i]) < 1e-9;
      const double wrong = sticks ? std::max(0.0, std::abs(series.y[i]) - mu)
                                  : std::abs(series.y[i] + std::copysign(mu, series.x[i]));
      worst = std::max(worst, wrong);
    }
    law.series.push_back(series);
  }
  settings.show(0.3);
  const Pull pull = pull_block(settings);
  Plot loop;
  loop.title = "A block of 1.9 kg on a floor, pulled by a spring of 4 N/mm";
  loop.x = {"position of the hand [mm]", false, {}, -6.0, 6.0};
  loop.y = {"friction on the block [N]", false, {}, -10.0, 10.0};
  loop.levels = {{pull.limit_N, "µ m g"}, {-pull.limit_N, "−µ m g"}};
  loop.series = {pull.friction};
  std::string csv = "hand_m,friction_N\n";
  for (std::size_t i = 0; i < pull.friction.x.size(); ++i) {
    csv += fmt::format("{:.6g},{:.6g}\n", 1e-3 * pull.friction.x[i], pull.friction.y[i]);
  }
  Drawing drawing(1240.0, 470.0);
  draw_plot(drawing, {0.0, 0.0, 620.0, 470.0}, law);
  draw_plot(drawing, {620.0, 0.0, 620.0, 470.0}, loop);
  save_table(settings, finding, "figure_04_friction_law", csv);
  save_picture(settings, finding, "figure_04_friction_law", drawing);

  const double loss = pull.limit_N * pull.slid_m;
  finding.add("distance of the traced points from the law's graph, worst share of fₙ", worst);
  finding.add("largest friction over µ m g", pull.largest_N / pull.limit_N);
  finding.add("energy lost over µ m g times way slid", pull.friction_J / loss);
  finding.add("drift of sticking contacts over the run", pull.drift_m, "m");
  finding.ours = fmt::format(
      "Left, one contact through Algorithm 1: all points lie on the graph of the law (to {:.0e} of "
      "the normal force). Right, a block through the whole step, pulled to and fro: it sticks "
      "while "
      "the spring is stretched, slides at {:.6f} of µ m g, loses {:.4f} of µ m g times the way "
      "slid, "
      "and creeps by {:.0e} m in all of its sticking.",
      worst, pull.largest_N / pull.limit_N, pull.friction_J / loss, pull.drift_m);
  finding.verdict = worst < 1e-6 && std::abs(pull.largest_N / pull.limit_N - 1.0) < 1e-3
                        ? Verdict::agrees
                        : Verdict::differs;
  finding.why = "the law is met as a set: no smoothing, no creep.";
  return finding;
}

}  // namespace stickslip::experiments
