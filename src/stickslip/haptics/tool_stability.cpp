#include "stickslip/haptics/tool_stability.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>

#include "stickslip/haptics/axis_motion.hpp"

namespace stickslip {

namespace {

/// A step of the simulation as the loop knows it.
struct KnownStep {
  double start = 0.0;     ///< of the tool
  double velocity = 0.0;  ///< of it, at the start
  double target = 0.0;    ///< of the grip, at the start
  double end = 0.0;
};

/// All that one tick leaves to the next.
struct LoopNumbers {
  // the handle
  double x = 0.0;
  double v = 0.0;
  double x_before = 0.0;
  // the tool in the simulation, and the target that the last step led it to
  double q = 0.0;
  double w = 0.0;
  double target = 0.0;
  // the step that the loop renders, and the one that is on its way to it
  KnownStep known;
  KnownStep coming;
  double grip = 0.0;
  double bridge = 0.0;
};
constexpr std::size_t count = sizeof(LoopNumbers) / sizeof(double);
using Numbers = std::array<double, count>;

/// The loop of a coupled tool; linear, so that its motions from unit states are its matrix.
class LinearLoop {
 public:
  explicit LinearLoop(const CoupledTool& tool) : tool_(tool) {
    const AxisDynamics axis{tool.device.mass + tool.hand.mass,
                            tool.device.damping + tool.hand.damping, tool.hand.stiffness};
    from_x_ = AxisState{1.0, 0.0};
    from_v_ = AxisState{0.0, 1.0};
    advance(axis, 0.0, 0.0, tool.tick_s, from_x_);
    advance(axis, 0.0, 0.0, tool.tick_s, from_v_);
    advance(axis, 1.0, 0.0, tool.tick_s, from_force_);
  }

  /// A tick, so many after the simulation has read the hand.
  void tick(LoopNumbers& now, int phase) const {
    const double T = tool_.tick_s;
    const bool is_resolved = tool_.mode == RenderingMode::resolved;
    const bool is_update = phase == tool_.latency_ticks % tool_.ticks_per_step;

    // where the step known so far has the grip, and where a new one does
    const int since = phase < tool_.latency_ticks ? phase + tool_.ticks_per_step : phase;
    const double at_last_tick = now.grip;
    const double before_update =
        rendered(now.known, is_update ? tool_.latency_ticks + tool_.ticks_per_step : since, now.x);
    now.grip = before_update;
    if (is_update) {
      now.known = now.coming;
      now.grip = rendered(now.known, tool_.latency_ticks, now.x);
    }
    now.bridge = bridge_left(tool_.mode, dt(), T) * (now.bridge - (now.grip - before_update));

    // the coupling, over this tick
    const double hand_velocity = (now.x - now.x_before) / T;
    const double grip_velocity = ((is_resolved ? before_update : now.grip) - at_last_tick) / T;
    const double force = -tool_.stiffness * (now.x - now.grip - now.bridge) -
                         tool_.damping * (hand_velocity - grip_velocity);
    const double read = now.x;
    now.x_before = read;
    now.x = from_x_.position * read + from_v_.position * now.v + from_force_.position * force;
    now.v = from_x_.velocity * read + from_v_.velocity * now.v + from_force_.velocity * force;
    if (phase == 0) step(now, read);
  }

 private:
  double dt() const { return tool_.ticks_per_step * tool_.tick_s; }

  /// Where the tool gets from the start of a step, led by a target for so long.
  double led(const KnownStep& step, double duration, double target) const {
    const double A_eff =
        tool_.mass / (duration * duration) + tool_.damping / duration + tool_.stiffness;
    const double pull = tool_.mass * step.velocity / duration +
                        tool_.stiffness * (target - step.start) +
                        tool_.damping * (target - step.target) / duration;
    return step.start + pull / A_eff;
  }

  double rendered(const KnownStep& step, int age_ticks, double target) const {
    if (tool_.mode == RenderingMode::plain) return step.end;
    return led(step, foreseen_duration(dt(), age_ticks * tool_.tick_s, tool_.tick_s), target);
  }

  void step(LoopNumbers& now, double hand) const {
    now.coming = {now.q, now.w, now.target, 0.0};
    now.coming.end = led(now.coming, dt(), hand);
    now.w = (now.coming.end - now.q) / dt();
    now.q = now.coming.end;
    now.target = hand;
  }

  CoupledTool tool_;
  // the handle a tick later, from a unit of each
  AxisState from_x_;
  AxisState from_v_;
  AxisState from_force_;
};

}  // namespace

double spectral_radius(const CoupledTool& tool) {
  assert(tool.latency_ticks >= 1 && tool.latency_ticks <= tool.ticks_per_step);
  const LinearLoop loop(tool);
  Eigen::Matrix<double, count, count> period;
  for (std::size_t i = 0; i < count; ++i) {
    Numbers unit{};
    unit[i] = 1.0;
    auto numbers = std::bit_cast<LoopNumbers>(unit);
    for (int phase = 0; phase < tool.ticks_per_step; ++phase) loop.tick(numbers, phase);
    unit = std::bit_cast<Numbers>(numbers);
    std::copy(unit.begin(), unit.end(), period.col(static_cast<Eigen::Index>(i)).begin());
  }
  return period.eigenvalues().cwiseAbs().maxCoeff();
}

bool is_stable(const CoupledTool& tool) {
  return spectral_radius(tool) < 1.0 + 1e-6;
}

}  // namespace stickslip
