#include "stickslip/devices/haply_device.hpp"

#include <cmath>

#include "stickslip/haptics/known_devices.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr double connection_timeout_s = 1.0;
constexpr double retry_after_s = 0.2;
/// Without a write() for so long, the force is zero.
constexpr double loop_silence_s = 0.02;
constexpr double turning_smoothing_s = 0.01;

double seconds_since(std::chrono::steady_clock::time_point then) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - then).count();
}

}  // namespace

HaplyDevice::HaplyDevice(const HaplyOptions& options)
    : options_(options), limits_(find_known_device("inverse3")->limits) {
  thread_ = std::thread([this] { run(); });
}

HaplyDevice::~HaplyDevice() {
  is_ending_ = true;
  doorbell_.ring();
  thread_.join();
}

bool HaplyDevice::wait_for_device(double seconds) {
  const auto start = Clock::now();
  DeviceReading reading;
  while (!read(reading)) {
    if (seconds_since(start) > seconds) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

bool HaplyDevice::read(DeviceReading& reading) {
  samples_.refresh();
  const Sample& sample = samples_.value();
  reading = sample.reading;
  return sample.is_ready && seconds_since(sample.at) <= options_.timeout_s;
}

void HaplyDevice::write(const Vec6& wrench) {
  commands_.publish({within_limits(wrench, limits_).head<3>(), Clock::now()});
  doorbell_.ring();
}

void HaplyDevice::stop() {
  write(Vec6::Zero());
}

void HaplyDevice::run() {
  while (!is_ending_) {
    const bool is_connected =
        client_.resolve(options_.host, options_.port, connection_timeout_s).empty() &&
        client_.connect(connection_timeout_s).empty() &&
        client_.shake_hands(connection_timeout_s).empty();
    if (is_connected) converse();
    client_.close();
    if (!is_ending_) std::this_thread::sleep_for(std::chrono::duration<double>(retry_after_s));
  }
}

void HaplyDevice::converse() {
  // the service speaks first: what there is
  std::string text;
  device_id_ = options_.device_id;
  status_ = {};
  if (!client_.receive(text, connection_timeout_s).empty()) return;
  take(text);

  bool is_first = true;
  while (!is_ending_) {
    doorbell_.wait(loop_silence_s);
    const Vec3 force = force_to_send();
    const std::string message =
        haply::force_message(device_id_, force, options_.force_key, is_first);
    is_first = false;
    if (!client_.send(message, options_.timeout_s).empty()) return;
    if (!client_.receive(text, connection_timeout_s).empty()) return;
    take(text);
  }
  // a last word: no force
  client_.send(haply::force_message(device_id_, Vec3::Zero(), options_.force_key, false),
               options_.timeout_s);
}

Vec3 HaplyDevice::force_to_send() {
  commands_.refresh();
  const Command& command = commands_.value();
  const bool is_current = !is_ending_ && seconds_since(command.at) < loop_silence_s;
  return is_current ? command.force : Vec3::Zero();
}

void HaplyDevice::take(const std::string& text) {
  const std::optional<haply::Message> message = haply::parse(text);
  const haply::Inverse3* found = nullptr;
  if (message) {
    for (const haply::Inverse3& device : message->devices) {
      if (found == nullptr && (device_id_.empty() || device.id == device_id_)) found = &device;
    }
  }
  if (found != nullptr && device_id_.empty()) device_id_ = found->id;
  if (found == nullptr || !found->position) {
    garbled_.fetch_add(1, std::memory_order_relaxed);
    return;
  }

  // what is not said stays as it was
  const auto now = Clock::now();
  const double elapsed = std::chrono::duration<double>(now - sample_.at).count();
  sample_.at = now;
  if (found->status.ready) status_.ready = found->status.ready;
  if (found->status.calibrated) status_.calibrated = found->status.calibrated;
  sample_.is_ready = status_.ready.value_or(true) && status_.calibrated.value_or(true);
  DeviceReading& reading = sample_.reading;
  reading.position = *found->position;
  if (found->velocity) reading.velocity = *found->velocity;
  if (!message->grips.empty()) take_grip(message->grips.front(), elapsed);
  ++reading.sequence;
  samples_.publish(sample_);
}

void HaplyDevice::take_grip(const haply::Grip& grip, double elapsed_s) {
  DeviceReading& reading = sample_.reading;
  if (grip.buttons) reading.buttons = *grip.buttons;
  if (!grip.orientation) return;
  const Vec3 turn = turn_between(reading.orientation, *grip.orientation);
  reading.orientation = *grip.orientation;
  // after a pause a difference says nothing
  if (reading.sequence == 0 || elapsed_s > 10.0 * turning_smoothing_s) {
    reading.angular_velocity.setZero();
    return;
  }
  const double weight = 1.0 - std::exp(-elapsed_s / turning_smoothing_s);
  reading.angular_velocity += weight * (turn / elapsed_s - reading.angular_velocity);
}

}  // namespace stickslip
