#include "stickslip/haptics/stability/spring_stability.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

/// Mean squares of the swing in two windows, one after the other, of a spring and damper that is
/// rendered on the simulated device.
struct Swing {
  double early = 0.0;
  double late = 0.0;
};

Swing simulate(const DeviceModel& model, const HandModel& hand, double stiffness, double damping) {
  SimulatedDevice device(model, {hand, Intention()});
  device.set_truth({{Vec3(1e-3, 0.0, 0.0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero(), 0.0});
  DeviceReading reading;
  constexpr int window = 6000;
  Swing swing;
  for (int i = 0; i < 3 * window; ++i) {
    device.read(reading);
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = -stiffness * reading.position - damping * reading.velocity;
    device.write(wrench);
    if (i >= window) (i < 2 * window ? swing.early : swing.late) += reading.position.squaredNorm();
    // far beyond doubt, before numbers overflow
    if (reading.position.squaredNorm() > 1e100) return {1.0, 2.0};
  }
  return swing;
}

DeviceModel smooth(DeviceModel model) {
  for (DeviceAxis* axis : {&model.translation, &model.rotation}) {
    axis->friction = 0.0;
    axis->resolution = 0.0;
  }
  return model;
}

TEST(SpringStability, SimulatedDeviceTurnsUnstableWhereTheEigenvaluesSay) {
  for (const DeviceModel& known : known_device_models()) {
    for (const HandModel& hand : known_hand_models()) {
      for (const double tick : {0.2e-3, 1e-3}) {
        for (const double delay_ticks : {0.0, 0.5, 1.0, 2.25}) {
          if (hand.is_clamped) continue;
          DeviceModel model = smooth(known);
          model.limits.tick_s = tick;
          model.delay_s = delay_ticks * tick;
          const double largest = largest_stable_stiffness(
              {model.translation, hand.translation, tick, model.delay_s, 0.0, 0.0});
          SCOPED_TRACE(model.limits.name + ", " + hand.name + ", tick " + std::to_string(tick) +
                       ", delay in ticks " + std::to_string(delay_ticks));
          if (largest == 0.0) {
            // nothing damps it: the softest spring grows
            EXPECT_EQ(model.translation.damping + hand.translation.damping, 0.0);
            const Swing swing = simulate(model, hand, 100.0, 0.0);
            EXPECT_GT(swing.late, swing.early);
            continue;
          }
          const Swing below = simulate(model, hand, 0.98 * largest, 0.0);
          EXPECT_LT(below.late, below.early);
          const Swing above = simulate(model, hand, 1.02 * largest, 0.0);
          EXPECT_GT(above.late, above.early);
        }
      }
    }
  }
}

TEST(SpringStability, TwistedHandleTurnsUnstableWhereTheEigenvaluesSay) {
  const HandModel& hand = *find_hand_model("light");
  const DeviceModel model = smooth(find_device_model("phantom"));
  const double largest =
      largest_stable_stiffness({model.rotation, hand.rotation, 1e-3, 0.0, 0.0, 0.0});
  const auto grows = [&](double stiffness) {
    SimulatedDevice device(model, {hand, Intention()});
    const Pose turned{Vec3::Zero(), rotation_exp(Vec3(0.0, 1e-9, 0.0))};
    device.set_truth({turned, Vec3::Zero(), Vec3::Zero(), 0.0});
    DeviceReading reading;
    std::array<double, 3> squares{};
    for (int i = 0; i < 9000; ++i) {
      device.read(reading);
      const Vec3 turn = rotation_log(reading.orientation);
      squares[uz(i / 3000)] += turn.squaredNorm();
      Vec6 wrench = Vec6::Zero();
      wrench.tail<3>() = -stiffness * turn;
      device.write(wrench);
    }
    return squares[2] > squares[1];
  };
  EXPECT_FALSE(grows(0.98 * largest));
  EXPECT_TRUE(grows(1.02 * largest));
}

TEST(SpringStability, RenderedDampingCountsAsTheEigenvaluesSay) {
  const HandModel& hand = *find_hand_model("light");
  for (const double damping : {-0.3, 0.3, 2.0, 20.0}) {
    for (const double delay_ticks : {0.0, 1.5}) {
      DeviceModel model = smooth(find_device_model("phantom"));
      model.delay_s = delay_ticks * 1e-3;
      const double largest = largest_stable_stiffness(
          {model.translation, hand.translation, 1e-3, model.delay_s, 0.0, damping});
      SCOPED_TRACE(std::to_string(damping) + ", " + std::to_string(delay_ticks));
      ASSERT_GT(largest, 0.0);
      const Swing below = simulate(model, hand, 0.98 * largest, damping);
      EXPECT_LT(below.late, below.early);
      const Swing above = simulate(model, hand, 1.02 * largest, damping);
      EXPECT_GT(above.late, above.early);
    }
  }
}

TEST(SpringStability, FreeDeviceObeysTheLawOfTickDelayAndDamping) {
  // K < b / (T/2 + delay) where a swing is long against the tick
  for (const char* name : {"phantom", "large"}) {
    const DeviceAxis device = find_device_model(name).translation;
    for (const double tick : {0.2e-3, 1e-3}) {
      for (const double delay_ticks : {0.0, 0.5, 1.0, 3.0}) {
        const double delay = delay_ticks * tick;
        const double largest =
            largest_stable_stiffness({device, HandAxis{}, tick, delay, 0.0, 0.0});
        EXPECT_NEAR(largest / passive_stiffness(device.damping, tick, delay), 1.0, 0.08)
            << name << " " << tick << " " << delay_ticks;
      }
    }
  }
}

TEST(SpringStability, FirstTickOfDelayDividesTheStiffnessByThree) {
  const DeviceAxis device = find_device_model("phantom").translation;
  const double without = largest_stable_stiffness({device, HandAxis{}, 1e-3, 0.0, 0.0, 0.0});
  const double with = largest_stable_stiffness({device, HandAxis{}, 1e-3, 1e-3, 0.0, 0.0});
  EXPECT_NEAR(without / with, 3.0, 0.03);
}

TEST(SpringStability, UndampedEigenvaluesMatchTheirClosedForm) {
  // z^2 - (2 - a) z + 1 + a = 0 with a = K T^2 / 2m: |z|^2 = 1 + a
  SampledSpring spring;
  spring.device.mass = 0.1;
  spring.stiffness = 50.0;
  const double a = 50.0 * 1e-6 / 0.2;
  EXPECT_NEAR(spectral_radius(spring), std::sqrt(1.0 + a), 1e-13);
  EXPECT_EQ(largest_stable_stiffness(spring), 0.0);
}

TEST(SpringStability, StickKeepsARenderedSpringQuietThatRoundingWouldShake) {
  // friction against rounding: quiet while K resolution / 2 stays below the friction
  DeviceModel model = find_device_model("phantom");
  const double bound = 2.0 * model.translation.friction / model.translation.resolution;
  EXPECT_NEAR(bound, 2667.0, 1.0);
  SimulatedDevice device(model, {*find_hand_model("none"), Intention()});
  device.set_truth({{Vec3(1e-3, 0.0, 0.0), Quat::Identity()}, Vec3::Zero(), Vec3::Zero(), 0.0});
  DeviceReading reading;
  for (int i = 0; i < 3000; ++i) {
    device.read(reading);
    Vec6 wrench = Vec6::Zero();
    wrench.head<3>() = -150.0 * reading.position;
    device.write(wrench);
  }
  EXPECT_EQ(device.truth().velocity.x(), 0.0);
  EXPECT_LE(std::abs(150.0 * reading.position.x()), model.translation.friction);
}

}  // namespace
}  // namespace stickslip
