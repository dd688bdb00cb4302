#include "stickslip/devices/mouse_device.hpp"

#include <cmath>
#include <utility>

namespace stickslip {

namespace {

/// Between two poses of a pointer at 60 a second. [s]
constexpr double follow_s = 0.015;
constexpr double fastest = 1.0;       // [m/s]
constexpr double fastest_turn = 8.0;  // [rad/s]
/// Of a press, and of the pause after it. [s]
constexpr double press_s = 0.02;
/// After it was put elsewhere: longer than forces stay cut for that. [s]
constexpr double rest_s = 0.15;

DeviceLimits mouse_limits(double tick_s) {
  DeviceLimits limits;
  limits.name = "mouse";
  limits.actuated_dofs = 6;
  limits.peak_force = 50.0;
  limits.peak_torque = 2.0;
  limits.stiffness = 1000.0;
  limits.tick_s = tick_s;
  return limits;
}

}  // namespace

MouseDevice::MouseDevice(const Pose& start, double tick_s)
    : limits_(mouse_limits(tick_s)), tick_s_(tick_s) {
  reading_.position = start.position;
  reading_.orientation = start.orientation;
}

MouseDevice::MouseDevice(std::shared_ptr<Device> before, double tick_s)
    : limits_(before->limits()), before_(std::move(before)), tick_s_(tick_s) {}

void MouseDevice::take() {
  wish_.is_taken = true;
  wish_.is_led = false;
  wishes_.publish(wish_);
}

void MouseDevice::lead(const Pose& pose) {
  wish_.pose = pose;
  wish_.is_led = wish_.is_taken;
  wishes_.publish(wish_);
}

void MouseDevice::press() {
  ++wish_.presses;
  wishes_.publish(wish_);
}

void MouseDevice::place(const Pose& pose) {
  ++wish_.places;
  lead(pose);
}

void MouseDevice::follow(const Pose& target) {
  const Pose from{reading_.position, reading_.orientation};
  Vec6 step = (1.0 - std::exp(-tick_s_ / follow_s)) * displacement_between(from, target);
  step.head<3>() = shortened(step.head<3>(), fastest * tick_s_);
  step.tail<3>() = shortened(step.tail<3>(), fastest_turn * tick_s_);
  const Pose to = moved_by(from, step);
  reading_.position = to.position;
  reading_.orientation = to.orientation;
  reading_.velocity = step.head<3>() / tick_s_;
  reading_.angular_velocity = step.tail<3>() / tick_s_;
}

bool MouseDevice::read(DeviceReading& reading) {
  wishes_.refresh();
  const Wish& wish = wishes_.value();
  if (before_ && !wish.is_taken) {
    const bool is_there = before_->read(reading_);
    reading = reading_;
    return is_there;
  }

  if (std::exchange(places_, wish.places) != wish.places) {
    reading_.position = wish.pose.position;
    reading_.orientation = wish.pose.orientation;
    rest_ticks_ = static_cast<int>(std::ceil(rest_s / tick_s_));
    reading = reading_;
    return false;
  }
  // where it was left when it was taken, it stays until it is led
  const bool rests = rest_ticks_ > 0;
  if (rests) --rest_ticks_;
  follow(wish.is_led && !rests ? wish.pose : Pose{reading_.position, reading_.orientation});
  ++reading_.sequence;

  // one press after the other
  const int ticks = static_cast<int>(std::ceil(press_s / tick_s_));
  if (press_ticks_ == 0 && presses_ != wish.presses) {
    ++presses_;
    press_ticks_ = 2 * ticks;
  }
  reading_.buttons = press_ticks_ > ticks ? default_grab_button : 0;
  if (press_ticks_ > 0) --press_ticks_;
  reading = reading_;
  return true;
}

void MouseDevice::write(const Vec6& wrench) {
  if (before_ && !wishes_.value().is_taken) before_->write(wrench);
}

void MouseDevice::stop() {
  if (before_) before_->stop();
}

void MouseDevice::follow(const SceneTime* scene) {
  if (before_) before_->follow(scene);
}

}  // namespace stickslip
