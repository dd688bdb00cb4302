#include "stickslip/body/rigid_frame.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {
namespace {

constexpr double dt = 1e-3;

const Mat3 uneven = Vec3(1.0, 2.0, 3.0).asDiagonal() * 1e-3;

void advance(const RigidFrame& frame, const FrameLoad& load, FrameState& state) {
  FrameStep step;
  frame.compute_free_motion(state, load, dt, step);
  frame.correct(step, Vec6::Zero(), state);
}

TEST(RigidFrame, FreeBodyKeepsItsAngularMomentum) {
  const RigidFrame frame(0.5, uneven);
  FrameState state;
  state.angular_velocity = Vec3(3.0, 10.0, -4.0);
  const Vec3 before = frame.angular_momentum(state);
  const double energy = frame.kinetic_energy(state);
  double worst_energy = 0.0;
  for (int i = 0; i < 100000; ++i) {
    advance(frame, {}, state);
    worst_energy = std::max(worst_energy, std::abs(frame.kinetic_energy(state) - energy));
  }
  EXPECT_LT((frame.angular_momentum(state) - before).norm(), 1e-9 * before.norm());
  EXPECT_LT(worst_energy, 1e-3 * energy);  // bounded over 100 s, it does not drift
}

/// Boxes from a needle to a plate, about axes of inertia that are none of their own.
std::vector<RigidFrame> boxes_of_every_shape() {
  const Mat3 R = rotation_exp(Vec3(0.4, -1.1, 0.7)).toRotationMatrix();
  std::vector<RigidFrame> frames;
  for (const Vec3& sides : {Vec3(1, 1, 100), Vec3(1, 3, 100), Vec3(1, 10, 100), Vec3(1, 90, 100),
                            Vec3(1, 100, 100), Vec3(1, 1, 10), Vec3(1, 2, 3), Vec3(1, 1, 1)}) {
    const Vec3 squares = 1e-6 * sides.cwiseAbs2();
    const Vec3 moments = Vec3::Constant(squares.sum()) - squares;
    frames.emplace_back(0.01, 0.01 / 12.0 * R * moments.asDiagonal() * R.transpose());
  }
  return frames;
}

Vec3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> number;
  return Vec3(number(random), number(random), number(random)).normalized();
}

/// Spins of a given size: about any axis, and with any momentum, which for a slender body differ.
std::vector<Vec3> spins(const RigidFrame& frame, double size, std::mt19937& random) {
  const Vec3 by_momentum = frame.inertia().inverse() * random_direction(random);
  return {size * random_direction(random), size * by_momentum.normalized()};
}

TEST(RigidFrame, FreeBoxOfAnyShapeKeepsMomentumAndEnergy) {
  std::mt19937 random(3);
  for (const double turn : {0.05, 0.5}) {
    for (const RigidFrame& frame : boxes_of_every_shape()) {
      for (const Vec3& spin : spins(frame, turn / dt, random)) {
        FrameState state;
        state.angular_velocity = spin;
        const Vec3 momentum = frame.angular_momentum(state);
        const double energy = frame.kinetic_energy(state);
        double worst = 0.0;
        for (int i = 0; i < 10000; ++i) {
          advance(frame, {}, state);
          worst = std::max(worst, std::abs(frame.kinetic_energy(state) - energy));
        }
        EXPECT_LT((frame.angular_momentum(state) - momentum).norm(), 1e-9 * momentum.norm());
        EXPECT_LT(worst, 1e-8 * energy);
      }
    }
  }
}

TEST(RigidFrame, FasterThanAStepCanFollowKeepsMomentumAndEnergy) {
  std::mt19937 random(4);
  for (const double turn : {1.0, 3.0, 10.0, 1e3, 1e6}) {
    for (const RigidFrame& frame : boxes_of_every_shape()) {
      for (const Vec3& spin : spins(frame, turn / dt, random)) {
        FrameState state;
        state.angular_velocity = spin;
        const Vec3 momentum = frame.angular_momentum(state);
        const double energy = frame.kinetic_energy(state);
        for (int i = 0; i < 300; ++i) advance(frame, {}, state);
        EXPECT_LT((frame.angular_momentum(state) - momentum).norm(), 1e-9 * momentum.norm());
        EXPECT_NEAR(frame.kinetic_energy(state), energy, 1e-8 * energy);
      }
    }
  }
}

TEST(RigidFrame, SpinAboutAnAxisOfInertiaTurnsItExactly) {
  const RigidFrame frame(0.5, uneven);
  for (const double turn : {0.1, 0.5, 2.0}) {
    for (int axis = 0; axis < 3; ++axis) {
      FrameState state;
      state.angular_velocity = turn / dt * Vec3::Unit(axis);
      advance(frame, {}, state);
      EXPECT_NEAR(rotation_log(state.orientation)[axis], turn, 1e-12);
    }
  }
}

TEST(RigidFrame, GainsNoMoreThanTheWorkOfWhatPushesIt) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> decades(-3.0, 2.0);
  for (const double turn : {0.05, 0.5, 3.0}) {
    for (const RigidFrame& frame : boxes_of_every_shape()) {
      for (int k = 0; k < 200; ++k) {
        FrameState state;
        state.orientation = rotation_exp(random_direction(random));
        state.angular_velocity = spins(frame, turn / dt, random)[uz(k % 2)];
        const double before = frame.kinetic_energy(state);
        const Vec3 momentum = frame.angular_momentum(state);
        Vec6 wrench = Vec6::Zero();
        wrench.tail<3>() =
            momentum.norm() / dt * std::pow(10.0, decades(random)) * random_direction(random);
        FrameStep step;
        frame.compute_free_motion(state, {}, dt, step);
        frame.correct(step, wrench, state);
        const Vec6 moved = step.displacement + step.compliance * wrench;
        const double work = wrench.dot(moved);
        EXPECT_LE(frame.kinetic_energy(state) - before, work + 1e-9 * (before + std::abs(work)));
      }
    }
  }
}

TEST(RigidFrame, TorqueOfAContactChangesTheMomentumOfAStoutBodyByItsImpulse) {
  std::mt19937 random(6);
  const RigidFrame frame(0.5, uneven);
  for (int k = 0; k < 100; ++k) {
    FrameState state;
    state.angular_velocity = 0.02 / dt * random_direction(random);
    const Vec3 momentum = frame.angular_momentum(state);
    Vec6 wrench = Vec6::Zero();
    wrench.tail<3>() = 2.0 * momentum.norm() / dt * random_direction(random);
    FrameStep step;
    frame.compute_free_motion(state, {}, dt, step);
    frame.correct(step, wrench, state);
    const Vec3 impulse = dt * wrench.tail<3>();
    EXPECT_LT((frame.angular_momentum(state) - momentum - impulse).norm(),
              1e-12 * (momentum + impulse).norm());
  }
}

TEST(RigidFrame, IntermediateAxisTurnsOverWithThePeriodOfTheClosedForm) {
  const RigidFrame frame(0.5, uneven);
  FrameState state;
  state.angular_velocity = Vec3(0.05, 10.0, 0.02);
  const double E2 = 2.0 * frame.kinetic_energy(state);
  const double M2 = frame.angular_momentum(state).squaredNorm();

  // Landau and Lifshitz, Mechanics, section 37; the roles of axes 1 and 3 swap at the separatrix
  double I1 = uneven(0, 0);
  const double I2 = uneven(1, 1);
  double I3 = uneven(2, 2);
  if (M2 < E2 * I2) std::swap(I1, I3);
  const double k = std::sqrt((I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1)));
  const double period =
      4.0 * std::comp_ellint_1(k) * std::sqrt(I1 * I2 * I3 / ((I3 - I2) * (M2 - E2 * I1)));

  // it turns over twice a period
  std::vector<double> crossings;
  double last = state.angular_velocity.y();
  for (int i = 1; crossings.size() < 9; ++i) {
    ASSERT_LT(i, 200000);
    advance(frame, {}, state);
    const double spin = (state.orientation.conjugate() * state.angular_velocity).y();
    if (spin * last < 0.0) crossings.push_back((i - spin / (spin - last)) * dt);
    last = spin;
  }
  const double measured = (crossings.back() - crossings.front()) / 4.0;
  EXPECT_NEAR(measured, period, 0.005 * period);
}

TEST(RigidFrame, FallsAsAStoneDoes) {
  const RigidFrame frame(2.0, uneven);
  FrameState state;
  FrameLoad load;
  load.gravity = Vec3(0, 0, -9.81);
  for (int i = 0; i < 1000; ++i) advance(frame, load, state);
  EXPECT_NEAR(state.velocity.z(), -9.81, 1e-12);
  EXPECT_NEAR(state.position.z(), -0.5 * 9.81, 9.81 * dt);  // implicit Euler: first order
}

TEST(RigidFrame, TorqueTurnsItWithConstantAcceleration) {
  const RigidFrame frame(2.0, uneven);
  FrameState state;
  FrameLoad load;
  load.wrench[5] = 3e-3;
  for (int i = 0; i < 1000; ++i) advance(frame, load, state);
  EXPECT_NEAR(state.angular_velocity.z(), 1.0, 1e-9);
  EXPECT_NEAR(rotation_log(state.orientation).z(), 0.5, 1e-3);
}

TEST(RigidFrame, StiffCouplingIsStableAndSettlesWhereSpringAndLoadBalance) {
  const RigidFrame frame(0.015, uneven * 1e-3);
  const double stiffness = 1e6;  // far beyond what an explicit step of 1 ms would bear
  FrameState state;
  FrameLoad load;
  load.wrench[0] = 5.0;
  load.K_c = stiffness * Mat6::Identity();
  load.B_c = 10.0 * Mat6::Identity();
  for (int i = 0; i < 500; ++i) {
    load.spring_wrench.head<3>() = -stiffness * state.position;
    load.spring_wrench.tail<3>() = -stiffness * rotation_log(state.orientation);
    advance(frame, load, state);
  }
  EXPECT_NEAR(state.position.x(), 5.0 / stiffness, 1e-12);
  EXPECT_LT(state.velocity.norm(), 1e-9);
}

TEST(RigidFrame, ComplianceIsTheInverseOfTheMatrixThatMovesIt) {
  const RigidFrame frame(0.5, uneven);
  FrameState state;
  state.orientation = rotation_exp(Vec3(0.3, -0.8, 0.5));
  FrameLoad load;
  load.K_c.diagonal().setConstant(2000.0);
  load.B_c.diagonal().setConstant(3.0);
  FrameStep step;
  frame.compute_free_motion(state, load, dt, step);
  Mat6 A = Mat6::Zero();
  A.topLeftCorner<3, 3>() = 0.5 * Mat3::Identity();
  const Mat3 R = state.orientation.toRotationMatrix();
  A.bottomRightCorner<3, 3>() = R * uneven * R.transpose();
  const Mat6 A_eff = A / (dt * dt) + load.B_c / dt + load.K_c;
  EXPECT_LT((step.compliance * A_eff - Mat6::Identity()).norm(), 1e-12);

  // and a wrench moves the frame by exactly that
  Vec6 wrench;
  wrench << 1.0, 2.0, -1.0, 1e-3, -2e-3, 1e-3;
  FrameState moved = state;
  frame.correct(step, wrench, moved);
  const Vec6 answer = step.compliance * wrench;
  EXPECT_LT((moved.position - state.position - answer.head<3>()).norm(), 1e-15);
  EXPECT_LT(
      (rotation_log(moved.orientation * state.orientation.conjugate()) - answer.tail<3>()).norm(),
      1e-12);
}

TEST(RigidFrame, HeldFrameMovesOnlyAsPrescribed) {
  const RigidFrame frame;
  FrameState state;
  state.velocity = Vec3(0.1, 0, 0);
  state.angular_velocity = Vec3(0, 0, 2.0);
  FrameLoad load;
  load.gravity = Vec3(0, 0, -9.81);
  FrameStep step;
  for (int i = 0; i < 100; ++i) {
    frame.compute_free_motion(state, load, dt, step);
    frame.correct(step, Vec6::Constant(100.0), state);
  }
  EXPECT_NEAR(state.position.x(), 0.01, 1e-15);
  EXPECT_NEAR(rotation_log(state.orientation).z(), 0.2, 1e-13);
  EXPECT_EQ(step.compliance.norm(), 0.0);
}

TEST(RigidFrame, RefusesImpossibleMass) {
  EXPECT_THROW(RigidFrame(0.0, uneven), InputError);
  EXPECT_THROW(RigidFrame(std::nan(""), uneven), InputError);
  EXPECT_THROW(RigidFrame(1.0, -uneven), InputError);
}

TEST(Rotation, ExpAndLogAreInverse) {
  for (const double angle : {0.0, 1e-12, 1e-6, 1e-4, 0.1, 1.0, 3.0, 3.14159}) {
    const Vec3 v = angle * Vec3(1, -2, 3).normalized();
    EXPECT_LT((rotation_log(rotation_exp(v)) - v).norm(), 1e-14 * (1.0 + angle)) << angle;
  }
  const Vec3 v(0.3, 0.2, -0.7);
  const Mat3 expected = Eigen::AngleAxisd(v.norm(), v.normalized()).toRotationMatrix();
  EXPECT_LT((rotation_exp(v).toRotationMatrix() - expected).norm(), 1e-15);
}

}  // namespace
}  // namespace stickslip
