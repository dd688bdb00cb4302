#include "experiments/snap_run.hpp"

#include <algorithm>
#include <cmath>

#include "experiments/body_solid.hpp"
#include "stickslip/io/scene_file.hpp"

namespace stickslip::experiments {

namespace {

/// The hand as a spring on the middle of the clip's grip.
Drive steady_hand(const Scene& scene, const SnapOptions& options) {
  Drive hand;
  hand.body = body_of(scene, "clip");
  hand.kind = DriveKind::spring;
  hand.stiffness = 2000.0;
  hand.damping = 10.0;
  hand.rotational_stiffness = 5.0;
  hand.rotational_damping = 0.02;
  hand.pivot = scene.bodies[uz(hand.body)].position + Vec3(0.0, 0.035, 0.0);
  const double way_s = options.depth_m / options.speed_m_s;
  Vec6 deep = Vec6::Zero();
  deep[1] = -options.depth_m;
  hand.table = TimeTable({{0.0, Vec6::Zero()},
                          {way_s, deep},
                          {way_s + snap_rest_s, deep},
                          {2.0 * way_s + snap_rest_s, Vec6::Zero()}});
  return hand;
}

SnapStages find_stages(const std::vector<SnapStep>& steps) {
  SnapStages stages;
  const auto deepest = std::max_element(
      steps.begin(), steps.end(),
      [](const SnapStep& a, const SnapStep& b) { return a.hand_m < b.hand_m - 1e-9; });
  stages.turn = static_cast<std::size_t>(deepest - steps.begin());
  const auto loaded = [](const SnapStep& step) { return std::abs(step.force_N) > 1e-3; };
  const auto first = std::find_if(steps.begin(), steps.end(), loaded);
  stages.touch = static_cast<std::size_t>(first - steps.begin());
  // the clip's fastest step on the way in
  double longest = 0.0;
  for (std::size_t k = stages.touch + 1; k <= stages.turn; ++k) {
    const double way = steps[k].clip_m - steps[k - 1].clip_m;
    if (way > longest) {
      longest = way;
      stages.snap = k;
    }
  }
  const auto by_force = [](const SnapStep& a, const SnapStep& b) { return a.force_N < b.force_N; };
  stages.peak = static_cast<std::size_t>(
      std::max_element(first, steps.begin() + static_cast<std::ptrdiff_t>(stages.snap) + 1,
                       by_force) -
      steps.begin());
  stages.retention =
      static_cast<std::size_t>(std::min_element(deepest, steps.end(), by_force) - steps.begin());
  const auto last = std::find_if(steps.rbegin(), steps.rend(), loaded);
  stages.release = static_cast<std::size_t>(steps.rend() - last) - 1;
  return stages;
}

}  // namespace

SnapRun run_snap(const Settings& settings, const SnapOptions& options) {
  SnapRun run;
  run.scene = read_scene(settings.scenes / "snap_in.toml", options.overrides);
  run.scene.hands.clear();
  const Drive hand = steady_hand(run.scene, options);
  run.scene.drives.push_back(hand);
  const Scene& scene = run.scene;
  const double end_s = hand.table.rows().back().time_s;
  const auto count = static_cast<std::size_t>(std::lround(end_s / scene.simulation.dt));
  run.steps.resize(count);
  std::vector<ContactReport> contacts;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    State state = initial_state(scene);
    StepData data(scene);
    const double start_y = state.bodies[uz(hand.body)].frame.position.y();
    for (std::size_t k = 0; k < count; ++k) {
      const StepReport report = step(scene, state, data);
      SnapStep& now = run.steps[k];
      if (repeat > 0) {
        for (std::size_t p = 0; p < report.phase_us.size(); ++p) {
          now.phase_us[p] = std::min(now.phase_us[p], report.phase_us[p]);
        }
        continue;
      }
      report_contacts(scene, state, data, contacts);
      now = {state.time_s,
             -hand.table.at(state.time_s)[1],
             start_y - state.bodies[uz(hand.body)].frame.position.y(),
             0.0,
             report.contacts,
             report.penetration_m,
             report.is_converged,
             report.phase_us};
      for (const ContactReport& contact : contacts) {
        now.force_N += (contact.body_1 == hand.body ? 1.0 : -1.0) * contact.force.y();
      }
      if (options.keeps_states) run.states.push_back(state);
    }
  }
  run.stages = find_stages(run.steps);
  return run;
}

}  // namespace stickslip::experiments
