#include "apps/bench/snap_in_run.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip::bench {

namespace {

void run_once(const Scene& from, int steps, Setting& setting, SnapInRun& run) {
  Scene scene = from;
  LoopOptions options;
  std::vector<HandSetup> hands;
  for (const ReadyHand& hand : prepare_hands(scene, options.tick, options.rendering.mode)) {
    hands.push_back(hand.setup);
  }
  State state = initial_state(scene);
  StepData data(scene);
  HapticSession session(scene, state, data, std::move(hands), options);
  run.steps.start_run();
  const int ticks_per_step = static_cast<int>(std::lround(run.dt / options.tick));
  int contacts = 0;
  for (std::size_t k = 0; k < uz(steps * ticks_per_step); ++k) {
    // a step is known at the tick after it, as in TurnTaking
    session.publish();
    const Stopwatch tick_watch;
    session.loop().tick();
    const double us = 1e6 * tick_watch.wall_seconds();
    if (k == run.ticks.size()) run.ticks.push_back({us, contacts});
    run.ticks[k].us = std::min(run.ticks[k].us, us);
    if (k % uz(ticks_per_step) != 0) continue;
    const ThreadWatch watch;
    const StepReport report = session.step_scene();
    run.steps.add(report, watch.us());
    contacts = report.contacts;
    setting.noise.spin();
  }
}

}  // namespace

SnapInRun run_snap_in(Setting& setting, double until_s) {
  const Scene scene = read_scene(setting.scenes / "snap_in.toml");
  SnapInRun run;
  run.dt = scene.simulation.dt;
  const int steps = static_cast<int>(std::lround(until_s / run.dt));
  for (int k = 0; k < (setting.quick ? 1 : 3); ++k) run_once(scene, steps, setting, run);
  return run;
}

}  // namespace stickslip::bench
