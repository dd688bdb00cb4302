// Steps that meet a number that is not finite.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/probe_readings.hpp"
#include "stickslip/simulation/state_numbers.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/held_tool.hpp"

namespace stickslip {
namespace {

using testing_support::at;
using testing_support::step_with_hand;
using testing_support::tool_scene;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

/// All that a step tells: nothing pushes, and every number is one.
void expect_told_nothing(const Scene& scene, const State& state, const StepData& data) {
  EXPECT_TRUE(data.report.was_restored);
  for (const Vec6& wrench : data.hand_wrenches) EXPECT_TRUE(wrench.isZero(0.0));
  std::vector<ContactReport> contacts;
  report_contacts(scene, state, data, contacts);
  for (const ContactReport& contact : contacts) EXPECT_TRUE(contact.force.isZero(0.0));
  std::vector<ProbeReading> readings(scene.probes.size());
  update_readings(scene, state, data, readings);
  for (const ProbeReading& reading : readings) EXPECT_TRUE(reading.force.isZero(0.0));
  EXPECT_TRUE(std::isfinite(data.report.error));
  EXPECT_TRUE(std::isfinite(data.report.penetration_m));
  EXPECT_TRUE(std::isfinite(data.report.energy.total));
  std::vector<double> numbers;
  write_numbers(state, numbers);
  for (const double number : numbers) EXPECT_TRUE(std::isfinite(number));
}

TEST(Restore, AHandThatIsNowhereFeelsNothingAndGoesOnWithTheNextStep) {
  for (const double value : {nan, infinite, -infinite}) {
    for (const bool restarts : {false, true}) {
      Scene scene = tool_scene(3e-3, 0.0, 0.5);
      scene.probes = {{.name = "tool", .body = 1}};
      State state = initial_state(scene);
      StepData data(scene);
      Vec6 pressed = Vec6::Zero();
      for (int k = 0; k < 50; ++k) {
        pressed =
            step_with_hand(scene, state, data, at(0.0, 0.0, 0.01 - 1e-3 * std::min(1.0, 0.05 * k)));
      }
      EXPECT_NEAR(pressed[2], 2.0, 0.01);

      Pose nowhere = at(value, 0.0, 0.009);
      nowhere.orientation.x() = value;
      data.hand_inputs[0] = {.pose = nowhere, .wants_hold = true, .restarts = restarts};
      step(scene, state, data);
      expect_told_nothing(scene, state, data);

      const Vec6 after = step_with_hand(scene, state, data, at(0.0, 0.0, 0.009));
      EXPECT_FALSE(data.report.was_restored);
      EXPECT_NEAR(after[2], 2.0, 0.1);
    }
  }
}

TEST(Restore, ADriveThatIsToldNothingSensibleGoesOnWithTheNextStep) {
  for (const DriveKind kind : {DriveKind::motion, DriveKind::force, DriveKind::spring}) {
    Scene scene = tool_scene(3e-3, 0.01, 0.5);
    scene.hands.clear();
    Drive drive;
    drive.body = 1;
    drive.kind = kind;
    drive.stiffness = 1000.0;
    drive.damping = 1.0;
    scene.drives.push_back(drive);
    State state = initial_state(scene);
    StepData data(scene);
    step(scene, state, data);
    data.inputs[0].value.setConstant(nan);
    data.inputs[0].is_given = true;
    step(scene, state, data);
    expect_told_nothing(scene, state, data);
    data.inputs[0].value.setZero();
    step(scene, state, data);
    EXPECT_FALSE(data.report.was_restored) << static_cast<int>(kind);
  }
}

/// The deformation of another body, which sometimes is not a number.
class SickDeformation : public Deformation {
 public:
  explicit SickDeformation(Body well) : well_(std::move(well)) {}
  DeformationState rest() const override { return model().rest(); }
  std::unique_ptr<Step> make_step(int max_points) const override {
    return model().make_step(max_points);
  }
  void compute_free_motion(const DeformationState& state, std::span<const double> load_weights,
                           double dt, Step& step) const override {
    model().compute_free_motion(state, load_weights, dt, step);
    if (*is_sick) step.u_free.own()[0] = nan;
  }
  void compute_compliance(const NodeShares& points, Step& step, Eigen::Ref<MatX> C) const override {
    model().compute_compliance(points, step, C);
    if (*is_sick && C.size() > 0) C(0, 0) = nan;
  }
  void correct(std::span<const SurfacePoint> points, std::span<const Vec3> forces, Step& step,
               DeformationState& state) const override {
    model().correct(points, forces, step, state);
    if (*is_sick) state.u.own()[0] = nan;
  }

  std::shared_ptr<bool> is_sick = std::make_shared<bool>(false);

 private:
  const Deformation& model() const { return *well_.deformation(); }
  Body well_;
};

TEST(Restore, ADeformationOfAUserThatFailsPushesNobody) {
  Scene scene = tool_scene(3e-3, 0.0, 0.5);
  scene.simulation.passes = 3;
  const TetMesh mesh = make_box({0.06, 0.06, 0.02}, {3, 3, 1}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, Material{1e5, 0.4, 1000.0});
  const Body well = make_deformable_body(model, model.region_nodes("z0"), {});
  const auto sick = std::make_shared<SickDeformation>(well);
  scene.bodies[0].body = Body(well.surface(), Vec3::Zero(), well.frame(), sick);
  scene.bodies[0].position = {0.0, 0.0, -0.01};
  State state = initial_state(scene);
  StepData data(scene);
  Vec6 pressed = Vec6::Zero();
  const auto press = [&](int steps) {
    for (int k = 0; k < steps; ++k) {
      pressed = step_with_hand(scene, state, data, at(0.0, 0.0, 0.007));
    }
  };
  step_with_hand(scene, state, data, at(0.0, 0.0, 0.01));
  press(60);
  EXPECT_GT(pressed[2], 0.5);
  EXPECT_FALSE(data.report.was_restored);
  *sick->is_sick = true;
  press(3);
  expect_told_nothing(scene, state, data);
  *sick->is_sick = false;
  const double before = pressed[2];
  press(60);
  EXPECT_EQ(before, 0.0);
  EXPECT_FALSE(data.report.was_restored);
  EXPECT_GT(pressed[2], 0.5);
}

}  // namespace
}  // namespace stickslip
