#include "stickslip/contact/delassus.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <memory>
#include <numeric>
#include <random>

#include "stickslip/contact/body_forces.hpp"
#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_axes.hpp"
#include "stickslip/contact/unbuilt_gauss_seidel.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "stickslip/solver/solvers.hpp"

namespace stickslip {
namespace {

constexpr double dt = 1e-3;
const Material rubber{1e6, 0.4, 1000.0};

/// Three bodies somewhere in a scene: clamped to a moving frame, held, rigid.
struct ThreeBodies {
  ThreeBodies() {
    for (const Body& body : bodies) {
      states.push_back(body.initial_state(Vec3(0.1, 0.2, 0.3) * static_cast<double>(states.size()),
                                          rotation_exp({0.3, -0.5, 0.7})));
      steps.push_back(body.make_step(100));
      body.compute_free_motion(states.back(), {}, dt, steps.back());
    }
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      moving.push_back({&bodies[b], &states[b], &steps[b]});
    }
  }

  SurfacePoint random_point(int body) {
    const auto& triangles = bodies[uz(body)].surface().triangles;
    Vec3 weight(uniform(), uniform(), uniform());
    weight /= weight.sum();
    return {triangles[uz(static_cast<int>(uniform() * static_cast<double>(triangles.size())))],
            {weight[0], weight[1], weight[2]}};
  }

  std::vector<Contact> random_contacts(int count) {
    std::vector<Contact> contacts;
    for (int c = 0; c < count; ++c) {
      Proximity where;
      where.body_1 = c % 3;
      where.body_2 = (c + 1 + c % 2) % 3;
      where.P = random_point(where.body_1);
      where.Q = random_point(where.body_2);
      where.normal = Vec3(uniform() - 0.5, uniform() - 0.5, uniform() - 0.5).normalized();
      where.feature_1 = c;
      contacts.push_back(make_contact(where, moving, 0.3, {}));
    }
    return contacts;
  }

  double uniform() { return std::uniform_real_distribution(0.0, 1.0)(random); }

  std::mt19937 random{7};
  DeformationModel model = make_elastic_model(
      make_box({0.1, 0.08, 0.06}, {2, 2, 1}, ElementType::tet4), rubber, {.contact_regions = {}});
  std::vector<int> held = {0, 1, 2, 3};
  std::vector<Body> bodies = {make_corotational_body(model, held, {}),
                              make_deformable_body(model, held, {}),
                              make_rigid_body(model.surface, model.mass)};
  std::vector<BodyState> states;
  std::vector<BodyStep> steps;
  std::vector<MovingBody> moving;
};

/// W by the definition, (Eqs. 17, 30), with full matrices and K inverted as a whole.
MatX dense_product(const ThreeBodies& scene, std::span<const Contact> contacts) {
  const DeformationModel& model = scene.model;
  const int n = 3 * model.node_count();
  MatX K = model.K;
  for (const int node : scene.held) {
    for (int d = 0; d < 3; ++d) {
      K.row(3 * node + d).setZero();
      K.col(3 * node + d).setZero();
      K(3 * node + d, 3 * node + d) = 1e30;
    }
  }
  const MatX C = K.inverse();
  const int rows = 3 * static_cast<int>(contacts.size());
  MatX W = MatX::Zero(rows, rows);
  for (int b = 0; b < 3; ++b) {
    const Mat3 R = scene.states[uz(b)].frame.orientation.toRotationMatrix();
    MatX H = MatX::Zero(rows, n);
    MatX J = MatX::Zero(rows, 6);
    for (int c = 0; c < static_cast<int>(contacts.size()); ++c) {
      const Contact& contact = contacts[uz(c)];
      for (const double sign : {1.0, -1.0}) {
        if ((sign > 0.0 ? contact.where.body_1 : contact.where.body_2) != b) continue;
        const SurfacePoint& point = sign > 0.0 ? contact.where.P : contact.where.Q;
        Vec3 arm = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k) {
          H.block<3, 3>(3 * c, 3 * point.corner[k]) += sign * point.weight[k] * contact.axes * R;
          arm += point.weight[k] * (R * scene.bodies[uz(b)].surface().points[uz(point.corner[k])]);
        }
        J.block<3, 3>(3 * c, 0) += sign * contact.axes;
        J.block<3, 3>(3 * c, 3) += sign * contact.axes * skew(arm).transpose();
      }
    }
    if (b != 2) W += H * C * H.transpose();
    if (b != 1) {
      Mat6 A = Mat6::Zero();
      A.topLeftCorner<3, 3>() = model.mass.mass * Mat3::Identity();
      A.bottomRightCorner<3, 3>() = R * model.mass.inertia * R.transpose();
      W += J * (A / (dt * dt)).inverse() * J.transpose();
    }
  }
  return W;
}

TEST(Delassus, EqualsTheDenseProductAndIsSymmetric) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(20);
  BodyGroups groups;
  groups.build(contacts, std::vector<char>(contacts.size(), 1), scene.moving);
  ASSERT_EQ(groups.count(), 1);

  BlockMatrix blocks;
  DelassusBuilder builder(3, 20);
  builder.build(contacts, groups.contacts(0), scene.moving, Motion::whole, blocks);
  EXPECT_TRUE(blocks.is_dense());
  const MatX W = blocks.to_dense();

  const MatX expected = dense_product(scene, contacts);
  EXPECT_LT((W - expected).norm(), 1e-12 * expected.norm());
  EXPECT_EQ((W - W.transpose()).cwiseAbs().maxCoeff(), 0.0);
}

TEST(Delassus, UnbuiltItGivesTheSameForces) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(20);
  std::vector<int> group(20);
  std::iota(group.begin(), group.end(), 0);
  ContactProblem problem;
  DelassusBuilder builder(3, 20);
  builder.build(contacts, group, scene.moving, Motion::whole, problem.W);
  problem.delta_free.resize(60);
  problem.mu = VecX::Constant(20, 0.3);
  for (int k = 0; k < 60; ++k) problem.delta_free[k] = 1e-4 * (scene.uniform() - 0.7);

  const std::unique_ptr<Solver> built = make_solver("block-gauss-seidel");
  UnbuiltGaussSeidel unbuilt(3);
  SolverOptions options;
  options.criterion = Criterion::rescaled;
  VecX expected;
  VecX f(60);
  // sweep by sweep, and at the end
  for (const int sweeps : {1, 5, 100'000}) {
    options.tolerance = 1e-13;
    options.max_iterations = sweeps;
    const SolveResult one = built->solve(problem, options, expected);
    ContactProblem diagonal{BlockMatrix(), problem.delta_free, problem.mu};
    const SolveResult two = unbuilt.solve(contacts, group, scene.moving, options, diagonal, f);
    EXPECT_EQ(diagonal.W.block_count(), 20);
    EXPECT_EQ(one.status, two.status);
    EXPECT_NEAR(one.error, two.error, 1e-6 * one.error + 1e-13);
    EXPECT_GT(expected.norm(), 0.0);
    EXPECT_LT((f - expected).norm(), 1e-10 * expected.norm()) << sweeps;
  }
  EXPECT_LT(natural_map_error(problem, f).rescaled, 1.1e-13);
}

/// How far each contact has gone along its axes when the bodies stand at the ends of their steps.
VecX gone(const ThreeBodies& scene, std::span<const Contact> contacts,
          std::span<const BodyState> ends) {
  VecX way(3 * static_cast<int>(contacts.size()));
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    way.segment<3>(static_cast<int>(3 * c)) =
        contacts[c].axes * relative_motion(contacts[c], scene.moving, ends);
  }
  return way;
}

/// The ends of the steps of all bodies under forces along the axes of the contacts.
std::vector<BodyState> ends_under(ThreeBodies& scene, std::span<const Contact> contacts,
                                  const VecX& f) {
  std::vector<BodyState> ends = scene.states;
  BodyForces forces;
  forces.gather(contacts, f, 3);
  for (int b = 0; b < 3; ++b) {
    scene.bodies[uz(b)].correct(forces.points(b), forces.forces(b), scene.steps[uz(b)],
                                ends[uz(b)]);
  }
  return ends;
}

TEST(Delassus, IsHowSmallForcesMoveTheContacts) {
  ThreeBodies scene;
  constexpr int count = 6;
  const std::vector<Contact> contacts = scene.random_contacts(count);
  std::vector<int> group(count);
  std::iota(group.begin(), group.end(), 0);
  BlockMatrix blocks;
  DelassusBuilder(3, count).build(contacts, group, scene.moving, Motion::whole, blocks);
  const MatX W = blocks.to_dense();

  // small, since the frames turn truly; not so small that rounding counts
  constexpr double force = 1e-3;
  const VecX before = gone(scene, contacts, ends_under(scene, contacts, VecX::Zero(3 * count)));
  for (int k = 0; k < 3 * count; ++k) {
    const VecX f = force * VecX::Unit(3 * count, k);
    const VecX moved = gone(scene, contacts, ends_under(scene, contacts, f)) - before;
    EXPECT_LT((moved / force - W.col(k)).norm(), 1e-6 * W.col(k).norm()) << k;
  }
}

TEST(Delassus, OfTheFramesAloneIsThatOfRigidBodies) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(12);
  std::vector<int> group(12);
  std::iota(group.begin(), group.end(), 0);
  DelassusBuilder builder(3, 12);
  BlockMatrix frames;
  builder.build(contacts, group, scene.moving, Motion::frames_only, frames);

  // the clamped body made rigid, the held one fixed
  MassProperties mass = scene.model.mass;
  mass.centre.setZero();
  const std::vector<Body> stiff = {make_rigid_body(scene.bodies[0].surface(), mass),
                                   make_fixed_body(scene.bodies[1].surface()), scene.bodies[2]};
  std::vector<MovingBody> moving = scene.moving;
  std::vector<BodyStep> steps;
  for (std::size_t b = 0; b < 3; ++b) steps.push_back(stiff[b].make_step(12));
  for (std::size_t b = 0; b < 3; ++b) {
    stiff[b].compute_free_motion(scene.states[b], {}, dt, steps[b]);
    moving[b] = {&stiff[b], &scene.states[b], &steps[b]};
  }
  BlockMatrix rigid;
  builder.build(contacts, group, moving, Motion::whole, rigid);
  const MatX expected = rigid.to_dense();
  EXPECT_GT(expected.norm(), 0.0);
  EXPECT_LT((frames.to_dense() - expected).norm(), 1e-13 * expected.norm());
}

TEST(Delassus, IsTheSumOfWhatEitherSideGivesWayBy) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(9);
  std::vector<int> group(9);
  std::iota(group.begin(), group.end(), 0);
  std::vector<int> masters_1;
  std::vector<int> masters_2;
  for (const Contact& contact : contacts) {
    masters_1.push_back(contact.where.body_1);
    masters_2.push_back(contact.where.body_2);
  }
  DelassusBuilder builder(3, 9);
  BlockMatrix whole;
  BlockMatrix second_yields;
  BlockMatrix first_yields;
  builder.build(contacts, group, scene.moving, Motion::whole, whole);
  EXPECT_GT(builder.mean_compliance(0), 0.0);
  builder.build(contacts, group, scene.moving, Motion::whole, second_yields, masters_1);
  builder.build(contacts, group, scene.moving, Motion::whole, first_yields, masters_2);
  for (int c = 0; c < 9; ++c) {
    const Mat3 sum = first_yields.block(c, c) + second_yields.block(c, c);
    EXPECT_LT((whole.block(c, c) - sum).norm(), 1e-13 * sum.norm()) << c;
  }
}

TEST(BodyForces, DoTheWorkOfTheContactsAndHaveNoResultant) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(20);
  VecX f(60);
  for (int k = 0; k < 60; ++k) f[k] = scene.uniform() - 0.5;
  f.segment<3>(15).setZero();
  // any displacement of the nodes
  std::vector<std::vector<Vec3>> moved(3);
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < scene.bodies[b].surface().points.size(); ++i) {
      moved[b].emplace_back(scene.uniform(), scene.uniform(), scene.uniform());
    }
  }
  const auto at = [&](int body, const SurfacePoint& point) {
    Vec3 sum = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      sum += point.weight[k] * moved[uz(body)][uz(point.corner[k])];
    }
    return sum;
  };
  double work_of_contacts = 0.0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const Proximity& where = contacts[c].where;
    const Vec3 apart = at(where.body_1, where.P) - at(where.body_2, where.Q);
    work_of_contacts += f.segment<3>(static_cast<int>(3 * c)).dot(contacts[c].axes * apart);
  }
  double work_on_bodies = 0.0;
  Vec3 resultant = Vec3::Zero();
  std::size_t count = 0;
  BodyForces gathered;
  gathered.gather(contacts, f, 3);
  for (int b = 0; b < 3; ++b) {
    const auto points = gathered.points(b);
    const auto forces = gathered.forces(b);
    ASSERT_EQ(points.size(), forces.size());
    count += points.size();
    for (std::size_t k = 0; k < points.size(); ++k) {
      work_on_bodies += forces[k].dot(at(b, points[k]));
      resultant += forces[k];
    }
  }
  EXPECT_NEAR(work_on_bodies, work_of_contacts, 1e-13);
  EXPECT_LT(resultant.norm(), 1e-13);
  // each at both its ends, but for the one without force
  EXPECT_EQ(count, 38);
}

TEST(Delassus, UnbuiltItKeepsToTheOrderAndTheStartThatWereAskedFor) {
  ThreeBodies scene;
  const std::vector<Contact> contacts = scene.random_contacts(15);
  std::vector<int> group(15);
  std::iota(group.begin(), group.end(), 0);
  ContactProblem problem;
  DelassusBuilder builder(3, 15);
  builder.build(contacts, group, scene.moving, Motion::whole, problem.W);
  problem.delta_free.resize(45);
  for (int k = 0; k < 45; ++k) problem.delta_free[k] = 1e-4 * (scene.uniform() - 0.7);
  problem.mu = VecX::Constant(15, 0.5);
  const std::unique_ptr<Solver> built = make_solver("block-gauss-seidel");
  UnbuiltGaussSeidel unbuilt(3);
  SolverOptions options;
  options.tolerance = 1e-13;
  options.criterion = Criterion::rescaled;
  options.max_iterations = 2;
  options.seed = 9;
  VecX start = VecX::Zero(45);
  for (int c = 0; c < 15; ++c) start[3 * c] = scene.uniform();
  std::vector<VecX> answers;
  for (const auto order : {ContactOrder::fixed, ContactOrder::reversed, ContactOrder::shuffled}) {
    for (const bool warm : {false, true}) {
      options.order = order;
      options.warm_start = warm;
      VecX expected = start;
      VecX f = start;
      ContactProblem diagonal{BlockMatrix(), problem.delta_free, problem.mu};
      built->solve(problem, options, expected);
      unbuilt.solve(contacts, group, scene.moving, options, diagonal, f);
      EXPECT_LT((f - expected).norm(), 1e-10 * expected.norm());
      // two sweeps from elsewhere, or in another order, end elsewhere
      for (const VecX& other : answers) EXPECT_GT((f - other).norm(), 1e-6 * f.norm());
      answers.push_back(f);
    }
  }
}

TEST(Delassus, IsLeftUnbuiltForRigidBodiesWithManyContacts) {
  ThreeBodies scene;
  UnbuiltGaussSeidel unbuilt(3);
  std::vector<Contact> contacts = scene.random_contacts(60);
  std::vector<int> group(60);
  std::iota(group.begin(), group.end(), 0);
  const std::vector<MovingBody> soft(3, scene.moving[0]);
  EXPECT_FALSE(unbuilt.is_cheaper(contacts, group, soft));
  const std::vector<MovingBody> rigid(3, scene.moving[2]);
  EXPECT_TRUE(unbuilt.is_cheaper(contacts, group, rigid));
  group.resize(4);
  EXPECT_FALSE(unbuilt.is_cheaper(contacts, group, rigid));
}

TEST(Delassus, IsSparseWhereFewContactsShareABody) {
  // a chain of rigid bodies, one contact between each and the next
  ThreeBodies scene;
  const Body& rigid = scene.bodies[2];
  constexpr int count = 12;
  const std::vector<BodyState> states(count, scene.states[2]);
  std::vector<BodyStep> steps;
  std::vector<MovingBody> moving;
  for (int b = 0; b < count; ++b) {
    steps.push_back(rigid.make_step(4));
    rigid.compute_free_motion(states[uz(b)], {}, dt, steps.back());
  }
  for (int b = 0; b < count; ++b) moving.push_back({&rigid, &states[uz(b)], &steps[uz(b)]});
  std::vector<Contact> contacts = scene.random_contacts(count - 1);
  std::vector<int> group;
  for (int c = 0; c < count - 1; ++c) {
    contacts[uz(c)].where.body_1 = c;
    contacts[uz(c)].where.body_2 = c + 1;
    group.push_back(c);
  }
  BlockMatrix W;
  DelassusBuilder builder(count, count);
  builder.build(contacts, group, moving, Motion::whole, W);
  EXPECT_FALSE(W.is_dense());
  EXPECT_EQ(W.block_count(), 3 * (count - 1) - 2);

  // the same, pair by pair
  for (int c = 0; c + 1 < count - 1; ++c) {
    BlockMatrix pair;
    const std::vector<int> two = {c, c + 1};
    builder.build(contacts, two, moving, Motion::whole, pair);
    EXPECT_TRUE(pair.is_dense());
    const MatX expected = pair.to_dense();
    EXPECT_LT((W.block(c, c) - expected.block<3, 3>(0, 0)).norm(), 1e-14 * expected.norm());
    EXPECT_LT((W.block(c, c + 1) - expected.block<3, 3>(0, 3)).norm(), 1e-14 * expected.norm());
    EXPECT_LT((W.block(c + 1, c) - expected.block<3, 3>(3, 0)).norm(), 1e-14 * expected.norm());
  }
}

TEST(Delassus, HasOnlyWhatYieldsWhereItIsSparse) {
  // a chain of rigid bodies; at some contacts one of the two holds still
  ThreeBodies scene;
  const Body& rigid = scene.bodies[2];
  constexpr int count = 12;
  const std::vector<BodyState> states(count, scene.states[2]);
  std::vector<BodyStep> steps;
  std::vector<MovingBody> moving;
  for (int b = 0; b < count; ++b) {
    steps.push_back(rigid.make_step(4));
    rigid.compute_free_motion(states[uz(b)], {}, dt, steps.back());
  }
  for (int b = 0; b < count; ++b) moving.push_back({&rigid, &states[uz(b)], &steps[uz(b)]});
  std::vector<Contact> contacts = scene.random_contacts(count - 1);
  std::vector<int> group;
  std::vector<int> masters;
  for (int c = 0; c < count - 1; ++c) {
    contacts[uz(c)].where.body_1 = c;
    contacts[uz(c)].where.body_2 = c + 1;
    group.push_back(c);
    masters.push_back(c % 3 == 0 ? c + 1 : -1);
  }
  BlockMatrix W;
  DelassusBuilder(count, count).build(contacts, group, moving, Motion::whole, W, masters);
  EXPECT_FALSE(W.is_dense());
  const MatX whole = W.to_dense();
  EXPECT_EQ((whole - whole.transpose()).norm(), 0.0);
  for (int c = 0; c + 1 < count - 1; ++c) {
    BlockMatrix pair;
    const std::vector<int> two = {c, c + 1};
    const std::vector<int> their_masters = {masters[uz(c)], masters[uz(c + 1)]};
    DelassusBuilder(count, count).build(contacts, two, moving, Motion::whole, pair, their_masters);
    const MatX expected = pair.to_dense();
    const MatX part = whole.block<6, 6>(3 * c, 3 * c);
    EXPECT_LT((part - expected).norm(), 1e-14 * expected.norm()) << c;
    EXPECT_EQ((part.bottomLeftCorner<3, 3>().isZero(0.0)), masters[uz(c)] == c + 1);
  }
}

TEST(BodyGroups, BodiesThatNothingMovesLinkNobody) {
  Surface triangle;
  triangle.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  triangle.triangles = {{0, 1, 2}};
  const Body fixed = make_fixed_body(triangle);
  const Body rigid = make_rigid_body(triangle, {1.0, Vec3::Zero(), Mat3::Identity()});
  const std::vector<MovingBody> bodies = {{&fixed}, {&rigid}, {&rigid}, {&rigid}, {&rigid}};
  const auto between = [](int one, int two) {
    Contact contact{};
    contact.where.body_1 = one;
    contact.where.body_2 = two;
    return contact;
  };
  // 1, 2 and 4 stand on the floor, 3 on 2
  const std::vector<Contact> contacts = {between(1, 0), between(2, 0), between(0, 4), between(3, 2),
                                         between(1, 0)};
  BodyGroups groups;
  groups.build(contacts, std::vector<char>(contacts.size(), 1), bodies);
  ASSERT_EQ(groups.count(), 3);
  const auto list = [&](int k) {
    return std::vector<int>(groups.contacts(k).begin(), groups.contacts(k).end());
  };
  EXPECT_EQ(list(0), (std::vector<int>{0, 4}));
  EXPECT_EQ(list(1), (std::vector<int>{1, 3}));
  EXPECT_EQ(list(2), (std::vector<int>{2}));
  groups.build({}, {}, bodies);
  EXPECT_EQ(groups.count(), 0);
}

TEST(ContactFrame, IsRightHandedAndTurnsNoMoreThanTheNormal) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Vec3 n = Vec3::UnitZ();
  Mat3 frame = contact_axes(n);
  for (int k = 0; k < 10'000; ++k) {
    const Vec3 turned =
        (n + 0.05 * Vec3(normal(random), normal(random), normal(random))).normalized();
    const Mat3 next = contact_axes(turned, frame.row(1).transpose());
    EXPECT_LT((next * next.transpose() - Mat3::Identity()).norm(), 1e-14);
    EXPECT_GT(next.determinant(), 0.0);
    EXPECT_EQ(Vec3(next.row(0)), turned);
    EXPECT_LT((next - frame).norm(), 2.1 * (turned - n).norm());
    n = turned;
    frame = next;
  }
}

}  // namespace
}  // namespace stickslip
