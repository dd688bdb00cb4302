#include "stickslip/devices/bridge_device.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace stickslip {

namespace {

/// Datagrams of the bridge that one tick takes in, more than the socket keeps: even after a pause a
/// tick ends with the newest there is.
constexpr int most_packets_a_tick = 256;
// of others, while a bridge is there
constexpr int most_foreign_packets_a_tick = 8;
constexpr int most_answers_a_tick = 2;

constexpr int least_last_words = 3;
constexpr double last_words_s = 0.05;
constexpr auto between_last_words = std::chrono::milliseconds(2);

}  // namespace

BridgeDevice::BridgeDevice(const BridgeOptions& options)
    : options_(options), socket_(options.port), conversation_(options.timeout_s) {}

BridgeDevice::~BridgeDevice() {
  if (!conversation_.is_connected()) return;
  const std::uint64_t before = conversation_.said();
  const double start = steady_seconds();
  for (int said = 0; steady_seconds() - start < last_words_s; ++said) {
    if (said >= least_last_words && conversation_.heard() > before) break;
    send(conversation_.say_wrench(Vec6::Zero(), options_.clock()));
    std::this_thread::sleep_for(between_last_words);
    receive_packets();
  }
  for (int said = 0; said < least_last_words; ++said) send(conversation_.say_goodbye());
}

bool BridgeDevice::wait_for_device(double seconds) {
  const double until = steady_seconds() + seconds;
  while (counts().states == 0 || conversation_.is_silent(options_.clock())) {
    const double left = until - steady_seconds();
    if (left <= 0.0 || !refusal().empty()) return false;
    socket_.wait(std::min(left, 0.1));
    receive_packets();
  }
  return true;
}

bool BridgeDevice::read(DeviceReading& reading) {
  receive_packets();
  return conversation_.read(reading, options_.clock());
}

void BridgeDevice::write(const Vec6& wrench) {
  send(conversation_.say_wrench(wrench, options_.clock()));
}

void BridgeDevice::stop() {
  for (int said = 0; said < least_last_words; ++said) {
    send(conversation_.say_wrench(Vec6::Zero(), options_.clock()));
  }
}

void BridgeDevice::receive_packets() {
  // one byte more than any packet has, so that what is too long shows
  std::array<std::byte, bridge::largest_packet + 1> bytes;
  int answers_left = most_answers_a_tick;
  const bool is_waiting = conversation_.is_silent(options_.clock());
  const int most_foreign = is_waiting ? most_packets_a_tick : most_foreign_packets_a_tick;
  for (int i = 0; i < most_foreign; ++i) {
    const auto datagram = socket_.receive(bytes);
    if (!datagram) break;
    take(*datagram, answers_left);
  }
  for (int i = 0; i < most_packets_a_tick; ++i) {
    const auto datagram = socket_.receive_own(bytes);
    if (!datagram) break;
    take(*datagram, answers_left);
  }
}

void BridgeDevice::take(const LoopbackSocket::Datagram& datagram, int& answers_left) {
  const LoopbackAddress before = conversation_.peer();
  const auto reply =
      conversation_.take(datagram.bytes, datagram.from, datagram.age_s, options_.clock());
  // the bridge gets a queue of its own
  const LoopbackAddress& peer = conversation_.peer();
  if (peer != before && peer.port != 0) socket_.listen_to(peer);
  if (reply && answers_left-- > 0) send(reply);
}

void BridgeDevice::send(const std::optional<BridgeConversation::Reply>& reply) {
  if (!reply) return;
  bridge::Buffer buffer;
  socket_.send(bridge::encode(reply->packet, buffer), reply->to);
}

}  // namespace stickslip
