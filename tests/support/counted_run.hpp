#pragma once

#include <algorithm>

#include "stickslip/simulation/step.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip::testing_support {

struct CountedRun {
  std::size_t allocations = 0;
  int fewest_contacts = 1000;
  int most_contacts = 0;
};

/// The run of a scene, made a second time from its start by the same StepData.
inline CountedRun count_second_run(const Scene& scene, int steps) {
  const State start = initial_state(scene);
  State state = start;
  StepData data(scene);
  for (int k = 0; k < steps; ++k) step(scene, state, data);
  state = start;
  state.contacts.reserve(scene.simulation.contact_budget);
  CountedRun run;
  const std::size_t before = allocation_count();
  for (int k = 0; k < steps; ++k) {
    const StepReport report = step(scene, state, data);
    run.fewest_contacts = std::min(run.fewest_contacts, report.contacts);
    run.most_contacts = std::max(run.most_contacts, report.contacts);
  }
  run.allocations = allocation_count() - before;
  return run;
}

}  // namespace stickslip::testing_support
