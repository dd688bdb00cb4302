#include <fmt/core.h>

#include <array>
#include <cmath>

#include "apps/plot/plot.hpp"
#include "apps/plot/solids.hpp"
#include "experiments/figures.hpp"
#include "experiments/table_on_floor.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::experiments {

namespace {

constexpr std::array<const char*, 3> axis_names = {"normal", "along x", "along y"};
/// Red, green, blue, as in the paper.
const std::array<Vec3, 3> axis_colours = {Vec3(200, 30, 30), Vec3(20, 140, 60), Vec3(30, 70, 190)};

MatX delassus(const Settings& settings, const char* mesh) {
  return TableOnFloor(settings.scenes / "models" / mesh).delassus_by_feet();
}

/// W between one direction of all contacts: m x m.
MatX part(const MatX& W, int axis) {
  const Eigen::Index m = W.rows() / 3;
  MatX result(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) result(i, j) = W(3 * i + axis, 3 * j + axis);
  }
  return result;
}

/// Mean of |W| over the pairs of contacts of two feet; feet are 0 1 along x, 0 2 along y.
double mean_between(const MatX& W_axis, int foot_1, int foot_2) {
  const Eigen::Index n = W_axis.rows() / 4;
  return W_axis.block(n * foot_1, n * foot_2, n, n).cwiseAbs().mean();
}

/// How strongly feet are coupled in one direction.
struct Coupling {
  double own = 0.0;      ///< mean |W| within a foot [m/N]
  double along_x = 0.0;  ///< mean |W| between feet along x, over that within a foot
  double along_y = 0.0;
  double across = 0.0;
};

Coupling coupling(const MatX& W, int axis) {
  const MatX W_axis = part(W, axis);
  Coupling result;
  for (int foot = 0; foot < 4; ++foot) result.own += 0.25 * mean_between(W_axis, foot, foot);
  result.along_x = 0.5 * (mean_between(W_axis, 0, 1) + mean_between(W_axis, 2, 3)) / result.own;
  result.along_y = 0.5 * (mean_between(W_axis, 0, 2) + mean_between(W_axis, 1, 3)) / result.own;
  result.across = 0.5 * (mean_between(W_axis, 0, 3) + mean_between(W_axis, 1, 2)) / result.own;
  return result;
}

/// White for nothing, the colour of the axis for the largest; the root shows small couplings, too.
void draw_matrix(Drawing& drawing, const Area& area, const MatX& W_axis, double largest, int axis) {
  const Eigen::Index m = W_axis.rows();
  const double cell = area.width / static_cast<double>(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) {
      const double share = std::sqrt(std::min(1.0, std::abs(W_axis(i, j)) / largest));
      const Vec3 colour = (1.0 - share) * Vec3::Constant(255.0) + share * axis_colours[uz(axis)];
      drawing.rectangle({area.left + cell * static_cast<double>(j),
                         area.top + cell * static_cast<double>(i), cell + 0.1, cell + 0.1},
                        filled(css(colour)));
    }
  }
  for (int k = 0; k <= 4; ++k) {
    const double at = 0.25 * k * area.width;
    drawing.line({area.left + at, area.top}, {area.left + at, area.bottom()}, stroked("#999", 0.8));
    drawing.line({area.left, area.top + at}, {area.right(), area.top + at}, stroked("#999", 0.8));
    if (k == 4) continue;
    drawing.text({area.left + at + 0.125 * area.width, area.bottom() + 17.0},
                 fmt::format("leg {}", k + 1), {.size_px = 11.0, .anchor = Anchor::middle});
  }
  drawing.text({area.centre().x(), area.top - 10.0},
               fmt::format("{}: up to {:.2g} mm/N", axis_names[uz(axis)],
                           1e3 * W_axis.cwiseAbs().maxCoeff()),
               {.anchor = Anchor::middle, .is_bold = true});
}

/// `scale` is the operator whose largest entries give the full colours.
Drawing draw_operator(const MatX& W, const MatX& scale, const std::string& title) {
  Drawing drawing(1110.0, 460.0);
  drawing.text({555.0, 28.0}, title, {.size_px = 15.0, .anchor = Anchor::middle, .is_bold = true});
  for (int axis = 0; axis < 3; ++axis) {
    draw_matrix(drawing, {30.0 + 360.0 * axis, 70.0, 330.0, 330.0}, part(W, axis),
                part(scale, axis).cwiseAbs().maxCoeff(), axis);
  }
  drawing.text({30.0, 445.0},
               "36 contacts, leg by leg (1 2 and 3 4 are neighbours along x, 1 3 and 2 4 along y); "
               "depth of colour: square root of |W| over its largest");
  return drawing;
}

std::string to_csv(const MatX& W) {
  std::string csv = "contact_1,contact_2,normal_m_N,along_x_m_N,along_y_m_N\n";
  for (Eigen::Index i = 0; i < W.rows() / 3; ++i) {
    for (Eigen::Index j = 0; j < W.rows() / 3; ++j) {
      csv += fmt::format("{},{},{:.6e},{:.6e},{:.6e}\n", i + 1, j + 1, W(3 * i, 3 * j),
                         W(3 * i + 1, 3 * j + 1), W(3 * i + 2, 3 * j + 2));
    }
  }
  return csv;
}

}  // namespace

Finding figure_09_delassus(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 9 and section 5.3: the Delassus operator of the table as a picture, normal couplings "
      "red, "
      "tangential ones green and blue. Contacts of one leg are much more coupled than those of "
      "different legs, whose coupling is very small: four blocks appear.";
  const MatX W = delassus(settings, "table_500.msh");
  save_table(settings, finding, "figure_09_delassus", to_csv(W));
  save_picture(settings, finding, "figure_09_delassus",
               draw_operator(W, W, "Delassus operator of the table on the floor"));
  double largest = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    const Coupling c = coupling(W, axis);
    const double between = std::max({c.along_x, c.along_y, c.across});
    largest = std::max(largest, between);
    finding.add(fmt::format("mean |W| within a leg, {}", axis_names[uz(axis)]), 1e3 * c.own,
                "mm/N");
    finding.add(fmt::format("between legs over within a leg, {}", axis_names[uz(axis)]), between);
  }
  finding.ours = fmt::format(
      "The same four blocks: between legs |W| is at most {:.1e} of that within a leg, in the mean.",
      largest);
  finding.verdict = largest < 0.05 ? Verdict::agrees : Verdict::differs;
  finding.why =
      "four blocks, with next to nothing between them (the top is held, so that legs feel "
      "each other through it alone).";
  return finding;
}

Finding figure_10_reinforcements(const Settings& settings) {
  Finding finding;
  finding.paper = "Fig. 10: the table with reinforcements between its legs, which make it stiffer.";
  Drawing drawing(1000.0, 400.0);
  for (int k = 0; k < 2; ++k) {
    const TetMesh mesh = read_tet_mesh(settings.scenes / "models" /
                                       (k == 0 ? "table_500.msh" : "table_reinforced_500.msh"));
    const Surface surface = extract_surface(mesh);
    Solid table{surface.points, surface.triangles};
    table.colour = {205.0, 140.0, 95.0};
    table.has_edges = true;
    View view({0.5, -1.0, 0.4}, Vec3::UnitZ());
    view.fit(table.points, {40.0 + 490.0 * k, 50.0, 430.0, 320.0});
    draw_solids(drawing, view, std::array{table});
    drawing.text({255.0 + 490.0 * k, 28.0},
                 k == 0 ? "without reinforcements" : "with reinforcements along x",
                 {.anchor = Anchor::middle, .is_bold = true});
  }
  save_picture(settings, finding, "figure_10_reinforcements", drawing);
  const MatX plain = delassus(settings, "table_500.msh");
  const MatX reinforced = delassus(settings, "table_reinforced_500.msh");
  for (int axis = 0; axis < 3; ++axis) {
    finding.add(
        fmt::format("mean compliance of a foot, {}, with bars over without", axis_names[uz(axis)]),
        coupling(reinforced, axis).own / coupling(plain, axis).own);
  }
  const double along = finding.number("mean compliance of a foot, along x, with bars over without");
  finding.ours = fmt::format(
      "Bars of 8 mm between neighbouring legs along x, 12 mm above the floor. A foot yields {:.2f} "
      "times as much along the bars as without them, {:.2f} times across.",
      along, finding.number("mean compliance of a foot, along y, with bars over without"));
  finding.verdict = along < 1.0 ? Verdict::agrees : Verdict::differs;
  finding.why = "the reinforced table is stiffer where the bars lead.";
  return finding;
}

Finding figure_11_delassus_reinforced(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 11 and section 5.3: with reinforcements the tangential values of W are lower, and the "
      "coupling between contacts of different legs grows along the direction of the "
      "reinforcements.";
  const MatX plain = delassus(settings, "table_500.msh");
  const MatX W = delassus(settings, "table_reinforced_500.msh");
  save_table(settings, finding, "figure_11_delassus", to_csv(W));
  save_picture(
      settings, finding, "figure_11_delassus",
      draw_operator(W, plain,
                    "Delassus operator with bars along x (colours on the scale of Fig. 9)"));
  for (int axis = 0; axis < 3; ++axis) {
    const Coupling before = coupling(plain, axis);
    const Coupling after = coupling(W, axis);
    const char* name = axis_names[uz(axis)];
    finding.add(fmt::format("mean |W| within a leg, {}, over that without bars", name),
                after.own / before.own);
    finding.add(fmt::format("legs joined by a bar over within a leg, {}, without bars", name),
                before.along_x);
    finding.add(fmt::format("legs joined by a bar over within a leg, {}, with bars", name),
                after.along_x);
    finding.add(fmt::format("legs not joined over within a leg, {}, with bars", name),
                after.along_y);
  }
  const double x_before =
      finding.number("legs joined by a bar over within a leg, along x, without bars");
  const double x_after =
      finding.number("legs joined by a bar over within a leg, along x, with bars");
  const double x_value = finding.number("mean |W| within a leg, along x, over that without bars");
  const double y_value = finding.number("mean |W| within a leg, along y, over that without bars");
  finding.ours = fmt::format(
      "Along the bars, the coupling of the two legs they join grows from {:.1e} to {:.2f} of that "
      "within a leg; legs that no bar joins stay at {:.1e}. Tangential values within a leg fall to "
      "{:.2f} (along x) and {:.2f} (along y) of what they were.",
      x_before, x_after, finding.number("legs not joined over within a leg, along x, with bars"),
      x_value, y_value);
  finding.verdict = x_after > 10.0 * x_before && x_value < 0.9 && y_value < 1.0 ? Verdict::agrees
                                                                                : Verdict::differs;
  finding.why = "couplings grow along the bars, tangential values shrink.";
  return finding;
}

}  // namespace stickslip::experiments
