#include "stickslip/haptics/loop/haptic_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "tests/haptics/standing_tool.hpp"

namespace stickslip {
namespace {

using testing_support::StandingTool;
using testing_support::ToldDevice;

using Clock = std::chrono::steady_clock;

/// A device that goes slowly to and fro by its own clock, and blocks once where it is told to.
class SwayingDevice : public ToldDevice {
 public:
  bool read(DeviceReading& to) override {
    if (blocks.exchange(false)) std::this_thread::sleep_for(std::chrono::milliseconds(80));
    const double time = std::chrono::duration<double>(Clock::now() - start_).count();
    reading.position.x() = 0.003 * std::sin(6.0 * time);
    ++reading.sequence;
    return ToldDevice::read(to);
  }
  std::atomic<bool> blocks = false;

 private:
  Clock::time_point start_ = Clock::now();
};

TEST(HapticThread, APauseOfTheThreadOrOfATickLeavesNoForceBehind) {
  const auto device = std::make_shared<SwayingDevice>();
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  HapticLoop loop(loop_by_clock(1e-3, RenderingMode::plain), {setup}, StandingTool::prototype(), 1);
  StandingTool tool({1000.0, 1.0, 1.0, 0.001});
  std::atomic<bool> pauses = false;
  std::atomic<int> pushes = 0;
  bool has_paused = false;
  double last_tick = 0.0;
  double after_pause = 0.0;  // what was sent first after a pause, or in the tick it was in
  int pauses_seen = 0;
  const auto after_tick = [&](const TickTimes&) {
    const double now = loop.time_s();
    has_paused = now - last_tick > 0.02;
    last_tick = now;
    const double force = loop.records()[0].wrench.norm();
    if (has_paused) {
      after_pause = std::max(after_pause, force);
      ++pauses_seen;
    }
    if (force > 0.5) ++pushes;
    if (pauses.exchange(false)) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  };
  {
    HapticThread thread(loop, 1e-3, after_tick);
    const auto push_for_a_while = [&] {
      pushes = 0;
      const auto end = Clock::now() + std::chrono::seconds(5);
      while (pushes < 50 && Clock::now() < end) {
        tool.step(loop);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return pushes >= 50;
    };
    EXPECT_TRUE(push_for_a_while());
    pauses = true;
    EXPECT_TRUE(push_for_a_while());
    device->blocks = true;
    EXPECT_TRUE(push_for_a_while());
  }
  EXPECT_EQ(after_pause, 0.0);
  EXPECT_GE(pauses_seen, 2);
  // and none at the end
  EXPECT_TRUE(device->sent.isZero(0.0));
}

}  // namespace
}  // namespace stickslip
