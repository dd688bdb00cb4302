#include "stickslip/studies/haptic_trial.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stickslip/mesh/mass_properties.hpp"

namespace stickslip {

namespace {

constexpr double floor_size = 0.4;  // [m]
constexpr double floor_depth = 0.02;
/// Of a hand whose contacts are to be foreseen. [m/s]
constexpr double fast_hand = 0.5;

std::vector<HandSetup> held(const std::shared_ptr<SimulatedDevice>& device) {
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  return {setup};
}

LoopOptions loop_options(RenderingMode mode) {
  LoopOptions options;
  options.tick = bench_tick;
  options.rendering.mode = mode;
  // the coupling itself is looked at, not what takes it back where it swings
  options.oscillation.is_on = false;
  return options;
}

}  // namespace

CouplingGains bench_gains(double stiffness) {
  return {stiffness, stiffness * bench_tick, 1.0, 0.002};
}

Scene make_tool_scene(double dt, const CouplingGains& gains) {
  Scene scene;
  scene.name = "haptic bench";
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  // what a step foresees has to last until the next one comes
  scene.simulation.alarm_distance = std::max(5e-3, fast_hand * 2.0 * dt);
  scene.simulation.contact_budget = 40;
  const TetMesh floor =
      make_box({floor_size, floor_size, floor_depth}, {1, 1, 1}, ElementType::tet4);
  const TetMesh tool = make_box(Vec3::Constant(bench_tool_size), {1, 1, 1}, ElementType::tet4);
  const double density = bench_tool_mass / std::pow(bench_tool_size, 3);
  scene.bodies.push_back({.name = "floor",
                          .body = make_fixed_body(extract_surface(floor)),
                          .position = {-0.5 * floor_size, -0.5 * floor_size, -floor_depth}});
  scene.bodies.push_back(
      {.name = "tool",
       .body = make_rigid_body(extract_surface(tool), mass_properties(tool, density)),
       .position = {-0.5 * bench_tool_size, -0.5 * bench_tool_size, bench_tool_start}});
  scene.friction = MatX::Constant(2, 2, 0.5);
  Hand hand;
  hand.name = "right";
  hand.handles = {{1, {}}};
  hand.gains = gains;
  scene.hands.push_back(hand);
  return scene;
}

HapticTrial::HapticTrial(Scene scene, const TrialSetup& setup, const Intention& intention)
    : scene_(std::move(scene)),
      state_(initial_state(scene_)),
      data_(scene_),
      device_(std::make_shared<SimulatedDevice>(setup.device, Operator{setup.hand, intention})),
      session_(scene_, state_, data_, held(device_), loop_options(setup.mode)),
      turns_(session_) {
  now_.truth = device_->truth().pose;
}

const TrialTick& HapticTrial::tick() {
  turns_.tick();
  now_.record = session_.loop().records()[0];
  // the wrench just written was held while the device moved on
  const Pose before = std::exchange(now_.truth, device_->truth().pose);
  now_.port_energy -= now_.record.wrench.dot(displacement_between(before, now_.truth));
  const std::uint64_t number = session_.loop().steps().value().number;
  now_.is_update = std::exchange(step_number_, number) != number;
  return now_;
}

}  // namespace stickslip
