// The snap-in by a steady hand from five starts, for several frictions and time steps: a line a
// run, and at the end a table with the worst over the starts. Arguments: scenes (default: the clip
// on a rigid and on a soft pipe).

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace {

using namespace stickslip;

struct Start {
  const char* name;
  Vec3 offset;
  Vec3 tilt;
};
constexpr double degree = std::numbers::pi / 180.0;
const std::array<Start, 5> starts = {{{"aligned", {0, 0, 0}, {0, 0, 0}},
                                      {"2 mm along x", {2e-3, 0, 0}, {0, 0, 0}},
                                      {"2 mm along z", {0, 0, 2e-3}, {0, 0, 0}},
                                      {"5 deg about x", {0, 0, 0}, {5 * degree, 0, 0}},
                                      {"5 deg about z", {0, 0, 0}, {0, 0, 5 * degree}}}};

SnapFit snap(const std::filesystem::path& path, double mu, double dt, const Start& start) {
  Scene scene = read_scene(
      path, {fmt::format("contact.friction={}", mu), fmt::format("simulation.dt={}", dt)});
  steady_hands(scene);
  const SnapMover mover = find_snap_mover(scene).value();
  misalign(scene, mover, start.offset, start.tilt);
  return run_snap_fit(scene, mover, {});
}

/// The worst of several runs.
struct Worst {
  int runs = 0;
  int finished = 0;  ///< snapped in, and let go
  int not_converged = 0;
  double penetration_m = 0.0;
  double penetration_in_snap_m = 0.0;
  double gain_share = 0.0;  ///< of what was stored, in a step
  double least_lost_share = 1e300;
  std::array<double, 2> peak_N = {1e300, 0.0};
  std::array<double, 2> retention_N = {1e300, 0.0};

  void add(const SnapFit& fit) {
    const auto widen = [](std::array<double, 2>& range, double value) {
      range = {std::min(range[0], value), std::max(range[1], value)};
    };
    ++runs;
    finished += fit.snaps && fit.lets_go ? 1 : 0;
    not_converged = std::max(not_converged, fit.steps_not_converged);
    penetration_m = std::max(penetration_m, fit.penetration_m);
    penetration_in_snap_m = std::max(penetration_in_snap_m, fit.penetration_in_snap_m);
    gain_share = std::max(gain_share, fit.largest_gain_J / fit.stored_J);
    least_lost_share = std::min(least_lost_share, fit.lost_J / fit.stored_J);
    widen(peak_N, fit.peak_N);
    widen(retention_N, fit.retention_N);
  }
};

void print_run(const std::string& scene, double mu, double dt, const Start& start,
               const SnapFit& fit) {
  fmt::print(
      "{:18} mu {:3} dt {:.0f} ms {:14} {:3} {:3}  overlap {:.1e} m, in the snap {:.1e} m  "
      "gain {:.1e} lost {:.2f} of stored  in {:5.2f} N out {:5.2f} N  not converged {}\n",
      scene, mu, 1e3 * dt, start.name, fit.snaps ? "in" : "-", fit.lets_go ? "out" : "-",
      fit.penetration_m, fit.penetration_in_snap_m, fit.largest_gain_J / fit.stored_J,
      fit.lost_J / fit.stored_J, fit.peak_N, fit.retention_N, fit.steps_not_converged);
  std::fflush(stdout);
}

std::string table_row(const std::string& scene, double mu, double dt, const Worst& worst) {
  return fmt::format(
      "| {} | {} | {:.0f} | {} of {} | {:.1f} | {:.1f} | {:.2f} | {:.0f} | {:.1f} to {:.1f} | "
      "{:.1f} to {:.1f} | {} |\n",
      scene, mu, 1e3 * dt, worst.finished, worst.runs, 1e6 * worst.penetration_m,
      1e6 * worst.penetration_in_snap_m, 100.0 * worst.gain_share, 100.0 * worst.least_lost_share,
      worst.peak_N[0], worst.peak_N[1], worst.retention_N[0], worst.retention_N[1],
      worst.not_converged);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::filesystem::path> scenes(argv + 1, argv + argc);
  if (scenes.empty()) scenes = {"scenes/snap_in.toml", "scenes/snap_in_soft_pipe.toml"};
  std::string table =
      "| scene | friction | dt [ms] | in and out | overlap [um] | in the snap [um] | gain [%] | "
      "lost [%] | in [N] | out [N] | not converged |\n"
      "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | --- | --- | ---: |\n";
  for (const double dt : {0.003, 0.005, 0.001}) {
    for (const std::filesystem::path& path : scenes) {
      for (const double mu : {0.0, 0.2, 0.8}) {
        Worst worst;
        for (const Start& start : starts) {
          const SnapFit fit = snap(path, mu, dt, start);
          print_run(path.stem().string(), mu, dt, start, fit);
          worst.add(fit);
        }
        table += table_row(path.stem().string(), mu, dt, worst);
      }
    }
  }
  fmt::print("\n{}", table);
}
