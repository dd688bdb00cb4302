#include "stickslip/devices/haply_device.hpp"

#include <algorithm>
#include <exception>

#include "stickslip/haptics/models/known_devices.hpp"

namespace stickslip {

namespace {

constexpr double connection_timeout_s = 1.0;
constexpr double retry_after_s = 0.2;
// the last words of a connection
constexpr int least_last_words = 3;
constexpr double last_words_s = 0.25;
constexpr double between_last_words_s = 0.005;

}  // namespace

HaplyDevice::HaplyDevice(const HaplyOptions& options)
    : options_(options),
      limits_(find_known_device("inverse3")->limits),
      view_(options.timeout_s),
      conversation_(limits_, options.device_id, options.timeout_s) {
  samples_.publish(conversation_.sample());
  thread_ = std::thread([this] { run(); });
}

HaplyDevice::~HaplyDevice() {
  is_ending_ = true;
  doorbell_.ring();
  thread_.join();
}

bool HaplyDevice::wait_for_device(double seconds) {
  const double start = steady_seconds();
  DeviceReading reading;
  while (!read(reading)) {
    if (steady_seconds() - start > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

bool HaplyDevice::read(DeviceReading& reading) {
  samples_.refresh();
  const double now = options_.clock();
  const bool is_there = view_.read(samples_.value(), now, reading);
  if (is_there && reading.sequence != known_sequence_) link_.add(reading.age_s, now);
  known_sequence_ = reading.sequence;
  return is_there;
}

void HaplyDevice::write(const Vec6& wrench) {
  const Vec3 force = within_limits(wrench, limits_).head<3>();
  commands_.publish(view_.command(force, options_.clock()));
  doorbell_.ring();
}

void HaplyDevice::stop() {
  write(Vec6::Zero());
}

void HaplyDevice::run() {
  while (!is_ending_) {
    // what is thrown breaks the connection, not the program
    try {
      if (connect()) {
        converse();
        say_last_words();
      }
    } catch (const std::exception&) {
    }
    client_.close();
    const double until = steady_seconds() + retry_after_s;
    while (!is_ending_ && steady_seconds() < until) doorbell_.wait(until - steady_seconds());
  }
}

bool HaplyDevice::connect() {
  return client_.resolve(options_.host, options_.port, connection_timeout_s).empty() &&
         client_.connect(connection_timeout_s).empty() &&
         client_.shake_hands(connection_timeout_s).empty();
}

void HaplyDevice::converse() {
  conversation_.begin(options_.clock());
  while (!is_ending_ && !conversation_.is_given_up(options_.clock())) {
    const double patience = conversation_.patience(options_.clock());
    if (!client_.wait(patience, doorbell_.descriptor()).empty()) return;
    doorbell_.wait(0.0);
    take_in();
    commands_.refresh();
    const auto word = conversation_.speak(commands_.value(), options_.clock());
    samples_.publish(conversation_.sample());
    if (word && !say(*word)) return;
  }
}

/// All that has come; only the newest counts.
void HaplyDevice::take_in() {
  std::uint64_t count = 0;
  while (client_.take(text_)) ++count;
  conversation_.hear_echo(client_.last_echo());
  if (count == 0) return;
  conversation_.take(count, client_.has_more() ? std::nullopt : haply::parse(text_),
                     client_.echo_before(), options_.clock());
  garbled_.store(conversation_.garbled(), std::memory_order_relaxed);
  unasked_.store(conversation_.unasked(), std::memory_order_relaxed);
}

bool HaplyDevice::say(const HaplyWord& word) {
  const std::string text =
      haply::force_message(word.device_id, word.force, options_.force_key, word.is_first);
  return client_.ping(word.number, options_.timeout_s).empty() &&
         client_.send(text, options_.timeout_s).empty();
}

void HaplyDevice::say_last_words() {
  if (!conversation_.is_greeted()) return;
  const double start = steady_seconds();
  for (int said = 0; steady_seconds() - start < last_words_s; ++said) {
    if (said >= least_last_words && conversation_.is_heard_at_rest()) return;
    if (!say(conversation_.last_word(options_.clock()))) return;
    const double next = steady_seconds() + between_last_words_s;
    while (steady_seconds() < next) {
      if (!client_.wait(next - steady_seconds()).empty()) return;
      take_in();
    }
  }
}

}  // namespace stickslip
