#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

#include "stickslip/devices/haply_conversation.hpp"

namespace stickslip::testing_support {

/// Haply's service by counted time: it answers each word with a state, unless it misbehaves. Where
/// the device was at a time is told by its position: x is a thousandth of it.
class FakeHaply {
 public:
  enum class Manner {
    sound,
    stall,     ///< answers later, with what the device does then
    hang,      ///< answers now, and they arrive later
    teleport,  ///< the device is nowhere that a device can be
    lie,       ///< another device, no position, not ready, no JSON
    twice,     ///< two states a word
    reorder,   ///< the older of two states last
    forget,    ///< some words are not answered
    flood,     ///< states that nobody asked for
    copies,    ///< forty times the same state
  };
  static constexpr int manners = 10;

  using State = std::optional<haply::Message>;
  struct Said {
    State state;
    std::uint64_t echoed = 0;  ///< the last ping before it
  };

  explicit FakeHaply(unsigned seed) : random_(seed) {}

  void begin(double now) {
    inbox_.clear();
    outbox_.clear();
    echoed_ = 0;
    say(state(now));
  }
  void behave(Manner manner) {
    manner_ = manner;
    last_.reset();
  }

  /// What it says comes through one by one, with pauses.
  void trickle(bool trickles) { trickles_ = trickles; }
  /// It knows no pings.
  void never_echo() { echoes_ = false; }

  void hear(const HaplyWord& word) { inbox_.push_back(word); }

  /// What it has said by then that has not been taken yet.
  std::vector<Said> speak(double now) {
    if (manner_ != Manner::stall) {
      for (; !inbox_.empty(); inbox_.pop_front()) answer(inbox_.front(), now);
    }
    if (manner_ == Manner::flood) {
      for (int i = 0; i < 5; ++i) say(state(now));
    }
    std::vector<Said> arrived;
    const std::size_t most = !trickles_ ? outbox_.size() : chance(0.3) ? 1 : 0;
    while (manner_ != Manner::hang && !outbox_.empty() && arrived.size() < most) {
      arrived.push_back(std::move(outbox_.front()));
      outbox_.pop_front();
    }
    return arrived;
  }

  static double time_of(const Vec3& position) { return 1e3 * position.x(); }

 private:
  bool chance(double share) { return std::uniform_real_distribution<double>()(random_) < share; }

  void say(State said) { outbox_.push_back({std::move(said), echoed_}); }

  void answer(const HaplyWord& word, double now) {
    if (echoes_) echoed_ = word.number;
    if (manner_ == Manner::forget && chance(0.2)) return;
    State answer = state(now);
    if (manner_ == Manner::reorder) std::swap(last_, answer);
    const int times = manner_ == Manner::twice ? 2 : manner_ == Manner::copies ? 40 : 1;
    for (int i = 0; i < times; ++i) say(answer);
  }

  State state(double now) {
    haply::Inverse3 device;
    device.id = "049D";
    device.position = Vec3(1e-3 * now, 0.02, 0.03);
    if (manner_ == Manner::teleport) {
      device.position = chance(0.5) ? Vec3(1e300, 0.0, 0.0) : Vec3(0.0, -11.0, 0.0);
    }
    if (manner_ == Manner::lie) {
      if (chance(0.25)) return std::nullopt;
      if (chance(0.3)) device.id = "0001";
      if (chance(0.3)) device.position.reset();
      device.status.ready = chance(0.5);
    } else {
      device.status.ready = true;
    }
    haply::Message message;
    message.devices.push_back(device);
    return message;
  }

  std::mt19937 random_;
  Manner manner_ = Manner::sound;
  std::deque<HaplyWord> inbox_;
  std::deque<Said> outbox_;
  State last_;
  std::uint64_t echoed_ = 0;
  bool trickles_ = false;
  bool echoes_ = true;
};

}  // namespace stickslip::testing_support
