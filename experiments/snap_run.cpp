#include "experiments/snap_run.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"

namespace stickslip::experiments {

namespace {

void find_moments(SnapRun& run) {
  const std::vector<SnapSample>& samples = run.fit.samples;
  const auto number = [&](auto at) { return static_cast<std::size_t>(at - samples.begin()); };
  const auto is_loaded = [](const SnapSample& sample) { return sample.loaded_contacts > 0; };
  const auto by_force = [](const SnapSample& a, const SnapSample& b) {
    return a.force_N < b.force_N;
  };
  const auto first = std::find_if(samples.begin(), samples.end(), is_loaded);
  if (first == samples.end()) return;
  const auto widest = std::find_if(first, samples.end(), [&](const SnapSample& sample) {
    return sample.time_s >= run.fit.snap_time_s;
  });
  run.touch = number(first);
  run.snap = number(widest == samples.end() ? widest - 1 : widest);
  run.peak =
      number(std::max_element(first, samples.begin() + static_cast<long>(run.snap) + 1, by_force));
  run.retention = number(std::min_element(samples.begin() + static_cast<long>(run.fit.withdrawal),
                                          samples.end(), by_force));
  run.release = samples.size() - 1 -
                static_cast<std::size_t>(std::find_if(samples.rbegin(), samples.rend(), is_loaded) -
                                         samples.rbegin());
}

}  // namespace

SnapRun run_snap(const Settings& settings, const SnapRunOptions& options) {
  SnapRun run;
  run.scene = read_scene(settings.scenes / (options.scene + ".toml"), options.overrides);
  steady_hands(run.scene);
  const std::optional<SnapMover> mover = find_snap_mover(run.scene);
  if (!mover) throw InputError(fmt::format("{}: nothing moves the clip", run.scene.name));
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    std::size_t k = 0;
    run.fit = run_snap_fit(
        run.scene, *mover, options.test, [&](double, const State& state, const StepData& data) {
          if (repeat == 0) {
            run.contacts.push_back(data.report.contacts);
            run.phase_us.push_back(data.report.phase_us);
            run.hand_wrenches.push_back(data.hand_wrenches);
            if (options.keeps_states) run.states.push_back(state);
          } else {
            for (std::size_t p = 0; p < data.report.phase_us.size(); ++p) {
              run.phase_us[k][p] = std::min(run.phase_us[k][p], data.report.phase_us[p]);
            }
          }
          ++k;
        });
  }
  find_moments(run);
  return run;
}

}  // namespace stickslip::experiments
