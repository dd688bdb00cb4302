// Probes thrown at thin sheets: how many pass through, with and without the search along the way.

#include <fmt/core.h>

#include <cstdlib>
#include <map>

#include "tests/support/thin_sheets.hpp"

namespace {

using namespace stickslip;
using namespace stickslip::testing_support;

struct Count {
  int thrown = 0;
  int through = 0;
  int held_back = 0;
};

void throw_probes(double dt, bool fast_motion, int count, unsigned seed) {
  const SheetShelf shelf(dt);
  std::mt19937 random(seed);
  std::map<std::string, Count> counts;
  for (int k = 0; k < count; ++k) {
    const auto& item = shelf.items[uz(k) % shelf.items.size()];
    const ProbeKind kind = probe_kinds[uz(k / 10) % probe_kinds.size()];
    Throw thrown = random_throw(shelf, item, kind, dt, random);
    thrown.scene.simulation.fast_motion = fast_motion;
    State state = initial_state(thrown.scene);
    StepData data(thrown.scene);
    CrossingWatch watch(item.sheet, thrown.scene, 0, 1);
    Count& one = counts[probe_names[uz(static_cast<int>(kind))]];
    if (watch.overlap(state)) continue;
    ++one.thrown;
    bool is_through = false;
    State before = state;
    for (int s = 0; s < thrown.steps; ++s) {
      before = state;
      const StepReport report = step(thrown.scene, state, data);
      if (report.was_held_back) ++one.held_back;
      if (watch.crosses(before, state)) {
        is_through = true;
        if (fast_motion) fmt::print("throw {} of seed {} is through in step {}\n", k, seed, s);
        break;
      }
    }
    one.through += is_through ? 1 : 0;
  }
  for (const auto& [name, one] : counts) {
    fmt::print("{:>6} ms {:>6} {:<8}{:>7} thrown{:>6} through{:>6} steps held back\n", 1e3 * dt,
               fast_motion ? "swept" : "plain", name, one.thrown, one.through, one.held_back);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 7U;
  for (const double dt : {1e-3, 3e-3}) {
    throw_probes(dt, false, count / 10, seed);
    throw_probes(dt, true, count, seed);
  }
}
