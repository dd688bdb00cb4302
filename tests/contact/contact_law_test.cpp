#include "stickslip/contact/contact_law.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "stickslip/contact/contact_axes.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {
namespace {

constexpr double dt = 2e-3;

/// One contact, its body given by the W of its point alone.
struct OneContact {
  explicit OneContact(const Mat3& W, const Vec3& delta_free, double mu) {
    problem.W = BlockMatrix::dense(W);
    problem.delta_free = delta_free;
    problem.mu = VecX::Constant(1, mu);
    contact.axes = Mat3::Identity();
    contact.mu = mu;
    contact.delta_free = delta_free;
    contact.where.gap = delta_free[0];
    for (Vec3* zero : {&contact.initial_force, &contact.velocity, &contact.initial_spring,
                       &contact.viscous_friction, &contact.anchor_offset}) {
      zero->setZero();
    }
  }

  Vec3 solve(ContactMethod method, const LawOptions& law_options = {}) {
    const auto law = make_contact_law(method, law_options, make_solver("block-gauss-seidel"));
    const std::vector<int> group = {0};
    SolverOptions options;
    options.tolerance = 1e-14;
    options.criterion = Criterion::rescaled;
    VecX f(3);
    result = law->solve({problem, std::span(&contact, 1), group, {}, delassus, dt, options}, f);
    return f;
  }

  ContactProblem problem;
  Contact contact{};
  DelassusBuilder delassus{2, 4};
  SolveResult result;
};

void expect_near(const Vec3& found, const Vec3& expected, double tolerance = 1e-12) {
  EXPECT_LT((found - expected).norm(), tolerance * (1.0 + expected.norm()))
      << found.transpose() << " instead of " << expected.transpose();
}

const Mat3 even = 2e-4 * Mat3::Identity();

TEST(ContactLaws, HaveTheNamesOfTheirMethods) {
  const auto names = contact_method_names();
  ASSERT_EQ(names.size(), 5);
  for (std::size_t k = 0; k < names.size(); ++k) {
    EXPECT_EQ(to_string(static_cast<ContactMethod>(k)), names[k]);
  }
  EXPECT_EQ(make_contact_law(ContactMethod::exact, {}, nullptr), nullptr);
}

TEST(ExplicitPenalty, IsASpringAndADamperThatNeverPull) {
  const double k = 500.0;
  const double b = 3.0;
  for (const double gap : {-2e-3, -1e-9, 0.0, 1e-3}) {
    for (const double approach : {-0.4, 0.0, 0.1, 5.0}) {
      OneContact one(even, {gap, 0.0, 0.0}, 0.0);
      one.contact.velocity[0] = approach;
      const Vec3 f = one.solve(ContactMethod::penalty_explicit, {k, b, {}});
      const double expected = gap < 0.0 ? std::max(0.0, -k * gap - b * approach) : 0.0;
      expect_near(f, {expected, 0.0, 0.0});
    }
  }
}

TEST(ExplicitPenalty, FrictionIsAStretchedSpringUpToTheCone) {
  const double k = 500.0;
  const double b = 3.0;
  const double gap = -2e-3;
  const Eigen::Vector2d spring(0.05, -0.02);
  for (const double speed : {0.0, 0.01, 0.4}) {
    OneContact one(even, {gap, 0.0, 0.0}, 0.3);
    const Eigen::Vector2d slip = speed * Eigen::Vector2d(0.6, 0.8);
    one.contact.velocity.tail<2>() = slip;
    one.contact.initial_spring.tail<2>() = spring;
    const Vec3 f = one.solve(ContactMethod::penalty_explicit, {k, b, {}});
    const Eigen::Vector2d wanted = spring - (k * dt + b) * slip;
    const double limit = 0.3 * -k * gap;
    const bool slides = wanted.norm() > limit;
    const Eigen::Vector2d expected = slides ? Eigen::Vector2d(limit * wanted.normalized()) : wanted;
    EXPECT_EQ(slides, speed == 0.4);
    expect_near(f, {-k * gap, expected[0], expected[1]});
    // the damper's part is no spring's, and a spring that slides keeps all that the cone allows
    const Eigen::Vector2d viscous = slides ? Eigen::Vector2d::Zero() : Eigen::Vector2d(-b * slip);
    expect_near(one.contact.viscous_friction, {0.0, viscous[0], viscous[1]});
  }
}

TEST(ExplicitPenalty, ChoosesAQuarterOfTheStiffnessOfTheBody) {
  const double w = 2e-4;
  OneContact one(w * Mat3::Identity(), {-1e-3, 0.0, 0.0}, 0.0);
  one.contact.velocity[0] = 0.1;
  const double k = 0.25 / w;
  expect_near(one.solve(ContactMethod::penalty_explicit), {k * 1e-3 - k * dt * 0.1, 0.0, 0.0});
}

TEST(ImplicitPenalty, IsInSeriesWithTheBody) {
  const double w = 2e-4;
  for (const double k : {10.0, 1e3, 1e6, 1e9}) {
    // without damping f = -k (w f + delta_free)
    OneContact plain(even, {-1e-3, 0.0, 0.0}, 0.0);
    expect_near(plain.solve(ContactMethod::penalty_implicit, {k, 0.0, {}}),
                {k * 1e-3 / (1.0 + k * w), 0.0, 0.0}, 1e-10);
    // with it f = -k delta - b (delta - gap) / dt
    const double b = 0.1 * k * dt;
    OneContact damped(even, {-1e-3, 0.0, 0.0}, 0.0);
    damped.contact.where.gap = -4e-4;
    const double whole = k + b / dt;
    expect_near(damped.solve(ContactMethod::penalty_implicit, {k, b, {}}),
                {(whole * 1e-3 - b / dt * 4e-4) / (1.0 + whole * w), 0.0, 0.0}, 1e-10);
  }
}

TEST(ImplicitPenalty, BecomesExactAsTheSpringsStiffen) {
  Mat3 W;
  W << 3e-4, 5e-5, -2e-5, 5e-5, 4e-4, 3e-5, -2e-5, 3e-5, 2e-4;
  for (const Vec3& delta_free : {Vec3(-1e-3, 2e-4, 1e-4), Vec3(-1e-3, 5e-3, -2e-3)}) {
    OneContact one(W, delta_free, 0.4);
    VecX exact(3);
    SolverOptions options;
    options.tolerance = 1e-14;
    options.criterion = Criterion::rescaled;
    ASSERT_EQ(make_solver("block-gauss-seidel")->solve(one.problem, options, exact).status,
              SolveStatus::converged);
    double before = 1e300;
    for (const double k : {1e4, 1e5, 1e6, 1e7}) {
      const double away = (one.solve(ContactMethod::penalty_implicit, {k, 0.0, {}}) - exact).norm();
      // an error in proportion to the compliance of the springs
      EXPECT_LT(away, (k == 1e4 ? 1.0 : 0.2) * before);
      before = away;
    }
    EXPECT_LT(before, 2e-3 * exact.norm());
  }
}

TEST(ExplicitFriction, IsThatOfTheLastStepAndNormalForcesAreExactUnderIt) {
  Mat3 W;
  W << 3e-4, 5e-5, -2e-5, 5e-5, 4e-4, 3e-5, -2e-5, 3e-5, 2e-4;
  const double mu = 0.3;
  const double threshold = 0.05;
  for (const double speed : {0.0, 0.01, 0.05, 0.7}) {
    OneContact one(W, {-1e-3, 2e-4, 1e-4}, mu);
    one.contact.initial_force[0] = 2.0;
    const Eigen::Vector2d v = speed * Eigen::Vector2d(-0.8, 0.6);
    one.contact.velocity = {9.0, v[0], v[1]};
    const Vec3 f = one.solve(ContactMethod::explicit_friction, {{}, {}, threshold});
    // viscous below the threshold, mu f_n against the slip above
    const Eigen::Vector2d friction = -mu * 2.0 * v / std::max(speed, threshold);
    const double f_n = (1e-3 - W(0, 1) * friction[0] - W(0, 2) * friction[1]) / W(0, 0);
    expect_near(f, {f_n, friction[0], friction[1]}, 1e-10);
  }
}

TEST(ExplicitFriction, HasNoneWhereNothingPressedBefore) {
  OneContact one(even, {-1e-3, 2e-4, 1e-4}, 0.3);
  one.contact.velocity = {0.0, 1.0, 2.0};
  expect_near(one.solve(ContactMethod::explicit_friction), {1e-3 / 2e-4, 0.0, 0.0}, 1e-10);
}

TEST(ContactLaws, TellTheErrorOfTheExactLaws) {
  // relative to the free overlap: what a spring of stiffness k leaves of it
  for (const double k : {1e-6, 100.0, 1e3}) {
    OneContact one(even, {-1e-3, 0.0, 0.0}, 0.0);
    one.solve(ContactMethod::penalty_explicit, {k, 0.0, {}});
    EXPECT_EQ(one.result.status, SolveStatus::converged);
    EXPECT_NEAR(one.result.error, 1.0 - k * 2e-4, 1e-12);
    one.solve(ContactMethod::penalty_implicit, {k, 0.0, {}});
    EXPECT_NEAR(one.result.error, 1.0 / (1.0 + k * 2e-4), 1e-12);
  }
}

TEST(ImposedMotion, HoldsContactsTwoSidedAndReleasesThemAfterTheyPulled) {
  Surface triangle;
  triangle.points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
  triangle.triangles = {{0, 1, 2}};
  const double mass = 0.7;
  const Body floor = make_fixed_body(triangle);
  const Body block = make_rigid_body(triangle, {mass, Vec3::Zero(), 1e-3 * Mat3::Identity()});
  const Body* bodies[2] = {&block, &floor};
  BodyState states[2];
  BodyStep steps[2];
  std::vector<MovingBody> moving;
  for (std::size_t b = 0; b < 2; ++b) {
    states[b] = bodies[b]->initial_state();
    steps[b] = bodies[b]->make_step(4);
    bodies[b]->compute_free_motion(states[b], {}, dt, steps[b]);
    moving.push_back({bodies[b], &states[b], &steps[b]});
  }
  // at the centre of mass the block yields by dt^2 / m
  OneContact one(dt * dt / mass * Mat3::Identity(), Vec3::Zero(), 0.0);
  one.contact.where.body_1 = 0;
  one.contact.where.body_2 = 1;
  one.contact.where.P = one.contact.where.Q = {{0, 1, 2}, {1.0, 0.0, 0.0}};
  const std::vector<int> group = {0};
  const auto law = make_contact_law(ContactMethod::imposed_motion, {}, nullptr);
  const auto normal_force = [&](double gap, double free, double force_before) {
    one.contact.where.gap = gap;
    one.problem.delta_free[0] = free;
    one.contact.initial_force[0] = force_before;
    BlockMatrix W;
    one.delassus.build(std::span(&one.contact, 1), group, moving, Motion::whole, W);
    VecX f(3);
    law->solve(
        {one.problem, std::span(&one.contact, 1), group, moving, one.delassus, dt, SolverOptions()},
        f);
    return f[0];
  };
  const double stiffness = mass / (dt * dt);
  EXPECT_NEAR(normal_force(-1e-4, -2e-4, 0.0), 2e-4 * stiffness, 1e-7 * stiffness);
  EXPECT_NEAR(normal_force(0.0, 3e-4, 1.0), -3e-4 * stiffness, 1e-7 * stiffness);
  EXPECT_EQ(normal_force(0.0, 3e-4, -1.0), 0.0);
  EXPECT_EQ(normal_force(1e-3, 1e-3, 0.0), 0.0);
}

TEST(StableStiffness, TogetherUndoesNoMoreThanTheWhole) {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  for (const int m : {1, 2, 5, 12}) {
    // points of one body: much coupled, in a direction that nothing tells beforehand
    MatX G(3 * m, 3 * m);
    for (int k = 0; k < G.size(); ++k) G.data()[k] = normal(random);
    VecX along_which(3 * m);
    for (int k = 0; k < 3 * m; ++k) along_which[k] = 10.0 * normal(random);
    const MatX W = 1e-5 * (G * G.transpose() + along_which * along_which.transpose());
    StableStiffness stable;
    for (const auto along : {StableStiffness::Along::all, StableStiffness::Along::tangents}) {
      stable.find(BlockMatrix::dense(W), along);
      MatX KW = W;
      for (int i = 0; i < 3 * m; ++i) {
        KW.row(i) *= stable.of(i / 3);
        if (along == StableStiffness::Along::tangents && i % 3 == 0) KW.row(i).setZero();
      }
      const double largest = KW.eigenvalues().real().maxCoeff();
      // the power iteration comes from below
      EXPECT_GT(largest, 1.0 - 1e-12) << m;
      EXPECT_LT(largest, 1.1) << m;
    }
  }
}

}  // namespace
}  // namespace stickslip
