#include "stickslip/haptics/stability/tool_stability.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <vector>

#include "stickslip/haptics/stability/sampled_axis.hpp"

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
  explicit LinearLoop(const CoupledTool& tool)
      : tool_(tool),
        axis_(tool.device.mass + tool.hand.mass, tool.device.damping + tool.hand.damping,
              tool.hand.stiffness, tool.tick_s, tool.delay_s),
        forces_(uz(axis_.whole_ticks) + 1) {}

  /// How many numbers describe it: those of a tick, and the forces on their way.
  std::size_t size() const { return count + forces_.size(); }

  /// What is left after a period of the simulation of one unit of a number.
  void period(std::size_t unit, double* after) {
    Numbers numbers{};
    std::fill(forces_.begin(), forces_.end(), 0.0);
    (unit < count ? numbers[unit] : forces_[unit - count]) = 1.0;
    auto now = std::bit_cast<LoopNumbers>(numbers);
    for (int phase = 0; phase < tool_.ticks_per_step; ++phase) tick(now, phase);
    numbers = std::bit_cast<Numbers>(now);
    std::copy(forces_.begin(), forces_.end(), std::copy(numbers.begin(), numbers.end(), after));
  }

 private:
  /// A tick, so many after the simulation has read the hand.
  void tick(LoopNumbers& now, int phase) {
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
    // forces on their way from new to old; the oldest of them and the next act in this tick
    const double older = forces_.back();
    std::shift_right(forces_.begin(), forces_.end(), 1);
    const double younger = forces_.size() > 1 ? forces_.back() : force;
    forces_.front() = force;
    const Eigen::Vector2d moved = axis_.transition * Eigen::Vector2d(read, now.v) +
                                  axis_.older * older + axis_.younger * younger;
    now.x = moved[0];
    now.v = moved[1];
    if (phase == 0) step(now, read);
  }

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
  SampledAxis axis_;
  std::vector<double> forces_;
};

}  // namespace

double spectral_radius(const CoupledTool& tool) {
  assert(tool.latency_ticks >= 1 && tool.latency_ticks <= tool.ticks_per_step);
  LinearLoop loop(tool);
  const auto size = static_cast<Eigen::Index>(loop.size());
  MatX period(size, size);
  for (Eigen::Index i = 0; i < size; ++i) loop.period(uz(i), period.col(i).data());
  if (!period.allFinite()) return std::numeric_limits<double>::infinity();
  return period.eigenvalues().cwiseAbs().maxCoeff();
}

bool is_stable(const CoupledTool& tool) {
  return spectral_radius(tool) < 1.0 + 1e-6;
}

}  // namespace stickslip
