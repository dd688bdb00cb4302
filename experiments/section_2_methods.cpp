#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "apps/plot/plot.hpp"
#include "experiments/body_solid.hpp"
#include "experiments/figures.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/contact_report.hpp"

namespace stickslip::experiments {

namespace {

// moments of scenes/press_and_slide.toml [s]
constexpr double slides_from = 0.2;
constexpr double sticks_from = 0.42;
constexpr double sticks_to = 0.8;

/// One contact method with its numbers.
struct Choice {
  ContactMethod method;
  double stiffness;  ///< of penalties [N/m]; 0: chosen from W
  const char* key;
  const char* name;
};
constexpr std::array<Choice, 6> choices = {{
    {ContactMethod::exact, 0.0, "exact", "exact laws (ours)"},
    {ContactMethod::penalty_explicit, 0.0, "penalty-explicit", "penalty, explicit"},
    {ContactMethod::penalty_implicit, 0.0, "penalty-implicit", "penalty, implicit"},
    {ContactMethod::imposed_motion, 0.0, "imposed-motion", "imposed motion"},
    {ContactMethod::explicit_friction, 0.0, "explicit-friction", "explicit friction"},
    {ContactMethod::penalty_explicit, 1e3, "penalty-explicit-1kN/m", "penalty, explicit, 1 kN/m"},
}};

struct Moment {
  double time_s = 0.0;
  double overlap_m = 0.0;  ///< deepest, at the end of the step
  double along_m = 0.0;    ///< way of the pad along the push
  double normal_N = 0.0;   ///< of the floor on the pad; negative: it pulls
  double given_J = 0.0;    ///< by contact so far: energy gained, less work put in
};

/// The run by one contact method.
struct Way {
  std::string key;   ///< in tables
  std::string name;  ///< in pictures
  std::vector<Moment> moments;
  double overlap_m = 0.0;  ///< while sliding and sticking, largest
  double creep_m_s = 0.0;  ///< mean over the stick
  double pull_N = 0.0;     ///< strongest
  double given_J = 0.0;    ///< by contact, most at any moment; a passive one gives none
};

Way run(const Settings& settings, const Choice& choice) {
  std::vector<std::string> overrides = {
      fmt::format("simulation.contact_method=\"{}\"", to_string(choice.method))};
  if (choice.stiffness > 0.0) {
    overrides.push_back(fmt::format("simulation.penalty_stiffness={:.1f}", choice.stiffness));
  }
  const Scene scene = read_scene(settings.scenes / "press_and_slide.toml", overrides);
  const int pad = body_of(scene, "pad");
  const double angle = std::numbers::pi / 6.0;
  const Vec3 push(std::cos(angle), std::sin(angle), 0.0);
  Way way;
  way.key = choice.key;
  way.name = choice.name;
  State state = initial_state(scene);
  StepData data(scene);
  const Vec3 start = state.bodies[uz(pad)].frame.position;
  std::vector<ContactReport> contacts;
  double energy = 0.0;
  double given = 0.0;
  double before_stick = 0.0;
  const auto steps = static_cast<int>(std::lround(scene.simulation.duration / scene.simulation.dt));
  for (int k = 1; k <= steps; ++k) {
    const StepReport report = step(scene, state, data);
    report_contacts(scene, state, data, contacts);
    Moment now;
    now.time_s = state.time_s;
    now.along_m = push.dot(state.bodies[uz(pad)].frame.position - start);
    for (const ContactReport& contact : contacts) {
      now.overlap_m = std::max(now.overlap_m, -contact.gap);
      now.normal_N += (contact.body_1 == pad ? 1.0 : -1.0) * contact.force.z();
    }
    if (k > 1) given += report.energy.total - energy - report.energy.work_in;
    energy = report.energy.total;
    now.given_J = given;
    way.given_J = std::max(way.given_J, given);
    way.pull_N = std::max(way.pull_N, -now.normal_N);
    if (now.time_s > slides_from && now.time_s < sticks_to) {
      way.overlap_m = std::max(way.overlap_m, now.overlap_m);
    }
    if (now.time_s <= sticks_from) before_stick = now.along_m;
    if (now.time_s <= sticks_to) {
      way.creep_m_s = (now.along_m - before_stick) / (sticks_to - sticks_from);
    }
    way.moments.push_back(now);
  }
  return way;
}

template <class Value>
Plot plot_of(std::span<const Way> ways, const Value& value) {
  Plot plot;
  plot.x = {"time [s]", false, {}, 0.0, 1.0};
  for (std::size_t k = 0; k < ways.size(); ++k) {
    Series series{ways[k].name, {}, {}, {}, {}, {}, Look::line, static_cast<int>(k)};
    for (const Moment& moment : ways[k].moments) {
      series.x.push_back(moment.time_s);
      series.y.push_back(value(ways[k], moment));
    }
    plot.series.push_back(series);
  }
  plot.bands = {{0.0, slides_from, "press"},
                {slides_from, 0.4, "slide"},
                {0.4, sticks_to, "stick"},
                {sticks_to, 1.0, "lift"}};
  return plot;
}

Drawing draw(const std::vector<Way>& all) {
  // the springs that fly apart would cover the others
  const std::span<const Way> ways = std::span(all).first(all.size() - 1);
  Plot overlap = plot_of(ways, [](const Way&, const Moment& moment) {
    return 1e3 * std::max(moment.overlap_m, 1e-13);
  });
  overlap.title = "Overlap";
  overlap.y = {"deepest overlap [mm]", true, {}, 1e-10, 1e2};

  Plot drift = plot_of(ways, [](const Way& way, const Moment& moment) {
    const auto stuck = std::find_if(way.moments.begin(), way.moments.end(),
                                    [](const Moment& m) { return m.time_s >= sticks_from; });
    return 1e3 * (moment.along_m - stuck->along_m);
  });
  drift.title = "Drift while friction should hold (2.5 N against 5 N)";
  drift.x = {"time [s]", false, {}, sticks_from, sticks_to};
  drift.y = {"way since 0.42 s [mm]", false, {}, -2.0, 30.0};
  drift.bands.clear();

  Plot lift = plot_of(ways, [](const Way&, const Moment& moment) { return moment.normal_N; });
  lift.title = "Lifting";
  lift.x = {"time [s]", false, {}, 0.84, 0.88};
  lift.y = {"normal force [N], negative: pull", false, {}, -1.0, 4.0};
  lift.bands.clear();

  Plot energy = plot_of(all, [](const Way&, const Moment& moment) { return 1e3 * moment.given_J; });
  energy.title = "Energy that contact has given; above 0: out of nothing";
  energy.y = {"energy given so far [mJ]", false, {}, -400.0, 800.0};

  Drawing drawing(1300.0, 1020.0);
  draw_plot(drawing, {0.0, 0.0, 650.0, 510.0}, overlap);
  draw_plot(drawing, {650.0, 0.0, 650.0, 510.0}, drift);
  draw_plot(drawing, {0.0, 510.0, 650.0, 510.0}, lift);
  draw_plot(drawing, {650.0, 510.0, 650.0, 510.0}, energy);
  return drawing;
}

}  // namespace

Finding section_2_methods(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Sections 1 and 2.3 to 2.5, in words: penalties leave overlap, depend on an arbitrary factor "
      "and "
      "are unstable or stiff; imposed motion can stick when contacts should part and knows no "
      "friction; friction computed from the step before drifts in stick.";
  std::vector<Way> ways;
  for (const Choice& choice : choices) {
    ways.push_back(run(settings, choice));
    settings.show(static_cast<double>(ways.size()) / static_cast<double>(choices.size()));
  }
  std::string csv = "method,time_s,overlap_m,way_m,normal_N,given_by_contact_J\n";
  for (const Way& way : ways) {
    const std::string& name = way.key;
    for (const Moment& moment : way.moments) {
      csv += fmt::format("{},{:.4f},{:.4e},{:.6e},{:.4e},{:.4e}\n", name, moment.time_s,
                         moment.overlap_m, moment.along_m, moment.normal_N, moment.given_J);
    }
    finding.add("overlap, " + name, way.overlap_m, "m");
    finding.add("creep in stick, " + name, way.creep_m_s, "m/s");
    finding.add("strongest pull, " + name, way.pull_N, "N");
    finding.add("most energy given by contact, " + name, way.given_J, "J");
  }
  save_table(settings, finding, "section_2_methods", csv);
  save_picture(settings, finding, "section_2_methods", draw(ways));
  const Way& exact = ways[0];
  const Way& explicit_penalty = ways[1];
  const Way& implicit_penalty = ways[2];
  const Way& imposed = ways[3];
  const Way& friction = ways[4];
  const Way& stiff_penalty = ways[5];
  finding.ours = fmt::format(
      "A soft pad pressed by 10 N, slid, held under half of what friction can carry, lifted. "
      "Overlap: "
      "explicit penalty {:.2g} mm (as stiff as is stable; at 1 kN/m its contact gives {:.1g} J out "
      "of "
      "nothing), implicit {:.2g} mm, exact {:.1g} mm. Creep in stick: explicit friction {:.0f} "
      "mm/s, "
      "exact {:.0e} mm/s. On lifting imposed motion pulls by {:.2g} N and it never holds sideways; "
      "the "
      "exact laws pull by {:g} N.",
      1e3 * explicit_penalty.overlap_m, stiff_penalty.given_J, 1e3 * implicit_penalty.overlap_m,
      1e3 * exact.overlap_m, 1e3 * friction.creep_m_s, 1e3 * std::abs(exact.creep_m_s),
      imposed.pull_N, exact.pull_N);
  const bool agrees = explicit_penalty.overlap_m > 1e-4 && exact.overlap_m < 1e-8 &&
                      friction.creep_m_s > 1e-3 && std::abs(exact.creep_m_s) < 1e-6 &&
                      imposed.pull_N > 0.01 && exact.pull_N == 0.0 && exact.given_J < 1e-9 &&
                      stiff_penalty.given_J > 0.01;
  finding.verdict = agrees ? Verdict::agrees : Verdict::differs;
  finding.why =
      "each of the older methods shows the fault that the paper names; an implicit penalty is the "
      "least of them, and its overlap is f/k.";
  return finding;
}

}  // namespace stickslip::experiments
