#include "stickslip/devices/haply_conversation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

constexpr double turning_smoothing_s = 0.01;

const haply::Inverse3* find(const haply::Message& message, const std::string& id) {
  const auto found =
      std::find_if(message.devices.begin(), message.devices.end(),
                   [&](const haply::Inverse3& device) { return id.empty() || device.id == id; });
  return found == message.devices.end() ? nullptr : &*found;
}

bool is_sensible(const haply::Inverse3& device) {
  return device.position && device.position->norm() < HaplyConversation::farthest &&
         (!device.velocity || device.velocity->norm() < HaplyConversation::fastest);
}

}  // namespace

bool HaplyView::read(const HaplySample& sample, double now, DeviceReading& reading) {
  reading = sample.reading;
  reading.age_s = std::max(0.0, now - sample.since);
  const bool has_heard = sample.losses == known_losses_;
  known_losses_ = sample.losses;
  return has_heard && sample.is_ready && reading.age_s <= timeout_s_;
}

HaplyConversation::HaplyConversation(const DeviceLimits& limits, std::string device_id,
                                     double timeout_s)
    : limits_(limits), wanted_id_(std::move(device_id)), timeout_s_(timeout_s) {
  sample_.since = turned_at_ = -std::numeric_limits<double>::infinity();
}

void HaplyConversation::begin(double now) {
  // a force that was on when the last connection broke is off now
  if (!is_at_rest()) ++sample_.losses;
  last_force_.setZero();
  device_id_ = wanted_id_;
  status_ = {};
  is_greeted_ = is_hushed_ = has_no_echo_ = false;
  said_ = answered_ = echoed_ = rest_from_ = 0;
  said_at_[0] = heard_at_ = all_answered_at_ = now;
}

void HaplyConversation::take(std::uint64_t count, const std::optional<haply::Message>& newest,
                             std::uint64_t echoed, double now) {
  if (count == 0) return;
  heard_at_ = now;
  // the greeting answers nothing, and is as old as the connection
  if (!is_greeted_) {
    is_greeted_ = true;
    greeted_at_ = now;
    --count;
  }
  const std::uint64_t asked = std::min(count, said_ - answered_);
  answered_ += asked;
  unasked_ += count - asked;
  hear_echo(echoed);
  has_no_echo_ = echoed_ == 0 && now - greeted_at_ > doubt_s;

  const haply::Inverse3* device = newest ? find(*newest, device_id_) : nullptr;
  if (device == nullptr || !is_sensible(*device)) {
    ++garbled_;
    return;
  }
  if (device_id_.empty()) device_id_ = device->id;
  take_state(*newest, said_at(heard(std::min(echoed, echoed_))));
}

void HaplyConversation::hear_echo(std::uint64_t number) {
  // others answer pings that nobody sent
  if (number <= said_) echoed_ = std::max(echoed_, number);
}

std::uint64_t HaplyConversation::heard(std::uint64_t echoed) const {
  return has_no_echo_ ? answered_ : std::min(answered_, echoed);
}

double HaplyConversation::said_at(std::uint64_t number) const {
  const bool is_remembered = said_ - number < remembered;
  return is_remembered ? said_at_[number % remembered] : -std::numeric_limits<double>::infinity();
}

void HaplyConversation::take_state(const haply::Message& message, double since) {
  // what is not said stays as it was
  const haply::Inverse3& device = *find(message, device_id_);
  if (device.status.ready) status_.ready = device.status.ready;
  if (device.status.calibrated) status_.calibrated = device.status.calibrated;
  // nor is it there before it is known how old its states are
  sample_.is_ready = status_.ready.value_or(true) && status_.calibrated.value_or(true) &&
                     (echoed_ > 0 || has_no_echo_);
  DeviceReading& reading = sample_.reading;
  reading.position = *device.position;
  if (device.velocity) reading.velocity = *device.velocity;
  if (!message.grips.empty()) take_grip(message.grips.front(), since);
  sample_.since = since;
  ++reading.sequence;
}

void HaplyConversation::take_grip(const haply::Grip& grip, double since) {
  DeviceReading& reading = sample_.reading;
  if (grip.buttons) reading.buttons = *grip.buttons;
  if (!grip.orientation) return;
  reading.orientation = *grip.orientation;
  // of several states to one message the first counts; after a pause a difference says nothing
  const double elapsed_s = since - turned_at_;
  if (elapsed_s <= 0.0) return;
  const Vec3 turn = turn_between(turned_from_, *grip.orientation);
  turned_from_ = *grip.orientation;
  turned_at_ = since;
  if (elapsed_s > 10.0 * turning_smoothing_s) {
    reading.angular_velocity.setZero();
    return;
  }
  const double weight = 1.0 - std::exp(-elapsed_s / turning_smoothing_s);
  reading.angular_velocity += weight * (turn / elapsed_s - reading.angular_velocity);
}

std::optional<HaplyWord> HaplyConversation::speak(const HaplyCommand& command, double now) {
  consider_hush(now);
  const Vec3 force = force_for(command, now);
  const bool drops = force.isZero(0.0) && !is_at_rest();
  const bool is_new = command.at > command_at_ && pending() == 0;
  const bool is_late = said_ == 0 || now - said_at(said_) >= repeat_s;
  if (!is_greeted_ || (!drops && (is_hushed_ || !(is_new || is_late)))) return std::nullopt;
  command_at_ = command.at;
  return say(force, now);
}

Vec3 HaplyConversation::force_for(const HaplyCommand& command, double now) {
  const bool is_allowed = command.at >= 0.0 && now - command.at < loop_silence_s &&
                          command.known_losses == sample_.losses && !is_lost(now) && !is_hushed_;
  if (is_allowed) {
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = command.force;
    return within_limits(wrench, limits_).head<3>();
  }
  if (!is_at_rest()) ++sample_.losses;
  return Vec3::Zero();
}

void HaplyConversation::consider_hush(double now) {
  if (pending() == 0) all_answered_at_ = now;
  if (!is_hushed_) {
    is_hushed_ = pending() > 0 && now - all_answered_at_ > doubt_s;
    hushed_at_ = now;
  } else if (pending() == 0 || now - hushed_at_ > timeout_s_) {
    // what has not come during a hush does not come any more
    is_hushed_ = false;
    answered_ = said_;
    all_answered_at_ = now;
  }
}

HaplyWord HaplyConversation::last_word(double now) {
  return say(Vec3::Zero(), now);
}

HaplyWord HaplyConversation::say(const Vec3& force, double now) {
  ++said_;
  said_at_[said_ % remembered] = now;
  if (force.isZero(0.0) && !(is_at_rest() && said_ > 1)) rest_from_ = said_;
  last_force_ = force;
  return {said_, device_id_, force, said_ == 1};
}

bool HaplyConversation::is_lost(double now) const {
  return !sample_.is_ready || now - sample_.since > timeout_s_;
}

double HaplyConversation::patience(double now) const {
  if (!is_greeted_) return give_up_s;
  const double last = said_ == 0 ? now : said_at(said_) + repeat_s;
  return std::clamp(last - now, 0.0, repeat_s);
}

}  // namespace stickslip
