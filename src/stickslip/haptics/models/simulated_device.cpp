#include "stickslip/haptics/models/simulated_device.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/haptics/models/scene_time.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

DeviceModel make(std::string_view name, const DeviceAxis& translation) {
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  DeviceModel model;
  model.limits.name = std::string(name);
  model.limits.actuated_dofs = 6;
  model.limits.peak_force = unlimited;
  model.limits.peak_torque = unlimited;
  model.translation = translation;
  model.rotation = {translation.mass * handle_lever * handle_lever,
                    translation.damping * handle_lever * handle_lever,
                    translation.friction * handle_lever, translation.resolution / handle_lever};
  return model;
}

AxisDynamics together(const DeviceAxis& device, const HandAxis& hand) {
  return {device.mass + hand.mass, device.damping + hand.damping, hand.stiffness, device.friction};
}

double rounded(double value, double resolution) {
  return resolution > 0.0 ? std::round(value / resolution) * resolution : value;
}

Vec3 rounded(const Vec3& v, double resolution) {
  return {rounded(v.x(), resolution), rounded(v.y(), resolution), rounded(v.z(), resolution)};
}

Pose sensed(const Pose& pose, const DeviceModel& model) {
  const double step = model.rotation.resolution;
  const Quat orientation =
      step > 0.0 ? rotation_exp(rounded(rotation_log(pose.orientation), step)) : pose.orientation;
  return {rounded(pose.position, model.translation.resolution), orientation};
}

/// Three axes under a force and a hand whose aim goes straight from `aim` to `aim_after`.
void advance_axes(const AxisDynamics& dynamics, const HandAxis& hand, const Vec3& force,
                  const Vec3& aim, const Vec3& aim_after, double duration, Vec3& position,
                  Vec3& velocity) {
  const Vec3 aim_velocity = (aim_after - aim) / duration;
  for (int i = 0; i < 3; ++i) {
    AxisState axis{position[i], velocity[i]};
    advance(dynamics, force[i] + hand.stiffness * aim[i] + hand.damping * aim_velocity[i],
            hand.stiffness * aim_velocity[i], duration, axis);
    position[i] = axis.position;
    velocity[i] = axis.velocity;
  }
}

}  // namespace

std::span<const DeviceModel> known_device_models() {
  static const std::array<DeviceModel, 3> table = {
      make("ideal", {0.05, 0.0, 0.0, 0.0}),
      make("phantom", {0.072, 0.1, 0.04, 30e-6}),
      make("large", {0.8, 1.5, 0.3, 10e-6}),
  };
  return table;
}

DeviceModel find_device_model(std::string_view name) {
  const auto models = known_device_models();
  for (const DeviceModel& model : models) {
    if (model.limits.name == name) return model;
  }
  if (const KnownDevice* device = find_known_device(name)) {
    DeviceModel model = find_device_model("phantom");
    model.limits = device->limits;
    return model;
  }
  std::vector<std::string_view> names;
  for (const DeviceModel& model : models) names.push_back(model.limits.name);
  for (const KnownDevice& device : known_devices()) names.push_back(device.name);
  throw InputError(
      fmt::format("no device is called '{}'; take one of {}", name, fmt::join(names, ", ")));
}

SimulatedDevice::SimulatedDevice(const DeviceModel& model, Operator held_by)
    : model_(model),
      operator_(std::move(held_by)),
      translation_(together(model.translation, operator_.hand.translation)),
      rotation_(together(model.rotation, operator_.hand.rotation)),
      random_(model.seed) {
  assert(translation_.mass > 0.0 && rotation_.mass > 0.0);
  assert(model.delay_s >= 0.0 && model.jitter_s >= 0.0);
  model_.limits.mass = model.translation.mass;
  model_.limits.resolution = model.translation.resolution;
  model_.limits.damping = model.translation.damping;
  // its operator may go anywhere
  model_.limits.workspace_radius = 0.0;

  const double ticks = (model.delay_s + model.jitter_s) / model.limits.tick_s;
  on_their_way_.reserve(static_cast<std::size_t>(ticks) + 3);

  truth_.pose = operator_.intention.pose(0.0);
  set_truth(truth_);
}

void SimulatedDevice::set_truth(const Truth& truth) {
  truth_ = truth;
  behind_s_ = 0.0;
  ticks_ = static_cast<std::uint64_t>(std::llround(truth.time_s / model_.limits.tick_s));
  const Pose pose = sensed(truth_.pose, model_);
  reading_.position = pose.position;
  reading_.orientation = pose.orientation;
  sense();
}

bool SimulatedDevice::read(DeviceReading& reading) {
  reading = reading_;
  return true;
}

void SimulatedDevice::write(const Vec6& wrench) {
  // none overtakes another
  double left = model_.delay_s + random_jitter_s();
  if (!on_their_way_.empty()) left = std::max(left, on_their_way_.back().left_s);
  on_their_way_.push_back({rendered(wrench), left});

  // from arrival to arrival; what is a millionth of a tick early or late comes with the tick
  const double tick = model_.limits.tick_s;
  const double blur = 1e-6 * tick;
  double done = 0.0;
  std::size_t arrived = 0;
  while (arrived < on_their_way_.size() && on_their_way_[arrived].left_s < tick - blur) {
    const double at = on_their_way_[arrived].left_s;
    if (at > done + blur) {
      move(acting_, at - done);
      done = at;
    }
    acting_ = on_their_way_[arrived].wrench;
    ++arrived;
  }
  move(acting_, tick - done);
  on_their_way_.erase(on_their_way_.begin(),
                      on_their_way_.begin() + static_cast<std::ptrdiff_t>(arrived));
  for (OnItsWay& other : on_their_way_) other.left_s -= tick;
  ++ticks_;
  truth_.time_s = static_cast<double>(ticks_) * tick;
  sense();
}

void SimulatedDevice::stop() {
  acting_.setZero();
  on_their_way_.clear();
}

LinkTimes SimulatedDevice::link() const {
  return {model_.delay_s, model_.jitter_s, 1.0 / model_.limits.tick_s};
}

Vec6 SimulatedDevice::rendered(const Vec6& wrench) const {
  Vec6 limited = within_limits(wrench, model_.limits);
  limited.head<3>() = rounded(Vec3(limited.head<3>()), model_.force_resolution);
  limited.tail<3>() = rounded(Vec3(limited.tail<3>()), model_.force_resolution * handle_lever);
  return limited;
}

/// Even between none and all of it, the same on every machine (splitmix64).
double SimulatedDevice::random_jitter_s() {
  if (model_.jitter_s == 0.0) return 0.0;
  random_ += 0x9e3779b97f4a7c15U;
  std::uint64_t z = random_;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  z ^= z >> 31U;
  return model_.jitter_s * 0x1.0p-53 * static_cast<double>(z >> 11U);
}

void SimulatedDevice::move(const Vec6& wrench, double duration) {
  const double pace = scene_ != nullptr ? scene_->pace(operator_time_s()) : 1.0;
  const Pose aim = operator_.intention.pose(operator_time_s());
  truth_.time_s += duration;
  behind_s_ += (1.0 - pace) * duration;
  const Pose aim_after = operator_.intention.pose(operator_time_s());
  Pose& pose = truth_.pose;
  if (operator_.hand.is_clamped) {
    truth_.velocity = (aim_after.position - pose.position) / duration;
    truth_.angular_velocity = turn_between(pose.orientation, aim_after.orientation) / duration;
    pose = aim_after;
    return;
  }
  const HandModel& hand = operator_.hand;
  advance_axes(translation_, hand.translation, wrench.head<3>(), aim.position, aim_after.position,
               duration, pose.position, truth_.velocity);
  // rotation vectors from where the handle is now
  Vec3 turn = Vec3::Zero();
  advance_axes(rotation_, hand.rotation, wrench.tail<3>(),
               turn_between(pose.orientation, aim.orientation),
               turn_between(pose.orientation, aim_after.orientation), duration, turn,
               truth_.angular_velocity);
  pose.orientation = (rotation_exp(turn) * pose.orientation).normalized();
}

void SimulatedDevice::sense() {
  const Pose pose = sensed(truth_.pose, model_);
  const double tick = model_.limits.tick_s;
  reading_.velocity = (pose.position - reading_.position) / tick;
  reading_.angular_velocity = turn_between(reading_.orientation, pose.orientation) / tick;
  reading_.position = pose.position;
  reading_.orientation = pose.orientation;
  reading_.buttons = operator_.intention.buttons(operator_time_s());
  ++reading_.sequence;
}

}  // namespace stickslip
