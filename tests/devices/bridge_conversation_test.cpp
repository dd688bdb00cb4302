#include "stickslip/devices/bridge_conversation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <random>

#include "tests/devices/example_limits.hpp"

namespace stickslip {
namespace {

using bridge::Answer;

constexpr double timeout_s = 0.1;
constexpr double tick_s = 1e-3;
constexpr double watchdog_s = 0.05;

/// The other end by counted time: a bridge that knows the time by its position (x is a thousandth
/// of it) and drops the force when the engine is silent.
class CountedBridge {
 public:
  CountedBridge(BridgeConversation& engine, LoopbackAddress address, std::uint32_t session)
      : engine_(engine), address_(address), session_(session) {}

  Answer say_hello(double now, const DeviceLimits& limits = example_limits()) {
    const auto reply = send({session_, ++sequence_, bridge::Hello{1, limits, 50}}, now);
    return std::get<bridge::Welcome>(reply->packet.message).answer;
  }
  bridge::Packet state(double now, bool is_ready = true) {
    bridge::State state;
    state.reading.position = Vec3(1e-3 * now, 0.0, 0.0);
    state.is_ready = is_ready;
    state.wrench_sequence = heard_;
    return {session_, ++sequence_, state};
  }
  std::optional<BridgeConversation::Reply> send(const bridge::Packet& packet, double now) {
    bridge::Buffer buffer;
    return engine_.take(bridge::encode(packet, buffer), address_, 0.0, now);
  }

  void hear(const std::optional<BridgeConversation::Reply>& reply, double now) {
    if (!reply || reply->packet.session != session_ || reply->to != address_) return;
    const auto* wrench = std::get_if<bridge::Wrench>(&reply->packet.message);
    if (wrench == nullptr || reply->packet.sequence <= heard_) return;
    heard_ = reply->packet.sequence;
    heard_at_ = now;
    pull_ = wrench->wrench;
  }
  /// What the device renders.
  Vec6 pull(double now) {
    if (now - heard_at_ > watchdog_s) pull_.setZero();
    return pull_;
  }

 private:
  BridgeConversation& engine_;
  LoopbackAddress address_;
  std::uint32_t session_;
  std::uint64_t sequence_ = 0;
  std::uint64_t heard_ = 0;
  double heard_at_ = 0.0;
  Vec6 pull_ = Vec6::Zero();
};

const Vec6 push = (Vec6() << 0.0, 0.0, 2.0, 0.0, 0.0, 0.0).finished();

TEST(BridgeConversation, HelloOutsideWhatDevicesHaveIsRefusedWithFieldValueAndRange) {
  struct Case {
    double DeviceLimits::*field;
    double value;
    const char* text;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  const std::vector<Case> cases = {
      {&DeviceLimits::mass, 1e-9, "mass 1e-09 kg: give 0.001 to 100, or 0 for unknown"},
      {&DeviceLimits::mass, 1e300, "mass 1e+300 kg"},
      {&DeviceLimits::damping, 1e300, "damping 1e+300 N s/m: give 1e-06 to 1000"},
      {&DeviceLimits::peak_force, infinite, "peak force inf N: give 0.01 to 1000"},
      {&DeviceLimits::peak_force, 0.0, "peak force 0 N"},
      {&DeviceLimits::peak_torque, infinite, "peak torque inf N m"},
      {&DeviceLimits::stiffness, -1.0, "stiffness -1 N/m"},
      {&DeviceLimits::stiffness, 1e9, "stiffness 1e+09 N/m"},
      {&DeviceLimits::workspace_radius, 1e6, "radius of the workspace 1e+06 m"},
      {&DeviceLimits::resolution, 1.0, "resolution 1 m"},
      {&DeviceLimits::tick_s, 0.0, "tick 0 s: give 5e-05 to 0.1"},
      {&DeviceLimits::tick_s, std::nan(""), "tick nan s"},
  };
  for (const Case& one : cases) {
    BridgeConversation engine(timeout_s);
    CountedBridge fake(engine, {.port = 5000}, 1);
    DeviceLimits limits = example_limits();
    limits.*one.field = one.value;
    EXPECT_EQ(fake.say_hello(0.0, limits), Answer::senseless) << one.text;
    EXPECT_NE(engine.refusal().find(one.text), std::string::npos) << engine.refusal();
    EXPECT_EQ(engine.refusal().find('\n'), std::string::npos);
    EXPECT_FALSE(engine.is_connected());
    // corrected, it is welcome
    EXPECT_EQ(fake.say_hello(0.0), Answer::accepted);
    EXPECT_TRUE(engine.refusal().empty());
  }
}

TEST(BridgeConversation, SenderIsKnownByAddressPortAndSession) {
  BridgeConversation engine(timeout_s);
  const LoopbackAddress home{.port = 5000};
  CountedBridge fake(engine, home, 1);
  fake.say_hello(0.0);
  fake.send(fake.state(0.0), 0.0);
  DeviceReading reading;
  EXPECT_TRUE(engine.read(reading, 0.0));
  for (const LoopbackAddress& other :
       {LoopbackAddress{0x7f000002, 5000}, LoopbackAddress{0x7f000001, 5001}}) {
    CountedBridge thief(engine, other, 1);
    for (int i = 0; i < 10; ++i) thief.send(thief.state(9.0), 1e-3);
    thief.send({1, 100, bridge::Goodbye{}}, 1e-3);
  }
  EXPECT_EQ(engine.counts().foreign, 22u);
  EXPECT_TRUE(engine.read(reading, 1e-3));
  EXPECT_EQ(reading.position.x(), 0.0);
  EXPECT_EQ(reading.sequence, 1u);
}

TEST(BridgeConversation, DeviceThatIsNowhereIsNeverThere) {
  BridgeConversation engine(timeout_s);
  CountedBridge fake(engine, {.port = 5000}, 1);
  fake.say_hello(0.0);
  DeviceReading reading;
  for (const Vec3& position : {Vec3(1e300, 0.0, 0.0), Vec3(0.0, -11.0, 0.0)}) {
    bridge::Packet packet = fake.state(0.0);
    std::get<bridge::State>(packet.message).reading.position = position;
    fake.send(packet, 0.0);
    EXPECT_FALSE(engine.read(reading, 0.0));
  }
  EXPECT_EQ(engine.counts().garbled, 2u);
  fake.send(fake.state(0.0), 0.0);
  EXPECT_TRUE(engine.read(reading, 0.0));
}

TEST(BridgeConversation, WhateverMadeTheBridgeLetGoIsToldToTheLoop) {
  BridgeConversation engine(timeout_s);
  DeviceReading reading;
  const LoopbackAddress home{.port = 5000};
  CountedBridge first(engine, home, 1);
  double now = 1.0;
  first.say_hello(now);
  const auto is_there_after = [&](CountedBridge& fake) {
    fake.send(fake.state(now), now);
    return engine.read(reading, now);
  };
  EXPECT_TRUE(is_there_after(first));
  // not ready for one state, between two readings
  first.send(first.state(now, false), now);
  EXPECT_FALSE(is_there_after(first));
  EXPECT_TRUE(is_there_after(first));
  // another bridge, between two readings
  first.send({1, 1000, bridge::Goodbye{}}, now);
  CountedBridge second(engine, {.port = 5001}, 2);
  EXPECT_EQ(second.say_hello(now), Answer::accepted);
  EXPECT_FALSE(is_there_after(second));
  EXPECT_TRUE(is_there_after(second));
  // the engine's own silence, longer than the watchdog, with a force on
  engine.say_wrench(push, now);
  now += 0.06;
  EXPECT_FALSE(is_there_after(second));
  EXPECT_TRUE(is_there_after(second));
  engine.say_wrench(Vec6::Zero(), now);
  now += 0.06;
  EXPECT_TRUE(is_there_after(second));
}

TEST(BridgeConversation, LinkIsTimedFromAWrenchToTheReadingThatKnowsOfIt) {
  BridgeConversation engine(timeout_s);
  CountedBridge fake(engine, {.port = 5000}, 1);
  fake.say_hello(0.0);
  // a state comes 1.5 ms after its wrench, one of fifty 4 ms after
  for (int i = 0; i < 512; ++i) {
    const double sent = 0.01 * i;
    fake.hear(engine.say_wrench(Vec6::Zero(), sent), sent);
    const double back = sent + (i % 50 == 0 ? 4e-3 : 1.5e-3);
    fake.send(fake.state(back), back);
  }
  EXPECT_NEAR(engine.link().delay_s, 1.5e-3, 1e-9);
  EXPECT_NEAR(engine.link().jitter_s, 2.5e-3, 1e-9);
  EXPECT_NEAR(engine.link().rate_hz, 100.0, 0.2);
}

/// A run in which the bridge misbehaves at random moments and the loop is late now and then.
class Storm {
 public:
  explicit Storm(unsigned seed) : random_(seed), engine_(timeout_s) { restart(); }

  void run() {
    for (int i = 0; i < 200; ++i) {
      if (chance(0.03)) manner_ = static_cast<Manner>(random_() % manners);
      if (chance(0.01)) now_ += 0.1 * share();
      tick();
    }
    manner_ = Manner::sound;
    for (int i = 0; i < 400 && pull_.isZero(0.0); ++i) tick();
    EXPECT_FALSE(pull_.isZero(0.0)) << "no recovery";
  }

 private:
  enum class Manner { sound, stall, teleport, lie, twice, reorder, restart, flood };
  static constexpr int manners = 8;

  double share() { return std::uniform_real_distribution<double>()(random_); }
  bool chance(double probability) { return share() < probability; }

  void restart() {
    if (fake_ && chance(0.5)) fake_->send({session_, 1000000, bridge::Goodbye{}}, now_);
    session_ = static_cast<std::uint32_t>(random_());
    address_ = {0x7f000001, static_cast<std::uint16_t>(1024 + random_() % 1000)};
    fake_.emplace(engine_, address_, session_);
    is_welcome_ = false;
    held_.clear();
    // its device has no force yet: the loop must hear of it, unless it takes it for lost anyway
    is_told_ = there_for_ == 0;
  }

  void speak() {
    if (!is_welcome_) is_welcome_ = fake_->say_hello(now_) == Answer::accepted;
    if (!is_welcome_) return;
    bridge::Packet packet = fake_->state(now_, manner_ != Manner::lie || chance(0.5));
    auto& reading = std::get<bridge::State>(packet.message).reading;
    if (manner_ == Manner::teleport) reading.position = Vec3(chance(0.5) ? 1e300 : -30.0, 0.0, 0.0);
    if (manner_ == Manner::lie && chance(0.3)) reading.orientation = Quat(0.5, 0.0, 0.0, 0.0);
    if (manner_ == Manner::reorder && chance(0.5)) {
      held_.push_back(packet);
      return;
    }
    if (manner_ != Manner::reorder) held_.clear();
    fake_->send(packet, now_);
    if (manner_ == Manner::twice) fake_->send(packet, now_);
    for (; !held_.empty(); held_.pop_back()) fake_->send(held_.back(), now_);
  }

  void flood() {
    CountedBridge stranger(engine_, {0x7f000002, address_.port}, session_);
    for (int i = 0; i < 5; ++i) stranger.send(stranger.state(-1.0), now_);
  }

  void tick() {
    if (manner_ == Manner::restart) {
      restart();
      manner_ = Manner::sound;
    }
    if (manner_ != Manner::stall) speak();
    if (manner_ == Manner::flood) flood();

    DeviceReading reading;
    const bool is_there = engine_.read(reading, now_);
    if (!is_there) is_told_ = true;
    there_for_ = is_there ? there_for_ + 1 : 0;
    if (is_there) {
      EXPECT_LT(reading.position.norm(), 10.0);
      EXPECT_LE(now_ - 1e3 * reading.position.x(), timeout_s + 1e-9);
    }
    Vec6 wanted = Vec6::Zero();
    if (there_for_ > 10) wanted << 20.0 * share(), -3.0, 1.0, 5.0, 5.0, 5.0;
    fake_->hear(engine_.say_wrench(wanted, now_), now_);

    // within the peak, no torque, and nothing on a device that the loop has not begun anew with
    pull_ = fake_->pull(now_);
    EXPECT_LE(pull_.head<3>().norm(), 3.0 + 1e-12);
    EXPECT_TRUE(pull_.tail<3>().isZero(0.0));
    EXPECT_TRUE(is_told_ || pull_.isZero(0.0));
    // nothing while the device is lost
    EXPECT_TRUE(is_there || pull_.isZero(0.0));
    now_ += tick_s;
  }

  std::mt19937 random_;
  double now_ = 1.0;
  BridgeConversation engine_;
  std::optional<CountedBridge> fake_;
  LoopbackAddress address_;
  std::uint32_t session_ = 0;
  bool is_welcome_ = false;
  std::deque<bridge::Packet> held_;
  Manner manner_ = Manner::sound;
  int there_for_ = 0;
  bool is_told_ = true;
  Vec6 pull_ = Vec6::Zero();
};

TEST(BridgeConversation, TenThousandStormsLeaveForcesBoundedCurrentAndBegunAnew) {
  for (unsigned seed = 1; seed <= 10000; ++seed) {
    Storm(seed).run();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace stickslip
