// What looking along the way costs where nothing moves fast: the proximity phase of scenes of the
// shelf, with fast_motion and without.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/step.hpp"

namespace {

using namespace stickslip;

constexpr int rounds = 7;

struct Run {
  Scene scene;
  std::optional<State> state;
  std::optional<StepData> data;
  std::vector<double> us;  ///< of each step: the least of all rounds
  int swept = 0;
};

struct Figures {
  double mean, median, p99;
};

Figures figures(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  const double sum = std::accumulate(us.begin(), us.end(), 0.0);
  return {sum / static_cast<double>(us.size()), us[us.size() / 2], us[us.size() * 99 / 100]};
}

/// Each step is timed in rounds that do the same work, with and without in turn: what a busy
/// machine adds to some of them does not count.
void measure(const std::filesystem::path& path, int steps) {
  std::array<Run, 2> runs;
  for (std::size_t r = 0; r < 2; ++r) {
    runs[r].scene = read_scene(path);
    runs[r].scene.simulation.fast_motion = r == 1;
    runs[r].us.assign(uz(steps), std::numeric_limits<double>::infinity());
  }
  for (int round = 0; round < rounds; ++round) {
    for (Run& run : runs) {
      run.state.emplace(initial_state(run.scene));
      run.data.emplace(run.scene);
      run.swept = 0;
    }
    for (std::size_t k = 0; k < uz(steps); ++k) {
      for (Run& run : runs) {
        const StepReport report = step(run.scene, *run.state, *run.data);
        run.us[k] =
            std::min(run.us[k], report.phase_us[static_cast<std::size_t>(Phase::proximity)]);
        run.swept += report.meeting_rounds;
      }
    }
  }
  std::vector<double> added(uz(steps));
  for (std::size_t k = 0; k < uz(steps); ++k) added[k] = runs[1].us[k] - runs[0].us[k];
  const Figures without = figures(runs[0].us);
  const Figures with = figures(runs[1].us);
  const Figures more = figures(added);
  const auto percent = [](double a, double b) { return 100.0 * (a / b - 1.0); };
  fmt::print(
      "| {} | {:.1f} | {:.1f} | {:+.1f} % | {:.1f} | {:.1f} | {:+.1f} % | {:.1f} | {:.1f} | "
      "{:+.1f} % | {:.1f} us | {} |\n",
      path.stem().string(), without.mean, with.mean, percent(with.mean, without.mean),
      without.median, with.median, percent(with.median, without.median), without.p99, with.p99,
      percent(with.p99, without.p99), more.p99, runs[1].swept);
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 300;
  const std::vector<std::string> names =
      argc > 2 ? std::vector<std::string>(argv + 2, argv + argc)
               : std::vector<std::string>{"incline", "press_and_slide", "soft_press", "brick_stack",
                                          "heap",    "snap_arm",        "hertz"};
  fmt::print(
      "| us | mean without | with | | median without | with | | 99th of 100 without | with | | "
      "added, 99th | solved again |\n");
  for (const std::string& name : names) measure("scenes/" + name + ".toml", steps);
}
