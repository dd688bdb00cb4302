#include "stickslip/haptics/models/operator.hpp"

#include <gtest/gtest.h>

#include <array>

#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

TEST(Operator, MinimumJerkBeginsAndEndsWithoutVelocityAndAcceleration) {
  EXPECT_EQ(minimum_jerk(0.0), 0.0);
  EXPECT_EQ(minimum_jerk(1.0), 1.0);
  EXPECT_EQ(minimum_jerk(-1.0), 0.0);
  EXPECT_EQ(minimum_jerk(2.0), 1.0);
  EXPECT_DOUBLE_EQ(minimum_jerk(0.5), 0.5);
  // near the ends it goes as 10 s^3: no first and second derivative
  for (const double s : {1e-2, 1e-3, 1e-4}) {
    EXPECT_NEAR(minimum_jerk(s) / (s * s * s), 10.0, 16.0 * s);
    EXPECT_NEAR((1.0 - minimum_jerk(1.0 - s)) / (s * s * s), 10.0, 16.0 * s + 1e-16 / (s * s * s));
  }
  // the sixth derivative is zero, which is what makes the jerk minimal: sixth differences vanish
  const std::array<double, 7> binomials = {1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0};
  double difference = 0.0;
  for (std::size_t i = 0; i < 7; ++i) {
    difference += binomials[i] * minimum_jerk(0.2 + 0.1 * static_cast<double>(i));
  }
  EXPECT_NEAR(difference, 0.0, 1e-14);
}

TEST(Operator, IntentionLeadsThroughItsMoves) {
  const Quat quarter = rotation_exp(Vec3(0.0, 0.0, 1.5));
  Intention intention({Vec3(1.0, 0.0, 0.0), Quat::Identity()});
  intention.hold(1.0)
      .ramp_to({Vec3(1.0, 2.0, 0.0), quarter}, 2.0)
      .minimum_jerk_to({Vec3(0.0, 2.0, 0.0), quarter}, 1.0)
      .press(1, 0.5, 1.5)
      .press(4, 1.0, 2.0);
  EXPECT_DOUBLE_EQ(intention.duration_s(), 4.0);
  EXPECT_EQ(intention.pose(-1.0).position, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(intention.pose(0.7).position, Vec3(1.0, 0.0, 0.0));
  const Pose ramping = intention.pose(1.5);
  EXPECT_LT((ramping.position - Vec3(1.0, 0.5, 0.0)).norm(), 1e-15);
  EXPECT_LT((rotation_log(ramping.orientation) - Vec3(0.0, 0.0, 0.375)).norm(), 1e-15);
  const Pose smooth = intention.pose(3.25);
  EXPECT_LT((smooth.position - Vec3(1.0 - minimum_jerk(0.25), 2.0, 0.0)).norm(), 1e-15);
  EXPECT_EQ(intention.pose(4.0).position, Vec3(0.0, 2.0, 0.0));
  EXPECT_EQ(intention.pose(9.0).position, Vec3(0.0, 2.0, 0.0));
  EXPECT_EQ(intention.buttons(0.4), 0u);
  EXPECT_EQ(intention.buttons(0.5), 1u);
  EXPECT_EQ(intention.buttons(1.2), 5u);
  EXPECT_EQ(intention.buttons(1.5), 4u);
  EXPECT_EQ(intention.buttons(2.0), 0u);
}

TEST(Operator, MoveWithoutDurationIsAJump) {
  Intention intention;
  intention.hold(1.0).ramp_to({Vec3(1.0, 0.0, 0.0), Quat::Identity()}, 0.0).hold(1.0);
  EXPECT_EQ(intention.pose(0.999).position, Vec3(0.0, 0.0, 0.0));
  EXPECT_EQ(intention.pose(1.0).position, Vec3(1.0, 0.0, 0.0));
  EXPECT_EQ(intention.pose(2.0).position, Vec3(1.0, 0.0, 0.0));
}

TEST(Operator, RecordedRowsAreJoinedByStraightLines) {
  const std::array<Intention::Row, 3> rows = {{{0.5, {Vec3(1.0, 0.0, 0.0), Quat::Identity()}, 1},
                                               {1.0, {Vec3(2.0, 0.0, 0.0), Quat::Identity()}, 0},
                                               {3.0, {Vec3(2.0, 4.0, 0.0), Quat::Identity()}, 2}}};
  const Intention intention = Intention::from_rows(rows);
  EXPECT_EQ(intention.pose(0.0).position, Vec3(1.0, 0.0, 0.0));
  EXPECT_LT((intention.pose(0.75).position - Vec3(1.5, 0.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((intention.pose(2.0).position - Vec3(2.0, 2.0, 0.0)).norm(), 1e-15);
  EXPECT_EQ(intention.pose(5.0).position, Vec3(2.0, 4.0, 0.0));
  EXPECT_EQ(intention.buttons(0.2), 0u);
  EXPECT_EQ(intention.buttons(0.6), 1u);
  EXPECT_EQ(intention.buttons(1.5), 0u);
  EXPECT_EQ(intention.buttons(100.0), 2u);
}

}  // namespace
}  // namespace stickslip
