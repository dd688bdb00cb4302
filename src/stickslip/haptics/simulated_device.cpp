#include "stickslip/haptics/simulated_device.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/haptics/known_devices.hpp"
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
      rotation_(together(model.rotation, operator_.hand.rotation)) {
  assert(translation_.mass > 0.0 && rotation_.mass > 0.0 && model.delay_s >= 0.0);
  model_.limits.mass = model.translation.mass;
  model_.limits.resolution = model.translation.resolution;
  model_.limits.damping = model.translation.damping;
  // its operator may go anywhere
  model_.limits.workspace_radius = 0.0;

  // a delay is some whole ticks, and a split within each
  const double delay_ticks = model.delay_s / model.limits.tick_s;
  const double whole_ticks = std::floor(delay_ticks + 1e-9);
  split_s_ = std::max(0.0, delay_ticks - whole_ticks) * model.limits.tick_s;
  if (split_s_ < 1e-6 * model.limits.tick_s) split_s_ = 0.0;
  wrenches_.assign(static_cast<std::size_t>(whole_ticks) + 2, Vec6::Zero());

  truth_.pose = operator_.intention.pose(0.0);
  set_truth(truth_);
}

void SimulatedDevice::set_truth(const Truth& truth) {
  truth_ = truth;
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
  std::shift_left(wrenches_.begin(), wrenches_.end(), 1);
  wrenches_.back() = within_limits(wrench, model_.limits);
  const double tick = model_.limits.tick_s;
  if (split_s_ > 0.0) move(wrenches_[0], split_s_);
  move(wrenches_[1], tick - split_s_);
  ++ticks_;
  truth_.time_s = static_cast<double>(ticks_) * tick;
  sense();
}

void SimulatedDevice::stop() {
  std::fill(wrenches_.begin(), wrenches_.end(), Vec6::Zero());
}

void SimulatedDevice::move(const Vec6& wrench, double duration) {
  const double end = truth_.time_s + duration;
  const Pose aim = operator_.intention.pose(truth_.time_s);
  const Pose aim_after = operator_.intention.pose(end);
  truth_.time_s = end;
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
  reading_.buttons = operator_.intention.buttons(truth_.time_s);
  ++reading_.sequence;
}

}  // namespace stickslip
