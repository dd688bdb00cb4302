#include "stickslip/haptics/stability/tool_stability.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "stickslip/haptics/stability/spring_stability.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/simulation/haptic_session.hpp"

namespace stickslip {
namespace {

DeviceModel smooth(const std::string& name) {
  DeviceModel model = find_device_model(name);
  for (DeviceAxis* axis : {&model.translation, &model.rotation}) {
    axis->friction = 0.0;
    axis->resolution = 0.0;
  }
  return model;
}

/// A rigid cube of a mass in free space, in reach of a hand.
Scene free_tool(double mass, double dt, const CouplingGains& gains) {
  constexpr double size = 0.02;
  const TetMesh cube = make_box(Vec3::Constant(size), {1, 1, 1}, ElementType::tet4);
  Scene scene;
  scene.simulation.dt = dt;
  scene.simulation.gravity.setZero();
  scene.bodies.push_back({.name = "tool",
                          .body = make_rigid_body(extract_surface(cube),
                                                  mass_properties(cube, mass / std::pow(size, 3))),
                          .position = Vec3::Constant(-0.5 * size)});
  scene.friction = MatX::Zero(1, 1);
  Hand hand;
  hand.name = "right";
  hand.handles = {{0, {}}};
  hand.gains = gains;
  scene.hands.push_back(hand);
  return scene;
}

/// Whether what a hand feels grows after a small push on the device, in the whole haptic loop.
bool grows(const CoupledTool& tool, const DeviceModel& model, const HandModel& hand) {
  const CouplingGains gains{tool.stiffness, tool.damping, 1.0, 1e-3};
  const Scene scene = free_tool(tool.mass, tool.ticks_per_step * tool.tick_s, gains);
  State state = initial_state(scene);
  StepData data(scene);
  const auto device = std::make_shared<SimulatedDevice>(model, Operator{hand, Intention()});
  HandSetup setup;
  setup.device = device;
  setup.starts_holding = true;
  LoopOptions options;
  options.tick = tool.tick_s;
  options.rendering.mode = tool.mode;
  options.passivity.is_on = false;
  HapticSession session(scene, state, data, {setup}, options);
  TurnTaking turns(session, tool.latency_ticks);
  // pushed once the force has its full strength
  constexpr int start = 400;
  constexpr int window = 6000;
  std::array<double, 3> squares{};
  for (int k = 0; k < start; ++k) turns.tick();
  SimulatedDevice::Truth pushed = device->truth();
  pushed.velocity.x() = 1e-6;
  device->set_truth(pushed);
  for (int k = 0; k < 3 * window; ++k) {
    turns.tick();
    const double force = session.loop().records()[0].wrench[0];
    squares[uz(k / window)] += force * force;
    // far beyond doubt, before the loop takes it for a broken device
    if (std::abs(force) > 1e-2) return true;
  }
  // what has died out is rounding
  return squares[2] > squares[1] && squares[2] > 1e-9 * squares[0];
}

/// The first stiffness that is not stable, with the damping that is chosen for it.
double largest_stable(CoupledTool tool) {
  const auto holds = [&](double stiffness) {
    tool.stiffness = stiffness;
    tool.damping = stiffness * tool.tick_s;
    return is_stable(tool);
  };
  double low = 1.0;
  double high = low;
  while (holds(high)) {
    low = high;
    high *= 1.1;
    if (high > 1e6) return std::numeric_limits<double>::infinity();
  }
  while (high - low > 1e-4 * low) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

TEST(ToolStability, TheHapticLoopTurnsUnstableWhereTheEigenvaluesSay) {
  int found = 0;
  for (const RenderingMode mode : {RenderingMode::resolved, RenderingMode::plain}) {
    for (const int ticks_per_step : {1, 3, 10}) {
      for (const double mass : {0.01, 0.3, 2.0}) {
        for (const char* hand_name : {"none", "light"}) {
          const DeviceModel model = smooth("phantom");
          const HandModel& hand = *find_hand_model(hand_name);
          CoupledTool tool{.device = model.translation,
                           .hand = hand.translation,
                           .mass = mass,
                           .ticks_per_step = ticks_per_step,
                           .latency_ticks = (ticks_per_step + 1) / 2,
                           .mode = mode};
          SCOPED_TRACE(std::string(mode == RenderingMode::plain ? "plain" : "resolved") + ", " +
                       std::to_string(ticks_per_step) + " ticks a step, " + std::to_string(mass) +
                       " kg, " + hand_name);
          const double largest = std::min(1e5, largest_stable(tool));
          if (largest < 1e5) ++found;
          for (const double share : {0.97, 1.03}) {
            if (share > 1.0 && largest == 1e5) continue;
            tool.stiffness = share * largest;
            tool.damping = tool.stiffness * tool.tick_s;
            EXPECT_EQ(grows(tool, model, hand), share > 1.0)
                << tool.stiffness << " N/m, eigenvalue " << spectral_radius(tool);
          }
        }
      }
    }
  }
  EXPECT_GT(found, 20);
}

TEST(ToolStability, ABodyThatHardlyMovesIsAWall) {
  for (const RenderingMode mode : {RenderingMode::resolved, RenderingMode::plain}) {
    const DeviceAxis device = smooth("phantom").translation;
    const HandAxis hand = find_hand_model("light")->translation;
    const CoupledTool tool{.device = device,
                           .hand = hand,
                           .mass = 1e6,
                           .ticks_per_step = 3,
                           .latency_ticks = 1,
                           .mode = mode};
    const double largest = largest_stable(tool);
    SampledSpring wall{.device = device, .hand = hand};
    for (const double share : {0.999, 1.001}) {
      wall.stiffness = share * largest;
      wall.damping = wall.stiffness * wall.tick_s;
      EXPECT_EQ(spectral_radius(wall) < 1.0, share < 1.0) << largest;
    }
  }
}

}  // namespace
}  // namespace stickslip
