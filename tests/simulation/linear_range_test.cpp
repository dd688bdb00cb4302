#include "stickslip/simulation/linear_range.hpp"

#include <gtest/gtest.h>

#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

/// A bar held at one end and stretched evenly.
struct Stretched {
  Stretched() {
    const DeformationModel model = make_elastic_model(
        make_box({0.1, 0.01, 0.01}, {10, 1, 1}, ElementType::tet4), {1e6, 0.0, 1000.0});
    scene.bodies.push_back(
        {.name = "bar", .body = make_deformable_body(model, model.region_nodes("x0"), {})});
    scene.simulation.duration = 5.0;
    scene.friction = MatX::Zero(1, 1);
    state = initial_state(scene);
  }
  void stretch(double strain) {
    const Surface& surface = scene.bodies[0].body.surface();
    for (int i = 0; i < surface.point_count(); ++i) {
      state.bodies[0].deformation.u.own()[3 * i] = strain * (surface.points[uz(i)].x() + 0.05);
    }
  }
  Scene scene;
  State state;
};

TEST(LinearRange, EndsAtItsStrain) {
  Stretched bar;
  LinearRangeWatch watch(bar.scene, LinearRangeWatch::Pace::every_state);
  bar.stretch(0.9 * linear_strain);
  watch.add(bar.scene, bar.state);
  EXPECT_NEAR(watch.worst()[0].strain, 0.9 * linear_strain, 1e-12);
  EXPECT_TRUE(linear_range_warnings(bar.scene, watch.worst()).empty());
  bar.stretch(1.1 * linear_strain);
  watch.add(bar.scene, bar.state);
  bar.stretch(0.0);
  watch.add(bar.scene, bar.state);
  const std::vector<std::string> warnings = linear_range_warnings(bar.scene, watch.worst());
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0].find("body bar: strain 2.2 %, rotation 0.0 degrees"), 0U) << warnings[0];
}

TEST(LinearRange, IsLookedAtNowAndThenInARun) {
  // at most five milliseconds apart, a thousandth of the duration
  Stretched bar;
  LinearRangeWatch watch(bar.scene, LinearRangeWatch::Pace::now_and_then);
  watch.add(bar.scene, bar.state);
  bar.stretch(0.1);
  bar.state.time_s = 0.0049;
  watch.add(bar.scene, bar.state);
  EXPECT_LT(watch.worst()[0].strain, 1e-12);
  bar.state.time_s = 0.0051;
  watch.add(bar.scene, bar.state);
  EXPECT_NEAR(watch.worst()[0].strain, 0.1, 1e-12);
}

}  // namespace
}  // namespace stickslip
