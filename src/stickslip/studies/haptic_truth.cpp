#include "stickslip/studies/haptic_truth.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/mesh/mass_properties.hpp"

namespace stickslip {

namespace {

constexpr double half_width = 0.008;  // [m]
constexpr double start_gap = 0.001;   // under the tool [m]
constexpr double resting = half_width + start_gap;
const Vec3 block_size(0.06, 0.06, 0.02);
// where the block is under the tool: no vertex of one lies over a vertex of the other [m]
const Vec3 block_shift(0.0013, 0.0007, 0.0);
constexpr double press_depth = 0.004;  // of the hand, beyond where the tool touches [m]
constexpr double poisson = 0.4;

/// A box of two by two by two, made round: its surface lies on the unit sphere.
Vec3 made_round(const Vec3& p) {
  const Vec3 s = p.cwiseAbs2();
  return {p.x() * std::sqrt(1.0 - 0.5 * s.y() - 0.5 * s.z() + s.y() * s.z() / 3.0),
          p.y() * std::sqrt(1.0 - 0.5 * s.z() - 0.5 * s.x() + s.z() * s.x() / 3.0),
          p.z() * std::sqrt(1.0 - 0.5 * s.x() - 0.5 * s.y() + s.x() * s.y() / 3.0)};
}

TetMesh make_tool_mesh(ToolShape shape) {
  const int cells = shape == ToolShape::ball ? 6 : 4;
  TetMesh tool = make_box(Vec3::Constant(2.0), {cells, cells, cells}, ElementType::tet4);
  for (Vec3& node : tool.nodes) {
    node -= Vec3::Ones();
    if (shape == ToolShape::ball) node = made_round(node);
    node *= half_width;
  }
  return tool;
}

Body make_tool(ToolShape shape, double young) {
  const TetMesh tool = make_tool_mesh(shape);
  const double density = bench_tool_mass / volume(tool);
  if (std::isinf(young)) {
    return make_rigid_body(extract_surface(tool), mass_properties(tool, density));
  }
  const DeformationModel model = make_elastic_model(tool, {young, poisson, density});
  return make_corotational_body(model, model.region_nodes("z1"), {});
}

Body make_floor(double young) {
  const TetMesh block = make_box(block_size, {10, 10, 4}, ElementType::tet4);
  if (std::isinf(young)) return make_fixed_body(extract_surface(block));
  const DeformationModel model = make_elastic_model(block, {young, poisson, 1000.0});
  return make_deformable_body(model, model.region_nodes("z0"), {});
}

Pose place_at(double x, double y, double z, double tilt = 0.0) {
  return {{x, y, z}, Quat(Eigen::AngleAxisd(tilt, Vec3::UnitY()))};
}

TrialSetup clamped(const TouchSetup& setup) {
  return {find_device_model("ideal"), *find_hand_model("clamped"), setup.mode, setup.ticks_per_step,
          setup.gains};
}

/// The same scene, stepped at every tick with the hand where it is then.
class SteppedTouch {
 public:
  explicit SteppedTouch(TouchSetup setup)
      : scene_([&] {
          setup.ticks_per_step = 1;
          setup.passes = 1;
          return make_touch_scene(setup);
        }()),
        state_(initial_state(scene_)),
        data_(scene_) {}

  /// Wrench on the hand.
  const Vec6& step_to(const Pose& hand) {
    data_.hand_inputs[0] = {.pose = hand, .wants_hold = true};
    step(scene_, state_, data_);
    return data_.hand_wrenches[0];
  }

 private:
  Scene scene_;
  State state_;
  StepData data_;
};

}  // namespace

std::string young_name(double young) {
  return std::isinf(young) ? "rigid" : fmt::format("{:g} Pa", young);
}

Scene make_touch_scene(const TouchSetup& setup) {
  Scene scene;
  scene.name = "touch";
  scene.simulation.dt = setup.ticks_per_step * bench_tick;
  scene.simulation.gravity.setZero();
  scene.simulation.alarm_distance = 3e-3;
  scene.simulation.contact_budget = 100;
  scene.simulation.passes = setup.passes;
  scene.bodies.push_back({.name = "floor",
                          .body = make_floor(setup.floor_young),
                          .position = block_shift - Vec3(0.5, 0.5, 1.0).cwiseProduct(block_size)});
  scene.bodies.push_back({.name = "tool",
                          .body = make_tool(setup.shape, setup.tool_young),
                          .position = {0.0, 0.0, resting}});
  scene.friction = MatX::Constant(2, 2, 0.5);
  Hand hand;
  hand.name = "right";
  hand.handles = {{1, {}}};
  hand.gains = setup.gains;
  scene.hands.push_back(hand);
  return scene;
}

StillTouch measure_still_touch(const TouchSetup& setup) {
  Intention intention(place_at(0.0, 0.0, resting));
  intention.hold(bench_wait_s).minimum_jerk_to(place_at(0.0, 0.0, half_width - press_depth), 0.3);
  intention.minimum_jerk_to(place_at(0.001, 0.0005, half_width - press_depth, 0.05), 0.2).hold(0.6);
  HapticTrial trial(make_touch_scene(setup), clamped(setup), intention);
  std::vector<Vec6> felt;
  const int count = bench_ticks(intention.duration_s());
  const int watched = 12 * setup.ticks_per_step;
  for (int k = 0; k < count; ++k) {
    const Vec6 wrench = trial.tick().record.wrench;
    if (k >= count - watched) felt.push_back(wrench);
  }

  StillTouch still;
  const Vec6 contact = trial.contact_wrench(1);
  Vec6 mean = Vec6::Zero();
  for (const Vec6& wrench : felt) mean += wrench / static_cast<double>(felt.size());
  still.contact_force = contact.head<3>().norm();
  still.felt_over_contact = mean.head<3>().dot(contact.head<3>()) / contact.head<3>().squaredNorm();
  for (const Vec6& wrench : felt) {
    const auto share = [&](int from) {
      return (wrench - contact).segment<3>(from).norm() / contact.segment<3>(from).norm();
    };
    still.force_error = std::max(still.force_error, share(0));
    still.torque_error = std::max(still.torque_error, share(3));
    still.ripple = std::max(still.ripple, (wrench - mean).head<3>().norm());
    still.torque_ripple = std::max(still.torque_ripple, (wrench - mean).tail<3>().norm());
  }
  return still;
}

RecordedMotion record_touch() {
  TouchSetup setup;
  setup.floor_young = 1e5;
  // the hand gives way: it has to want more than the handle is to do
  constexpr double depth = 0.006;
  constexpr double reach = 0.012;
  constexpr double low = half_width - depth;
  Intention intention(place_at(0.0, 0.0, resting));
  intention.hold(bench_wait_s).minimum_jerk_to(place_at(0.0, 0.0, low), 0.4).hold(0.2);
  intention.minimum_jerk_to(place_at(reach, 0.0, low), 0.6)
      .minimum_jerk_to(place_at(0.0, reach, low), 0.8);
  intention.minimum_jerk_to(place_at(0.0, 0.0, low - 0.003, 0.1), 0.5).hold(0.1);
  intention.minimum_jerk_to(place_at(-reach, 0.0, low, -0.1), 0.6)
      .minimum_jerk_to(place_at(0.0, 0.0, low), 0.6);
  intention.minimum_jerk_to(place_at(0.0, 0.0, resting), 0.3);
  HapticTrial trial(make_touch_scene(setup),
                    {find_device_model("phantom"), *find_hand_model("medium"),
                     RenderingMode::resolved, 1, setup.gains},
                    intention);
  RecordedMotion motion;
  for (int k = 0; k < bench_ticks(intention.duration_s() + 0.1); ++k) {
    motion.push_back({k * bench_tick, trial.tick().truth, 0});
  }
  return motion;
}

std::vector<Vec6> stepped_wrenches(const TouchSetup& setup, const RecordedMotion& motion) {
  SteppedTouch stepped(setup);
  std::vector<Vec6> wrenches;
  for (const Intention::Row& row : motion) wrenches.push_back(stepped.step_to(row.pose));
  return wrenches;
}

FollowedTouch measure_followed_touch(const TouchSetup& setup, const RecordedMotion& motion,
                                     std::span<const Vec6> stepped) {
  HapticTrial trial(make_touch_scene(setup), clamped(setup), Intention::from_rows(motion));
  FollowedTouch followed;
  double squares = 0.0;
  double torque_squares = 0.0;
  for (std::size_t k = 0; k < motion.size(); ++k) {
    const TickRecord& record = trial.tick().record;
    const Vec6& truth = stepped[k];
    if (static_cast<int>(k) < bench_ticks(bench_wait_s)) continue;
    const Vec6 difference = record.wrench - truth;
    followed.peak = std::max(followed.peak, truth.head<3>().norm());
    followed.torque_peak = std::max(followed.torque_peak, truth.tail<3>().norm());
    followed.largest = std::max(followed.largest, difference.head<3>().norm());
    followed.torque_largest = std::max(followed.torque_largest, difference.tail<3>().norm());
    squares += difference.head<3>().squaredNorm();
    torque_squares += difference.tail<3>().squaredNorm();
  }
  const auto count = static_cast<double>(motion.size() - uz(bench_ticks(bench_wait_s)));
  followed.torque_peak = std::max(followed.torque_peak, handle_lever * followed.peak);
  followed.rms = std::sqrt(squares / count) / followed.peak;
  followed.largest /= followed.peak;
  followed.torque_rms = std::sqrt(torque_squares / count) / followed.torque_peak;
  followed.torque_largest /= followed.torque_peak;
  return followed;
}

FirstTouch measure_first_touch(const TouchSetup& setup, double speed) {
  constexpr double high = resting + 0.04;
  constexpr double low = half_width - press_depth;
  FirstTouch worst;
  // the surface may be reached at any moment of a step
  const int phases = std::min(4, setup.ticks_per_step);
  for (int phase = 0; phase < phases; ++phase) {
    Intention intention(place_at(0.0, 0.0, resting));
    intention.hold(bench_wait_s).minimum_jerk_to(place_at(0.0, 0.0, high), 0.4);
    intention.hold(0.2 + bench_tick * phase * setup.ticks_per_step / phases);
    const double from_s = intention.duration_s();
    intention.ramp_to(place_at(0.0, 0.0, low), (high - low) / speed).hold(0.2);
    HapticTrial trial(make_touch_scene(setup), clamped(setup), intention);
    SteppedTouch stepped(setup);
    std::vector<double> felt;
    std::vector<double> truth;
    for (int k = 0; k < bench_ticks(intention.duration_s()); ++k) {
      const TickRecord& record = trial.tick().record;
      const Vec6& wrench = stepped.step_to(record.device);
      // from where the hand is beyond the surface on
      if (k < bench_ticks(from_s) || record.device.position.z() > half_width) continue;
      felt.push_back(record.wrench.head<3>().norm());
      truth.push_back(wrench.head<3>().norm());
    }
    const double peak = *std::max_element(truth.begin(), truth.end());
    const auto onset = [&](const std::vector<double>& force) {
      const auto found = std::find_if(force.begin(), force.end(),
                                      [&](double value) { return value > 0.1 * peak; });
      return static_cast<double>(found - force.begin()) * bench_tick;
    };
    worst.delay_s = std::max(worst.delay_s, onset(felt) - onset(truth));
    worst.peak_ratio =
        std::max(worst.peak_ratio, *std::max_element(felt.begin(), felt.end()) / peak);
  }
  return worst;
}

}  // namespace stickslip
