#include "stickslip/devices/bridge_conversation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

bool is_sensible(const DeviceReading& reading) {
  return reading.position.norm() < BridgeConversation::farthest &&
         reading.velocity.norm() < BridgeConversation::fastest &&
         reading.angular_velocity.norm() < BridgeConversation::fastest_turn;
}

}  // namespace

std::optional<BridgeConversation::Reply> BridgeConversation::take(std::span<const std::byte> bytes,
                                                                  const LoopbackAddress& from,
                                                                  double age_s, double now) {
  const std::optional<bridge::Packet> packet = bridge::decode(bytes);
  if (!packet) {
    ++counts_.garbled;
    return std::nullopt;
  }
  if (const auto* hello = std::get_if<bridge::Hello>(&packet->message)) {
    return take_hello(*hello, packet->session, from, now);
  }
  const auto* state = std::get_if<bridge::State>(&packet->message);
  if (from != peer_ || packet->session != session_) {
    ++counts_.foreign;
    // a bridge that outlived an engine begins anew
    if (state == nullptr) return std::nullopt;
    return answer(bridge::Answer::say_hello_first, packet->session, from);
  }
  if (state != nullptr) take_state(*state, packet->sequence, age_s, now);
  if (std::holds_alternative<bridge::Goodbye>(packet->message)) {
    peer_ = {};
    note_loss();
  }
  return std::nullopt;
}

std::optional<BridgeConversation::Reply> BridgeConversation::take_hello(const bridge::Hello& hello,
                                                                        std::uint32_t session,
                                                                        const LoopbackAddress& from,
                                                                        double now) {
  if (hello.version != bridge::protocol_version) {
    counts_.other_version = hello.version;
    return answer(bridge::Answer::other_version, session, from);
  }
  const bool is_repeated = from == peer_ && session == session_;
  if (!is_repeated && !is_silent(now)) {
    ++counts_.foreign;
    return answer(bridge::Answer::busy, session, from);
  }
  const bool is_first = counts_.hellos == 0;
  fault_ = bridge::find_fault(hello);
  has_other_limits_ = !fault_ && !is_first && hello.limits != limits_;
  if (fault_ || has_other_limits_) return answer(bridge::Answer::senseless, session, from);
  if (is_first) limits_ = hello.limits;
  if (!is_repeated) connect(from, session);
  ++counts_.hellos;
  watchdog_ms_ = hello.watchdog_ms;
  return answer(bridge::Answer::accepted, session, from);
}

void BridgeConversation::connect(const LoopbackAddress& peer, std::uint32_t session) {
  note_loss();
  peer_ = peer;
  session_ = session;
  state_sequence_ = heard_sequence_ = wrench_sequence_ = 0;
  is_pulling_ = false;
}

void BridgeConversation::take_state(const bridge::State& state, std::uint64_t sequence,
                                    double age_s, double now) {
  if (sequence <= state_sequence_) {
    ++counts_.late;
    return;
  }
  if (!is_sensible(state.reading)) {
    ++counts_.garbled;
    return;
  }
  const double arrived_at = now - age_s;
  const bool is_first = state_sequence_ == 0;
  if (!state.is_ready || (!is_first && arrived_at - heard_at_ > timeout_s_)) note_loss();
  heard_at_ = is_first ? arrived_at : std::max(heard_at_, arrived_at);
  state_sequence_ = sequence;
  is_ready_ = state.is_ready;
  reading_ = state.reading;
  reading_.sequence = ++counts_.states;
  take_trip(state.wrench_sequence, now);
}

void BridgeConversation::take_trip(std::uint64_t wrench_sequence, double now) {
  const bool is_remembered =
      wrench_sequence <= wrench_sequence_ && wrench_sequence + said_at_.size() > wrench_sequence_;
  if (wrench_sequence <= heard_sequence_ || !is_remembered) return;
  heard_sequence_ = wrench_sequence;
  link_.add(now - said_at_[wrench_sequence % said_at_.size()], now);
}

bool BridgeConversation::read(DeviceReading& reading, double now) {
  reading = reading_;
  reading.age_s = std::max(0.0, now - heard_at_);
  // the bridge has let go while the loop was away
  const double said_at = said_at_[wrench_sequence_ % said_at_.size()];
  if (is_pulling_ && watchdog_ms_ > 0 && now - said_at > 1e-3 * watchdog_ms_) {
    is_pulling_ = false;
    note_loss();
  }
  was_there_ = !is_silent(now) && is_ready_ && !was_lost_;
  was_lost_ = false;
  return was_there_;
}

void BridgeConversation::note_loss() {
  was_lost_ = was_lost_ || was_there_;
}

bool BridgeConversation::is_silent(double now) const {
  return !is_connected() || state_sequence_ == 0 || now - heard_at_ > timeout_s_;
}

std::optional<BridgeConversation::Reply> BridgeConversation::say_wrench(const Vec6& wrench,
                                                                        double now) {
  if (!is_connected()) return std::nullopt;
  ++wrench_sequence_;
  said_at_[wrench_sequence_ % said_at_.size()] = now;
  const Vec6 limited = within_limits(wrench, limits_);
  is_pulling_ = !limited.isZero(0.0);
  return Reply{{session_, wrench_sequence_, bridge::Wrench{limited, state_sequence_}}, peer_};
}

std::optional<BridgeConversation::Reply> BridgeConversation::say_goodbye() {
  if (!is_connected()) return std::nullopt;
  return Reply{{session_, ++wrench_sequence_, bridge::Goodbye{}}, peer_};
}

BridgeConversation::Reply BridgeConversation::answer(bridge::Answer answer, std::uint32_t session,
                                                     const LoopbackAddress& to) const {
  const auto timeout_ms = static_cast<std::uint32_t>(std::lround(timeout_s_ * 1e3));
  return {{session, 0, bridge::Welcome{answer, timeout_ms}}, to};
}

std::string BridgeConversation::refusal() const {
  if (fault_) return "the bridge says hello with " + text_of(*fault_);
  if (has_other_limits_) {
    return "the bridge came back with other limits than those of its first hello; restart both";
  }
  return {};
}

}  // namespace stickslip
