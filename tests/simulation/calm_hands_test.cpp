#include <gtest/gtest.h>

#include "stickslip/studies/haptic_endurance.hpp"

namespace stickslip {
namespace {

TEST(OscillationWatch, PokesStrokesAndSnapsAreNoOscillation) {
  struct Held {
    const char* device;
    const char* hand;
    double stiffness;
  };
  for (const Held& held : {Held{"touch-x", "light", 1000.0},
                           {"inverse3", "medium", 3000.0},
                           {"omega.6", "firm", 4000.0}}) {
    TrialSetup setup;
    setup.device = find_device_model(held.device);
    setup.hand = *find_hand_model(held.hand);
    setup.ticks_per_step = 3;
    setup.gains = bench_gains(held.stiffness);
    HapticTrial trial(make_blade_scene(3.0 * bench_tick, setup.gains), setup,
                      restless_operator(setup.hand, held.stiffness, 20.0, 3));
    double largest = 0.0;
    for (int k = 0; k < bench_ticks(20.0); ++k) {
      const TickRecord& record = trial.tick().record;
      largest = std::max(largest, record.wrench.head<3>().norm());
      ASSERT_EQ(record.gain_scale, 1.0) << held.device << " at tick " << k;
    }
    EXPECT_GT(largest, 3.0);
  }
}

}  // namespace
}  // namespace stickslip
