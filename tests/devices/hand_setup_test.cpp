#include "stickslip/devices/hand_setup.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "stickslip/devices/bridge_device.hpp"
#include "stickslip/devices/device_spec.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/recorder.hpp"
#include "stickslip/io/recording.hpp"
#include "tests/support/held_tool.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

/// A bridge that tells no mass and no stiffness, and sends a state a millisecond.
class ReticentBridge {
 public:
  explicit ReticentBridge(std::uint16_t engine) : engine_{.port = engine} {
    thread_ = std::thread([this] { run(); });
  }
  ~ReticentBridge() {
    is_ending_ = true;
    thread_.join();
  }

 private:
  void run() {
    DeviceLimits limits;
    limits.name = "reticent";
    limits.peak_force = 5.0;
    LoopbackSocket socket(0);
    bridge::Buffer buffer;
    bridge::State state;
    for (std::uint64_t i = 1; !is_ending_; ++i) {
      while (const auto datagram = socket.receive(buffer)) {
        const auto frame = bridge::decode(datagram->bytes);
        if (frame && std::holds_alternative<bridge::Wrench>(frame->message)) {
          state.wrench_sequence = frame->sequence;
        }
      }
      if (i % 50 == 1) {
        socket.send(bridge::encode({1, 1000 * i, bridge::Hello{1, limits, 50}}, buffer), engine_);
      }
      socket.send(bridge::encode({1, 1000 * i + 1, state}, buffer), engine_);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  LoopbackAddress engine_;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;
};

TEST(HandSetup, GainsOfADeviceOverALinkAreThoseOfTheLinkThatWasMeasured) {
  std::uint16_t port = 0;
  {
    const LoopbackSocket scout(0);
    port = scout.port();
  }
  const TestFolder folder;
  folder.write("lead.toml", R"(
[simulation]
dt = 0.001
gravity = [0, 0, 0]
[[body]]
name = "block"
kind = "rigid"
shape = "box"
size = [0.02, 0.02, 0.02]
mass = 0.015
[[hand]]
name = "right"
body = "block"
device = "bridge:)" + std::to_string(port) +
                                "\"\n");
  Scene scene = build_recorded_scene(collect_scene(folder / "lead.toml", {}, false));
  const ReticentBridge bridge(port);
  const auto ready = prepare_hands(scene, 1e-3, RenderingMode::resolved);
  ASSERT_EQ(ready.size(), 1u);
  const LinkTimes link = ready[0].setup.device->link();
  EXPECT_GT(link.delay_s, 1e-4);
  EXPECT_GT(link.rate_hz, 50.0);
  const CouplingGains& gains = scene.hands[0].gains;
  EXPECT_LT(gains.stiffness, 3000.0);
  EXPECT_GT(gains.stiffness, 10.0);
  // damped for the delay as well as for the tick
  EXPECT_GT(gains.damping, gains.stiffness * (1e-3 + link.delay_s));
  EXPECT_NE(ready[0].gains.text.find("by a link of"), std::string::npos) << ready[0].gains.text;
  EXPECT_TRUE(ready[0].gains.warning.empty()) << ready[0].gains.warning;
}

TEST(HandSetup, TwoHandsDoNotPushWithOneDevice) {
  const auto refused = [](const char* left, const char* right) {
    Scene scene = testing_support::tool_scene(3e-3, 0.01, 0.5, 2);
    scene.hands[0].device = left;
    scene.hands[1].device = right;
    return refusal<InputError>([&] { prepare_hands(scene, 1e-3, RenderingMode::resolved); });
  };
  for (const auto& [left, right] :
       {std::pair("haply", "haply"),
        {"haply", "haply?device=049D"},
        {"haply:localhost?device=049D", "haply?device=049D&force=values"},
        {"bridge", "bridge:26160"}}) {
    const std::string message = refused(left, right);
    EXPECT_NE(message.find("hand.hand 1.device = '" + std::string(right) + "'"), std::string::npos)
        << message;
    EXPECT_NE(message.find("hand.hand 0"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
  }
  for (const auto& [left, right] : {std::pair("haply?device=049D", "haply?device=0001"),
                                    {"haply:a", "haply:b"},
                                    {"haply", "haply::10002"},
                                    {"bridge:1", "bridge:2"},
                                    {"haply", "bridge"},
                                    {"simulated", "simulated"},
                                    {"mouse", "mouse"}}) {
    EXPECT_FALSE(may_be_one_device(parse_device_spec(left), parse_device_spec(right)))
        << left << " " << right;
  }
}

TEST(HandSetup, ALinkThatHasBecomeLateIsToldAndOneThatHasNotIsNot) {
  const LinkTimes at_start{1e-3, 0.5e-3, 1000.0};
  EXPECT_EQ(link_trouble(at_start, at_start), "");
  EXPECT_EQ(link_trouble(at_start, {1.5e-3, 0.7e-3, 1000.0}), "");
  EXPECT_EQ(link_trouble({}, {}), "");
  const std::string told = link_trouble(at_start, {4e-3, 2e-3, 500.0});
  EXPECT_NE(told.find("6 ms"), std::string::npos) << told;
  EXPECT_NE(told.find("1.5 ms"), std::string::npos) << told;
}

}  // namespace
}  // namespace stickslip
