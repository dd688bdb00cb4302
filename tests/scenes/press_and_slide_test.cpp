#include <fmt/core.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "stickslip/simulation/contact_report.hpp"
#include "tests/scenes/scene_run.hpp"

namespace stickslip {
namespace {

using testing_support::SceneRun;

// when the pad has come to rest under 10 N; is held under 2.5 N across; has been lifted
constexpr double pressed = 0.19;
constexpr double held = 0.5;
constexpr double lifted = 0.9;
constexpr double force = 10.0;

struct PressAndSlide : SceneRun {
  explicit PressAndSlide(const std::string& method, std::vector<std::string> overrides = {})
      : SceneRun("press_and_slide", with_method(method, std::move(overrides))) {}

  static std::vector<std::string> with_method(const std::string& method,
                                              std::vector<std::string> overrides) {
    overrides.push_back("simulation.contact_method=" + method);
    return overrides;
  }

  double sum_of_overlaps() const {
    double sum = 0.0;
    for (const ContactReport& contact : contacts()) sum += std::max(0.0, -contact.gap);
    return sum;
  }

  /// Speed at which the pad creeps while it is held. [m/s]
  double creep() {
    run(held);
    const Vec3 start = frame("pad").position;
    run(0.2);
    return (frame("pad").position - start).norm() / 0.2;
  }
};

TEST(PressAndSlide, ExactMethodNeitherPenetratesNorPullsNorCreeps) {
  PressAndSlide exact("exact");
  EXPECT_LT(exact.creep(), 1e-9);
  exact.run(lifted - held - 0.2);
  EXPECT_LT(exact.summary.penetration_max(), 1e-9);
  EXPECT_EQ(exact.summary.adhesion_max(), 0.0);
  EXPECT_LT(exact.summary.cone_excess_max(), 1e-12);
  EXPECT_LT(exact.summary.energy().largest_unexplained_gain, 1e-9);
}

TEST(PressAndSlide, PenaltyPenetratesByForceOverStiffness) {
  // all overlaps together carry the force
  const auto overlaps = [](const std::string& method, double k) {
    PressAndSlide penalty(method, {fmt::format("simulation.penalty_stiffness={}", k)});
    penalty.run(pressed);
    return penalty.sum_of_overlaps();
  };
  EXPECT_NEAR(overlaps("penalty-explicit", 300.0), force / 300.0, 1e-3 * force / 300.0);
  for (const double k : {1e3, 1e4, 1e6}) {
    EXPECT_NEAR(overlaps("penalty-implicit", k), force / k, 1e-3 * force / k);
  }
}

TEST(PressAndSlide, StiffPenaltyIsUnstableWhenExplicit) {
  const auto worst_force = [](const std::string& method) {
    PressAndSlide penalty(method, {"simulation.penalty_stiffness=1e4"});
    penalty.run(0.15);
    double worst = 0.0;
    for (int k = 0; k < 50; ++k) {
      penalty.advance();
      worst = std::max(worst, std::abs(penalty.force_on("pad").z() - force));
    }
    return worst;
  };
  EXPECT_GT(worst_force("penalty-explicit"), force);
  EXPECT_LT(worst_force("penalty-implicit"), 1e-3);
}

TEST(PressAndSlide, PenaltyFallsThroughWhereItIsSofterThanTheAlarmDistanceBears) {
  PressAndSlide penalty("penalty-explicit",
                        {"simulation.penalty_stiffness=300", "simulation.alarm_distance=0.001"});
  penalty.run(pressed);
  EXPECT_LT(penalty.frame("pad").position.z(), 0.0);
}

TEST(PressAndSlide, StiffPenaltyIsAHardProblemWhenImplicit) {
  // a rigid pad: only the springs decide who carries what
  std::vector<double> sweeps;
  std::vector<double> conditions;
  for (const double k : {1e4, 1e5, 1e6}) {
    PressAndSlide penalty("penalty-implicit",
                          {fmt::format("simulation.penalty_stiffness={}", k), "body.pad.kind=rigid",
                           "simulation.solver=gauss-seidel"});
    penalty.run(0.25);
    sweeps.push_back(penalty.summary.iterations().mean);
    const MatX W = penalty.data.problems[0].problem.W.to_dense();
    const VecX values = Eigen::SelfAdjointEigenSolver<MatX>(W).eigenvalues();
    conditions.push_back((values.maxCoeff() + 1.0 / k) / (values.minCoeff() + 1.0 / k));
  }
  EXPECT_GT(conditions[1], 5.0 * conditions[0]);
  EXPECT_GT(conditions[2], 9.0 * conditions[1]);
  EXPECT_GT(sweeps[1], 3.0 * sweeps[0]);
  EXPECT_GT(sweeps[2], 5.0 * sweeps[1]);
}

TEST(PressAndSlide, ImposedMotionPullsOnRelease) {
  PressAndSlide imposed("imposed-motion");
  imposed.run(pressed);
  EXPECT_EQ(imposed.force_on("pad").head<2>().norm(), 0.0);
  imposed.run(0.8 - pressed);
  const double before = imposed.summary.adhesion_max();
  double pull = 0.0;
  while (imposed.state.time_s < lifted) {
    imposed.advance();
    pull = std::max(pull, -imposed.force_on("pad").z());
  }
  EXPECT_GT(imposed.summary.adhesion_max(), before);
  EXPECT_GT(imposed.summary.adhesion_max(), 0.02);
  EXPECT_GT(pull, 0.1);
}

TEST(PressAndSlide, ExplicitFrictionCreepsInStick) {
  EXPECT_GT(PressAndSlide("explicit-friction").creep(), 0.01);
}

TEST(PressAndSlide, PenaltyHoldsOnItsSprings) {
  EXPECT_LT(PressAndSlide("penalty-implicit").creep(), 1e-9);
}

}  // namespace
}  // namespace stickslip
