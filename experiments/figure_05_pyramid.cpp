#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "apps/plot/plot.hpp"
#include "apps/plot/solids.hpp"
#include "experiments/figures.hpp"
#include "stickslip/solver/gauss_seidel.hpp"
#include "stickslip/solver/pyramid.hpp"

namespace stickslip::experiments {

namespace {

using std::numbers::pi;

constexpr double mu = 0.6;
constexpr double pressed_m = 1e-3;

/// A contact pressed in and moved sideways by `way` times what its cone just holds.
ContactProblem contact(double way, double azimuth) {
  return {BlockMatrix::dense(Mat3::Identity() * 1e-3),
          Vec3(-pressed_m, way * mu * pressed_m * std::cos(azimuth),
               way * mu * pressed_m * std::sin(azimuth)),
          VecX::Constant(1, mu)};
}

Vec3 solve(Solver& solver, const ContactProblem& problem) {
  SolverOptions options;
  VecX f;
  if (solver.name() == "gauss-seidel") {
    options.tolerance = 1e-12;
    options.criterion = Criterion::rescaled;
  }
  solver.solve(problem, options, f);
  return f;
}

Vec3 exact(const ContactProblem& problem) {
  GaussSeidel solver;
  return solve(solver, problem);
}

struct Load {
  std::string name;
  double way;
  double azimuth;
};

void draw_load(Drawing& drawing, const Area& cell, const Load& load, Finding& finding) {
  Pyramid pyramid(8);
  const ContactProblem problem = contact(load.way, load.azimuth);
  const Vec3 f_exact = exact(problem);
  const Vec3 f_pyramid = solve(pyramid, problem);
  // normal, tangent 1, tangent 2 are z, x, y of the picture
  const auto in_space = [](const Vec3& f) { return Vec3(f[1], f[2], f[0]); };
  Solid cone = cone_solid(Vec3::Zero(), Vec3::UnitZ(), mu, 1.0, 64);
  Solid sides = cone_solid(Vec3::Zero(), Vec3::UnitZ(), mu, 1.0, 8);
  sides.colour = {90.0, 140.0, 200.0};
  sides.opacity = 0.4;
  sides.has_edges = true;
  View view({0.5, -1.0, 0.75}, Vec3::UnitZ());
  view.fit(cone.points,
           {cell.left + 45.0, cell.top + 50.0, cell.width - 90.0, cell.height - 110.0});
  draw_solids(drawing, view, std::array{sides, cone});
  const std::array arrows = {SpaceArrow{Vec3::Zero(), in_space(f_exact), "#222222"},
                             SpaceArrow{Vec3::Zero(), in_space(f_pyramid), "#c0392b"}};
  draw_arrows(drawing, view, arrows);
  const double gap = 100.0 * (f_pyramid - f_exact).tail<2>().norm() / f_exact.tail<2>().norm();
  drawing.text({cell.centre().x(), cell.top + 26.0}, load.name,
               {.anchor = Anchor::middle, .is_bold = true});
  drawing.text({cell.centre().x(), cell.bottom() - 18.0}, fmt::format("friction {:.1f} % off", gap),
               {.anchor = Anchor::middle});
  finding.add("friction of 8 sides off the cone's, " + load.name, gap, "%");
}

/// Imposed slip in every direction: how far the friction of k sides is from the exact one.
Series around(int sides, int samples, double& worst_of_theory) {
  Pyramid pyramid(sides);
  Series series{fmt::format("{} sides", sides), {}, {}};
  series.look = Look::line;
  for (int i = 0; i < samples; ++i) {
    // never halfway between corners, where any mixture of the two is right
    const double azimuth = 0.5 * pi * (i + 0.27) / samples;
    const Vec3 f = solve(pyramid, contact(1e8, azimuth));
    const Vec3 wanted(0.0, -mu * std::cos(azimuth), -mu * std::sin(azimuth));
    const double gap = (f - wanted).tail<2>().norm() / mu;
    const double corner = std::round(azimuth * sides / (2.0 * pi)) * 2.0 * pi / sides;
    const double theory = 2.0 * std::abs(std::sin(0.5 * (azimuth - corner)));
    worst_of_theory = std::max(worst_of_theory, std::abs(gap - theory));
    series.x.push_back(180.0 / pi * azimuth);
    series.y.push_back(100.0 * gap);
  }
  return series;
}

}  // namespace

Finding figure_05_pyramid(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 5 and section 4.2: the cone approximated by a pyramid of eight sides; forces of two "
      "static cases lie inside both, those of two dynamic cases on the pyramid. Eight sides are "
      "often taken for sufficient precision.";
  const double corner = 0.25 * pi;
  const std::array<Load, 4> loads = {{
      {"stick, well inside", 0.5, 0.4 * corner},
      {"stick, near the limit", 0.97, 0.5 * corner},
      {"slip toward a corner", 3.0, corner},
      {"slip between corners", 30.0, 0.49 * corner},
  }};
  constexpr double cell = 290.0;
  Drawing drawing(4.0 * cell, 800.0);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    draw_load(drawing, {cell * static_cast<double>(i), 0.0, cell, 330.0}, loads[i], finding);
  }
  drawing.text(
      {16.0, 352.0},
      "violet: exact cone, µ = 0.6; blue: pyramid of 8 sides. Forces: black by Algorithm 1 "
      "on the cone, red by Lemke's method on the pyramid");
  double worst_of_theory = 0.0;
  Plot plot;
  plot.title = "Imposed slip in every direction: error of the friction force";
  plot.x = {"direction of slip [degrees]", false, {0, 15, 30, 45, 60, 75, 90}};
  plot.y = {"error of the friction [%]"};
  std::string csv = "sides,direction_deg,error_percent\n";
  for (const int sides : {4, 8, 16}) {
    const Series series = around(sides, settings.is_quick ? 90 : 360, worst_of_theory);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      csv += fmt::format("{},{:.3f},{:.4f}\n", sides, series.x[i], series.y[i]);
    }
    finding.add(fmt::format("largest error of {} sides in slip", sides),
                *std::max_element(series.y.begin(), series.y.end()), "%");
    plot.series.push_back(series);
  }
  draw_plot(drawing, {170.0, 370.0, 820.0, 420.0}, plot);
  save_table(settings, finding, "figure_05_pyramid", csv);
  save_picture(settings, finding, "figure_05_pyramid", drawing);
  finding.add("distance from 2 sin(θ/2), θ to the nearest corner, worst", worst_of_theory);
  finding.ours = fmt::format(
      "Inside both the solvers agree. Near the limit the pyramid slides ({:.0f} % of the friction "
      "off) where the cone holds; toward a corner it is right; between corners the direction is "
      "wrong by up to π/8, the friction by {:.0f} %. In every direction the error is 2 sin(θ/2), θ "
      "the angle to the nearest corner (to {:.0e}).",
      finding.number("friction of 8 sides off the cone's, stick, near the limit"),
      finding.number("friction of 8 sides off the cone's, slip between corners"), worst_of_theory);
  finding.verdict = Verdict::corrected;
  finding.why = fmt::format(
      "the picture is right; but eight sides miss friction by up to {:.0f} % in slip: sufficient "
      "only where little depends on its direction.",
      finding.number("largest error of 8 sides in slip"));
  return finding;
}

}  // namespace stickslip::experiments
