#include "stickslip/devices/bridge_device.hpp"

#include <algorithm>
#include <cmath>

namespace stickslip {

namespace {

/// Datagrams that one tick takes in, more than the socket keeps: even after a pause a tick ends
/// with the newest there is.
constexpr int most_frames_a_tick = 256;

bool are_sensible(const DeviceLimits& limits) {
  const auto is_dofs = [](int dofs) { return dofs == 3 || dofs == 6; };
  const auto is_known_or_zero = [](double value) { return std::isfinite(value) && value >= 0.0; };
  return is_dofs(limits.sensed_dofs) && is_dofs(limits.actuated_dofs) && limits.peak_force > 0.0 &&
         limits.peak_torque >= 0.0 && is_known_or_zero(limits.stiffness) &&
         is_known_or_zero(limits.workspace_radius) && is_known_or_zero(limits.mass) &&
         is_known_or_zero(limits.damping) && is_known_or_zero(limits.resolution) &&
         limits.tick_s > 0.0 && limits.tick_s < 1.0;
}

}  // namespace

BridgeDevice::BridgeDevice(const BridgeOptions& options)
    : options_(options), socket_(options.port) {}

BridgeDevice::~BridgeDevice() {
  if (peer_ != 0) send({session_, ++wrench_sequence_, bridge::Goodbye{}}, peer_);
}

bool BridgeDevice::wait_for_device(double seconds) {
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (counts_.states == 0 || is_silent()) {
    const double left = std::chrono::duration<double>(until - Clock::now()).count();
    if (left <= 0.0) return false;
    socket_.wait(std::min(left, 0.1));
    receive_frames();
  }
  return true;
}

bool BridgeDevice::read(DeviceReading& reading) {
  receive_frames();
  reading = reading_;
  return !is_silent() && is_ready_;
}

void BridgeDevice::write(const Vec6& wrench) {
  if (peer_ == 0) return;
  send_wrench(within_limits(wrench, limits_));
}

void BridgeDevice::stop() {
  if (peer_ != 0) send_wrench(Vec6::Zero());
}

bool BridgeDevice::is_silent() const {
  const std::chrono::duration<double> silence = Clock::now() - heard_at_;
  return peer_ == 0 || state_sequence_ == 0 || silence.count() > options_.timeout_s;
}

void BridgeDevice::receive_frames() {
  // one byte more than any frame has, so that what is too long shows
  std::array<std::byte, bridge::largest_frame + 1> bytes;
  for (int i = 0; i < most_frames_a_tick; ++i) {
    const auto datagram = socket_.receive(bytes);
    if (!datagram) return;
    if (const auto frame = bridge::decode(datagram->bytes)) {
      take(*frame, *datagram);
    } else {
      ++counts_.garbled;
    }
  }
}

void BridgeDevice::take(const bridge::Frame& frame, const LoopbackSocket::Datagram& datagram) {
  const std::uint16_t from = datagram.from;
  if (const auto* hello = std::get_if<bridge::Hello>(&frame.message)) {
    take_hello(*hello, frame.session, from);
    return;
  }
  if (from != peer_ || frame.session != session_) {
    ++counts_.foreign;
    // a bridge that outlived an engine begins anew
    if (std::holds_alternative<bridge::State>(frame.message)) {
      answer(bridge::Answer::say_hello_first, frame.session, from);
    }
    return;
  }
  if (const auto* state = std::get_if<bridge::State>(&frame.message)) {
    take_state(*state, frame.sequence, datagram.age_s);
  }
  if (std::holds_alternative<bridge::Goodbye>(frame.message)) peer_ = 0;
}

void BridgeDevice::take_hello(const bridge::Hello& hello, std::uint32_t session,
                              std::uint16_t from) {
  if (hello.version != bridge::protocol_version) {
    counts_.other_version = hello.version;
    answer(bridge::Answer::other_version, session, from);
    return;
  }
  const bool is_repeated = from == peer_ && session == session_;
  if (!is_repeated && !is_silent()) {
    ++counts_.foreign;
    answer(bridge::Answer::busy, session, from);
    return;
  }
  const bool is_first = counts_.hellos == 0;
  if (!are_sensible(hello.limits) || (!is_first && hello.limits != limits_)) {
    answer(bridge::Answer::senseless, session, from);
    return;
  }
  if (is_first) limits_ = hello.limits;
  if (!is_repeated) {
    peer_ = from;
    session_ = session;
    state_sequence_ = 0;
    heard_sequence_ = 0;
    wrench_sequence_ = 0;
  }
  ++counts_.hellos;
  watchdog_ms_ = hello.watchdog_ms;
  answer(bridge::Answer::accepted, session, from);
}

void BridgeDevice::take_state(const bridge::State& state, std::uint64_t sequence, double age_s) {
  if (sequence <= state_sequence_) {
    ++counts_.late;
    return;
  }
  state_sequence_ = sequence;
  heard_at_ = Clock::now() -
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(age_s));
  is_ready_ = state.is_ready;
  reading_ = state.reading;
  reading_.sequence = ++counts_.states;
  // the way of a wrench to the bridge and back
  const bool is_remembered = state.wrench_sequence <= wrench_sequence_ &&
                             state.wrench_sequence + sent_at_.size() > wrench_sequence_;
  if (state.wrench_sequence > heard_sequence_ && is_remembered) {
    heard_sequence_ = state.wrench_sequence;
    const auto sent_at = sent_at_[heard_sequence_ % sent_at_.size()];
    round_trip_s_ = std::chrono::duration<double>(heard_at_ - sent_at).count();
  }
}

void BridgeDevice::send_wrench(const Vec6& wrench) {
  ++wrench_sequence_;
  sent_at_[wrench_sequence_ % sent_at_.size()] = Clock::now();
  send({session_, wrench_sequence_, bridge::Wrench{wrench, state_sequence_}}, peer_);
}

void BridgeDevice::send(const bridge::Frame& frame, std::uint16_t to) {
  bridge::Buffer buffer;
  socket_.send(bridge::encode(frame, buffer), to);
}

void BridgeDevice::answer(bridge::Answer answer, std::uint32_t session, std::uint16_t to) {
  const auto timeout_ms = static_cast<std::uint32_t>(std::lround(options_.timeout_s * 1e3));
  send({session, 0, bridge::Welcome{answer, timeout_ms}}, to);
}

}  // namespace stickslip
