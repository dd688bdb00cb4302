#include <fmt/core.h>

#include <algorithm>

#include "experiments/body_solid.hpp"
#include "experiments/figures.hpp"
#include "experiments/snap_story.hpp"

namespace stickslip::experiments {

namespace {

/// How far what the clip goes onto gives way, over a run. [m]
double yielded(const SnapRun& run) {
  double farthest = 0.0;
  const int clip = body_of(run.scene, "clip");
  for (int b = 0; b < static_cast<int>(run.scene.bodies.size()); ++b) {
    if (b == clip) continue;
    const Solid rest = body_solid(run.scene, run.states.front(), b);
    for (const State& state : run.states) {
      const Solid now = body_solid(run.scene, state, b);
      for (std::size_t i = 0; i < now.points.size(); ++i) {
        farthest = std::max(farthest, (now.points[i] - rest.points[i]).norm());
      }
    }
  }
  return farthest;
}

}  // namespace

Finding figure_16_deformable_pipes(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 16 and section 7.2: snap-in and snap-out on deformable pipes. Withdrawing, static "
      "friction and the deformation of the clip resist while the coupling stores energy; the clip "
      "then leaves abruptly. The pipes deform, especially where friction is large.";
  const SnapStory one = tell_snap(settings, "snap_in_soft_pipe", {0.0, 0.2, 0.8},
                                  "figure_16_deformable_pipe", "", finding);
  const SnapStory two = tell_snap(settings, "snap_in_double", {0.2, 0.8}, "figure_16_double_clip",
                                  ", double clip", finding);
  const double little = yielded(one.runs[1].second);
  const double much = yielded(one.runs[2].second);
  const double of_two = yielded(two.runs[1].second);
  finding.add("largest displacement of the pipe, µ = 0.2", 1e3 * little, "mm");
  finding.add("largest displacement of the pipe, µ = 0.8", 1e3 * much, "mm");
  finding.add("largest displacement of the two pipes, µ = 0.8", 1e3 * of_two, "mm");
  finding.ours = fmt::format(
      "A hollow pipe of the same polyethylene, held at its ends: {}; it gives way by up to {:.2f} "
      "mm at µ = 0.2 and {:.2f} mm at µ = 0.8. A double clip on two such pipes, three deformable "
      "bodies in one group: {}; the pipes give way by up to {:.2f} mm.",
      forces_of(one), 1e3 * little, 1e3 * much, forces_of(two), 1e3 * of_two);
  const SnapFit& smooth = one.runs.front().second.fit;
  const SnapFit& rough = one.runs.back().second.fit;
  const bool grips = rough.retention_N > smooth.peak_N;
  finding.verdict =
      one.snaps && two.snaps && grips && much > little ? Verdict::agrees : Verdict::differs;
  finding.why =
      "friction makes the way out the hardest part and bends the pipes most, and the clip lets go "
      "at once.";
  return finding;
}

}  // namespace stickslip::experiments
