#include <fmt/core.h>

#include "experiments/figures.hpp"
#include "experiments/snap_story.hpp"

namespace stickslip::experiments {

Finding figure_14_snap_in(const Settings& settings) {
  Finding finding;
  finding.paper =
      "Fig. 14 and section 7.2: a flexible clip (polyethylene, 700 MPa, 15 g, 3 ms) snapped onto a "
      "quasi-rigid pipe. Contacts stick, then slide while resistance grows up to the widest "
      "opening; there the equilibrium is unstable, then the clip closes abruptly. No force is "
      "given.";
  const SnapStory story =
      tell_snap(settings, "snap_in", {0.0, 0.2, 0.8}, "figure_14_snap_in", "", finding);
  finding.ours = fmt::format(
      "A steady hand by a coupling of 2 kN/m: {}. Past the widest opening the pipe pulls the clip "
      "in.",
      forces_of(story));
  finding.verdict = story.snaps ? Verdict::agrees : Verdict::differs;
  finding.why =
      "push, unstable equilibrium and abrupt closing are all there, with and without friction.";
  return finding;
}

}  // namespace stickslip::experiments
