#include "stickslip/simulation/rounds.hpp"

#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/simulation/contact_solve.hpp"
#include "stickslip/simulation/detection.hpp"
#include "stickslip/simulation/energy_book.hpp"
#include "stickslip/simulation/phase_timer.hpp"

namespace stickslip {

namespace {

// solves that meetings on the way may cost
constexpr int most_meeting_rounds = 6;

/// The last resort against going through.
void hold_back(StepData& data) {
  if (!data.fast_motion) return;
  data.report.was_held_back |= data.fast_motion->hold_back(data.moving, data.contacts, data.next);
}

/// The last word: nothing goes through, whatever was solved.
void keep_cores_apart(StepData& data) {
  if (!data.fast_motion) return;
  const PhaseTimer timer(data.report, Phase::proximity);
  data.report.was_held_back |= data.fast_motion->keep_cores_apart(data.moving, data.next);
}

/// What bodies meet on their way, further off than detection looks: whether to solve again.
bool find_met_contacts(const Scene& scene, const State& state, StepData& data) {
  if (!data.fast_motion) return false;
  const PhaseTimer timer(data.report, Phase::proximity);
  if (data.report.meeting_rounds == most_meeting_rounds) {
    hold_back(data);
    return false;
  }
  if (!data.fast_motion->find(data.moving, data.next, data.contacts, data.f, data.found)) {
    return false;
  }
  keep_to_budget(scene, state, data);
  ++data.report.meeting_rounds;
  return true;
}

/// Bodies whose shape is not linear in the forces take another step of Newton's method where they
/// need one: whether to solve again.
bool relinearise(const State& state, StepData& data) {
  const PhaseTimer timer(data.report, Phase::free_motion);
  bool is_to_solve = false;
  for (std::size_t b = 0; b < data.moving.size(); ++b) {
    const auto* deformation =
        dynamic_cast<const RelinearisedDeformation*>(data.moving[b].body->deformation());
    if (deformation == nullptr) continue;
    is_to_solve |= deformation->relinearise(state.bodies[b].deformation, data.next[b].deformation,
                                            *data.body_steps[b].deformation);
  }
  return is_to_solve;
}

}  // namespace

void start_rounds(StepData& data) {
  if (data.fast_motion) data.fast_motion->start();
}

bool prepare_another_round(const Scene& scene, const State& state, StepData& data) {
  ++data.report.passes;
  const bool may_look_again = data.report.passes < scene.simulation.passes &&
                              !lives_by_overlap(scene.simulation.contact_method);
  if (!(may_look_again && find_proximities_again(scene, state, data)) &&
      !relinearise(state, data) && !find_met_contacts(scene, state, data)) {
    return false;
  }
  if (has_time_for_round(scene, data)) return true;
  data.report.is_converged = false;
  data.report.met_deadline = false;
  const PhaseTimer timer(data.report, Phase::proximity);
  hold_back(data);
  return false;
}

void end_rounds(const Scene& scene, StepData& data) {
  if (data.has_overlap) {
    // where cores would still meet, from where they leave bodies: what stays where it was would
    // stay in its overlap else
    if (data.report.meeting_rounds == most_meeting_rounds) keep_cores_apart(data);
    lift_overlaps(scene, data);
    hold_back(data);
  }
  keep_cores_apart(data);
  if (data.report.was_held_back) take_out_gain(scene, data);
}

}  // namespace stickslip
