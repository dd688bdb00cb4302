#include "stickslip/body/body.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>

#include "stickslip/body/nonlinear_deformation.hpp"
#include "stickslip/body/point_compliance.hpp"
#include "stickslip/body/relinearised_deformation.hpp"
#include "stickslip/error.hpp"
#include "stickslip/fem/vibration.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

const Material rubber{2e6, 0.4, 1100.0};
constexpr double dt = 1e-3;

TetMesh bar(ElementType type = ElementType::tet10) {
  return make_box({0.12, 0.03, 0.04}, {4, 1, 1}, type);
}

std::vector<SurfacePoint> some_points(const Surface& surface, int count) {
  std::vector<SurfacePoint> points;
  for (int i = 0; i < count; ++i) {
    const auto& triangle = surface.triangles[uz((13 * i + 5) % surface.triangle_count())];
    const double a = 0.1 + 0.06 * (i % 7);
    points.push_back({triangle, {a, 0.7 - a, 0.3}});
  }
  return points;
}

std::vector<Vec3> some_forces(int count, double size) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0.0, size);
  std::vector<Vec3> forces;
  for (int i = 0; i < count; ++i) {
    forces.emplace_back(normal(random), normal(random), normal(random));
  }
  return forces;
}

/// Points with hardening springs to three fixed anchors: a small body that is not linear.
class HardeningSprings : public RelinearisedDeformation {
 public:
  HardeningSprings(const DeformationModel& model, const std::vector<int>& held,
                   const std::vector<Spring>& springs, double hardening)
      : RelinearisedDeformation(model, held, {.is_dynamic = true, .dt = dt}),
        nodes_(model.nodes),
        springs_(springs),
        hardening_(hardening) {}

  double respond(const VecX& u, Slope wanted, VecX& forces, SparseMatrix& slope) const override {
    double energy = 0.0;
    forces.setZero();
    if (wanted != Slope::none) std::fill_n(slope.valuePtr(), slope.nonZeros(), 0.0);
    for (const Spring& spring : springs_) {
      const Vec3 rest = nodes_[uz(spring.b)] - nodes_[uz(spring.a)];
      const Vec3 now = rest + u.segment<3>(3 * spring.b) - u.segment<3>(3 * spring.a);
      const Vec3 direction = now.normalized();
      const double s = now.norm() - rest.norm();
      const double tension = spring.stiffness * s * (1.0 + hardening_ * s * s);
      const double stiffness = spring.stiffness * (1.0 + 3.0 * hardening_ * s * s);
      energy += spring.stiffness * s * s * (0.5 + 0.25 * hardening_ * s * s);
      forces.segment<3>(3 * spring.b) += tension * direction;
      forces.segment<3>(3 * spring.a) -= tension * direction;
      if (wanted == Slope::none) continue;
      // a spring that pushes lets its ends slip aside
      const double across = wanted == Slope::not_negative ? std::max(0.0, tension) : tension;
      const Mat3 along = direction * direction.transpose();
      const Mat3 K = stiffness * along + across / now.norm() * (Mat3::Identity() - along);
      for (const auto& [row, column, sign] :
           {std::tuple(spring.a, spring.a, 1.0), std::tuple(spring.b, spring.b, 1.0),
            std::tuple(spring.a, spring.b, -1.0), std::tuple(spring.b, spring.a, -1.0)}) {
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            slope.coeffRef(3 * row + i, 3 * column + j) += sign * K(i, j);
          }
        }
      }
    }
    return energy;
  }

 private:
  std::vector<Vec3> nodes_;
  std::vector<Spring> springs_;
  double hardening_;
};

struct Tripod {
  std::vector<Vec3> nodes = {{0, 0, 0.1}, {0.1, 0, 0}, {-0.05, 0.08, 0}, {-0.05, -0.08, 0}};
  std::vector<std::array<int, 3>> triangles = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  std::vector<double> masses = {0.1, 0.1, 0.1, 0.1};
  std::vector<Spring> springs = {{0, 1, 1000.0, 0.5}, {0, 2, 1500.0, 0.5}, {0, 3, 800.0, 0.5},
                                 {1, 2, 500.0, 0.0},  {2, 3, 500.0, 0.0},  {3, 1, 500.0, 0.0}};
  std::vector<int> held = {1, 2, 3};
  SurfacePoint apex = {{0, 1, 2}, {1.0, 0.0, 0.0}};

  DeformationModel model() const {
    return make_mass_spring_model(nodes, triangles, masses, springs);
  }
  Body hardening_body(double hardening) const {
    const DeformationModel m = model();
    return Body(m.surface, m.mass.centre, RigidFrame(),
                std::make_shared<HardeningSprings>(m, held, springs, hardening));
  }
};

/// One of each kind, by name.
Body make_body(const std::string& kind) {
  const TetMesh mesh = bar();
  const DeformationModel model =
      make_elastic_model(mesh, rubber, {.damping = {.alpha = 0.5, .beta = 1e-5}});
  const std::vector<int> held = model.region_nodes("x0");
  DeformationOptions dynamic;
  dynamic.is_dynamic = true;
  dynamic.dt = dt;
  DeformationOptions second_order = dynamic;
  second_order.integration = Integration::trapezoidal;
  DeformationOptions on_demand;
  on_demand.compliance.precompute = false;
  DeformationOptions single;
  single.compliance.precision = Precision::float32;
  if (kind == "fixed") return make_fixed_body(extract_surface(mesh));
  if (kind == "rigid") {
    return make_rigid_body(extract_surface(mesh), mass_properties(mesh, rubber.density));
  }
  if (kind == "deformable") return make_deformable_body(model, held, {});
  if (kind == "deformable_euler") return make_deformable_body(model, held, dynamic);
  if (kind == "deformable_second_order") return make_deformable_body(model, held, second_order);
  if (kind == "corotational_clamped") return make_corotational_body(model, held, {});
  if (kind == "corotational_clamped_second_order") {
    return make_corotational_body(model, held, second_order);
  }
  if (kind == "corotational_free") return make_corotational_body(model, {}, {});
  if (kind == "corotational_free_euler") return make_corotational_body(model, {}, dynamic);
  if (kind == "corotational_free_second_order") {
    return make_corotational_body(model, {}, second_order);
  }
  if (kind == "corotational_on_demand") return make_corotational_body(model, {}, on_demand);
  if (kind == "corotational_float32") return make_corotational_body(model, {}, single);
  if (kind == "quasi_rigid") {
    const double mass = rubber.density * volume(mesh);
    const Material stiff{quasi_rigid_young(mesh, mass, dt), rubber.poisson, rubber.density};
    return make_corotational_body(make_elastic_model(mesh, stiff), {}, {});
  }
  if (kind == "nonlinear" || kind == "nonlinear_euler") {
    return make_nonlinear_body(mesh, rubber, ElasticLaw::neo_hooke, model, held,
                               {.is_dynamic = kind == "nonlinear_euler", .dt = dt});
  }
  if (kind == "relinearised") return Tripod().hardening_body(500.0);
  throw std::logic_error(kind);
}

class EveryBody : public testing::TestWithParam<const char*> {};

TEST_P(EveryBody, MovesUnderForcesAsItsComplianceSays) {
  const Body body = make_body(GetParam());
  BodyState state = body.initial_state(Vec3(1, 2, 3), rotation_exp(Vec3(0.4, -1.1, 0.3)));
  state.frame.velocity = Vec3(0.2, 0.1, -0.3);
  BodyStep step = body.make_step(8);
  BodyLoad load;
  load.frame.gravity = Vec3(0, 0, -9.81);
  // some deformation and motion to start from
  const auto points = some_points(body.surface(), 8);
  for (int i = 0; i < 3; ++i) {
    body.compute_free_motion(state, load, dt, step);
    body.correct(points, some_forces(8, 0.05), step, state);
  }

  body.compute_free_motion(state, load, dt, step);
  MatX W = MatX::Zero(24, 24);
  add_world_compliance(body, state, points, step, W);
  EXPECT_LE((W - W.transpose()).norm(), 1e-12 * W.norm());
  if (W.norm() > 0.0) {
    const VecX eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(W).eigenvalues();
    EXPECT_GT(eigenvalues.minCoeff(), -1e-7 * eigenvalues.maxCoeff());
  }

  // small forces, since the rotation of the frame is not linear
  const auto forces = some_forces(8, 1e-5);
  VecX f(24);
  for (int i = 0; i < 8; ++i) f.segment<3>(3 * i) = forces[uz(i)];
  const VecX expected = W * f;
  BodyState untouched = state;
  body.correct({}, {}, step, untouched);
  body.correct(points, forces, step, state);
  for (int i = 0; i < 8; ++i) {
    const Vec3 moved =
        body.position(state, points[uz(i)]) - body.position(untouched, points[uz(i)]);
    // torque arms are those of the beginning of the step, positions those of its end
    EXPECT_LT((moved - expected.segment<3>(3 * i)).norm(), 5e-3 * expected.norm() + 1e-15) << i;
  }
}

TEST(RigidBody, HeldByContactForcesItStaysWhateverPushesIt) {
  // free, it would turn by two degrees in the step
  const TetMesh mesh = make_box({0.1, 0.07, 0.06}, {1, 1, 1}, ElementType::tet4);
  const Body body = make_rigid_body(extract_surface(mesh), mass_properties(mesh, 100.0));
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(8);
  BodyLoad load;
  load.frame.wrench << 1.0, -2.0, -5.0, 0.15, 0.1, -0.05;
  body.compute_free_motion(state, load, 2e-3, step);
  EXPECT_GT(step.frame.displacement.tail<3>().norm(), 0.02);

  // forces on three points that leave them where they are
  std::vector<SurfacePoint> points;
  for (const int corner : {0, 3, 5}) points.push_back({{corner, corner, corner}, {1.0, 0.0, 0.0}});
  MatX W = MatX::Zero(9, 9);
  add_world_compliance(body, state, points, step, W);
  VecX motion(9);
  std::vector<Vec3> before;
  for (int i = 0; i < 3; ++i) {
    before.push_back(body.position(state, points[uz(i)]));
    motion.segment<3>(3 * i) = body.free_position(state, step, points[uz(i)]) - before.back();
  }
  const VecX f = W.completeOrthogonalDecomposition().solve(-motion);
  std::vector<Vec3> forces;
  for (int i = 0; i < 3; ++i) forces.emplace_back(f.segment<3>(3 * i));
  body.correct(points, forces, step, state);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT((body.position(state, points[uz(i)]) - before[uz(i)]).norm(), 1e-12);
  }
}

TEST_P(EveryBody, IsCorrectedAgainFromTheSameBeginningAsIfForTheFirstTime) {
  const Body body = make_body(GetParam());
  BodyState start = body.initial_state();
  start.frame.velocity = Vec3(0.2, 0.1, -0.3);
  const auto points = some_points(body.surface(), 8);
  const auto forces = some_forces(8, 0.05);
  BodyLoad load;
  load.frame.gravity = Vec3(0, 0, -9.81);
  const auto end_after = [&](const std::vector<std::vector<Vec3>>& rounds) {
    BodyStep step = body.make_step(8);
    body.compute_free_motion(start, load, dt, step);
    BodyState end = start;
    for (const std::vector<Vec3>& round : rounds) {
      MatX W = MatX::Zero(24, 24);
      add_world_compliance(body, start, points, step, W);
      end = start;
      body.correct(points, round, step, end);
    }
    return std::pair(end, body.energy(end, step, load.frame.gravity));
  };
  const auto [once, energy_once] = end_after({forces});
  const auto [again, energy_again] = end_after({some_forces(8, 3.0), forces});
  EXPECT_EQ(again.frame.position, once.frame.position);
  EXPECT_EQ(again.frame.orientation.coeffs(), once.frame.orientation.coeffs());
  EXPECT_EQ(again.frame.velocity, once.frame.velocity);
  EXPECT_EQ(again.frame.angular_velocity, once.frame.angular_velocity);
  EXPECT_EQ(again.deformation.u.all(), once.deformation.u.all());
  EXPECT_EQ(again.deformation.v, once.deformation.v);
  EXPECT_EQ(energy_again, energy_once);
}

TEST_P(EveryBody, AllocatesNothingInAStep) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const Body body = make_body(GetParam());
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(10);
  const auto points = some_points(body.surface(), 10);
  const auto forces = some_forces(10, 0.01);
  std::vector<Vec3> positions(body.surface().points.size());
  const std::vector<Mat3> axes(10, Mat3::Identity());
  PointCompliance compliance(10);
  MatX W = MatX::Zero(30, 30);
  BodyLoad load;
  load.frame.gravity = Vec3(0, 0, -9.81);
  load.frame.K_c.diagonal().setConstant(100.0);
  const auto run = [&] {
    body.compute_free_motion(state, load, dt, step);
    compliance.take(body, state, points, axes, Motion::whole, step);
    for (int j = 0; j < 10; ++j) compliance.add_columns(j, W.block(3 * j, 3 * j, 30 - 3 * j, 3));
    body.correct(points, forces, step, state);
    body.surface_positions(state, positions);
  };
  run();
  const std::size_t before = testing_support::allocation_count();
  for (int i = 0; i < 20; ++i) run();
  EXPECT_EQ(testing_support::allocation_count(), before);
}

TEST_P(EveryBody, PointsAndWholeSurfaceAgree) {
  const Body body = make_body(GetParam());
  BodyState state = body.initial_state(Vec3(1, 0, 0), rotation_exp(Vec3(0.2, 0.1, 0.7)));
  BodyStep step = body.make_step(4);
  const auto points = some_points(body.surface(), 4);
  body.compute_free_motion(state, {}, dt, step);
  body.correct(points, some_forces(4, 0.1), step, state);
  std::vector<Vec3> positions(body.surface().points.size());
  body.surface_positions(state, positions);
  for (const SurfacePoint& point : points) {
    Vec3 expected = Vec3::Zero();
    for (std::size_t c = 0; c < 3; ++c) {
      expected += point.weight[c] * positions[uz(point.corner[c])];
    }
    EXPECT_LT((body.position(state, point) - expected).norm(), 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryBody,
                         testing::Values("fixed", "rigid", "deformable", "deformable_euler",
                                         "deformable_second_order", "corotational_clamped",
                                         "corotational_free", "corotational_free_euler",
                                         "corotational_free_second_order", "corotational_on_demand",
                                         "corotational_float32", "quasi_rigid", "relinearised",
                                         "nonlinear", "nonlinear_euler"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Body, StartsWhereTheMeshIsPut) {
  for (const char* kind : {"rigid", "corotational_free", "deformable"}) {
    const Body body = make_body(kind);
    const Quat turn = rotation_exp(Vec3(0.5, 0.2, 0.1));
    const BodyState state = body.initial_state(Vec3(1, 2, 3), turn);
    std::vector<Vec3> positions(body.surface().points.size());
    body.surface_positions(state, positions);
    double nearest = 1.0;  // the corner of the box at the mesh's origin
    for (const Vec3& p : positions) nearest = std::min(nearest, (p - Vec3(1, 2, 3)).norm());
    EXPECT_LT(nearest, 1e-14) << kind;
  }
}

TEST(Body, CorotationTurnsForcesWithTheBody) {
  // f(R x) = R f(x): the same load, turned with the body, deforms it the same way
  const Body body = make_body("corotational_free");
  BodyStep step = body.make_step(6);
  const auto points = some_points(body.surface(), 6);
  const auto forces = some_forces(6, 1.0);
  BodyState reference = body.initial_state();
  body.compute_free_motion(reference, {}, dt, step);
  MatX W = MatX::Zero(18, 18);
  add_world_compliance(body, reference, points, step, W);
  body.correct(points, forces, step, reference);

  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(0.0, 180.0);
  double worst_shape = 0.0;
  double worst_compliance = 0.0;
  for (int trial = 0; trial < 10000; ++trial) {
    const double degrees = trial % 10 == 0 ? 179.9 : angle(random);
    const Vec3 axis = Vec3(normal(random), normal(random), normal(random)).normalized();
    const Quat turn = rotation_exp(degrees * std::numbers::pi / 180.0 * axis);
    const Mat3 R = turn.toRotationMatrix();
    BodyState state = body.initial_state(Vec3::Zero(), turn);
    body.compute_free_motion(state, {}, dt, step);
    std::vector<Vec3> turned;
    for (const Vec3& force : forces) turned.push_back(R * force);
    if (trial % 50 == 0) {
      MatX V = MatX::Zero(18, 18);
      add_world_compliance(body, state, points, step, V);
      for (int i = 0; i < 18; i += 3) {
        for (int j = 0; j < 18; j += 3) {
          const Mat3 expected = R * W.block<3, 3>(i, j) * R.transpose();
          worst_compliance = std::max(worst_compliance, (V.block<3, 3>(i, j) - expected).norm());
        }
      }
    }
    body.correct(points, turned, step, state);
    worst_shape =
        std::max(worst_shape, (state.deformation.u.all() - reference.deformation.u.all()).norm());
    worst_shape =
        std::max(worst_shape, (state.frame.position - R * reference.frame.position).norm());
  }
  EXPECT_LT(worst_shape, 1e-10 * reference.deformation.u.all().norm());
  EXPECT_LT(worst_compliance, 1e-10 * W.norm());
}

TEST(Body, RigidRotationCausesNoDeformation) {
  for (const char* kind :
       {"corotational_free", "corotational_free_euler", "corotational_free_second_order"}) {
    const Body body = make_body(kind);
    BodyState state = body.initial_state();
    state.frame.angular_velocity = Vec3(5.0, -3.0, 8.0);
    BodyStep step = body.make_step(1);
    BodyLoad load;
    load.frame.gravity = Vec3(0, 0, -9.81);
    for (int i = 0; i < 300; ++i) {
      body.compute_free_motion(state, load, dt, step);
      body.correct({}, {}, step, state);
    }
    // in free fall weight strains nothing
    EXPECT_LT(state.deformation.u.all().cwiseAbs().maxCoeff(), 1e-12) << kind;
    EXPECT_NEAR(state.frame.velocity.z(), -9.81 * 0.3, 1e-10);
  }
}

TEST(Body, StiffLimitIsTheRigidBody) {
  // a force that turns with the hour hand, on one corner, for half a second at 3 ms
  const double step_s = 3e-3;
  const TetMesh mesh = bar();
  const auto fly = [&](const Body& body) {
    const auto points = some_points(body.surface(), 2);
    BodyState state = body.initial_state();
    state.frame.position.setZero();
    BodyStep step = body.make_step(2);
    for (int i = 0; i < 170; ++i) {
      const double phase = 0.02 * i;
      const std::vector<Vec3> forces = {Vec3(std::cos(phase), std::sin(phase), 0.2),
                                        Vec3(-0.5, 0.1, 0.3 * std::sin(phase))};
      body.compute_free_motion(state, {}, step_s, step);
      body.correct(points, forces, step, state);
    }
    return body.position(state, points[0]);
  };
  const Body rigid = make_rigid_body(make_elastic_model(mesh, rubber).surface,
                                     {mass_properties(mesh, rubber.density).mass, Vec3::Zero(),
                                      mass_properties(mesh, rubber.density).inertia});
  const Vec3 expected = fly(rigid);
  ASSERT_GT(expected.norm(), 0.1);
  double last = 1.0;
  for (const double young : {1e6, 1e8, 1e10, 1e12}) {
    DeformationOptions dynamic;
    dynamic.is_dynamic = true;
    dynamic.dt = step_s;
    const DeformationModel model = make_elastic_model(mesh, {young, 0.4, rubber.density});
    for (const DeformationOptions& options : {DeformationOptions{}, dynamic}) {
      const Vec3 end = fly(make_corotational_body(model, {}, options));
      const double error = (end - expected).norm() / expected.norm();
      EXPECT_LE(error, 1.1 * last) << young;
      if (young == 1e12) {
        EXPECT_LT(error, 1e-3);
      }
      if (!options.is_dynamic) last = error;
    }
  }
}

TEST(Deformable, HangingBarStretchesUnderItsOwnWeight) {
  // u(L) = rho g L^2 / 2E, exact for a quadratic element without lateral contraction
  const double L = 0.5;
  const Material material{1e5, 0.0, 1000.0};
  const DeformationModel model =
      make_elastic_model(make_box({L, 0.1, 0.1}, {4, 1, 1}, ElementType::tet10), material);
  const Body body = make_deformable_body(model, model.region_nodes("x0"), {});
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  BodyLoad load;
  load.frame.gravity = Vec3(9.81, 0, 0);
  body.compute_free_motion(state, load, dt, step);
  body.correct({}, {}, step, state);
  const double expected = 1000.0 * 9.81 * L * L / (2.0 * 1e5);
  for (const int node : model.region_nodes("x1")) {
    EXPECT_NEAR(state.deformation.u[node].x(), expected, 1e-9 * expected);
  }
}

TEST(Deformable, WeightPullsDownHoweverTheBodyIsTurned) {
  // the same bar, hung by its end with its axis turned away from gravity, sags as in the frame
  const double L = 0.5;
  const Material material{1e5, 0.0, 1000.0};
  const DeformationModel model =
      make_elastic_model(make_box({L, 0.1, 0.1}, {4, 1, 1}, ElementType::tet10), material);
  const Body body = make_deformable_body(model, model.region_nodes("x0"), {});
  const Quat turn = rotation_exp(Vec3(0.3, 1.9, -0.4));
  const Vec3 axis = turn * Vec3::UnitX();
  BodyState state = body.initial_state(Vec3(1, 2, 3), turn);
  BodyStep step = body.make_step(1);
  BodyLoad load;
  load.frame.gravity = 9.81 * axis;
  body.compute_free_motion(state, load, dt, step);
  body.correct({}, {}, step, state);
  const double expected = 1000.0 * 9.81 * L * L / (2.0 * 1e5);
  for (const int node : model.region_nodes("x1")) {
    const Vec3 moved = turn * state.deformation.u[node];
    EXPECT_LT((moved - expected * axis).norm(), 1e-8 * expected);
  }
}

TEST(Corotational, LoadCasesTurnWithTheBody) {
  // an eccentric force in the frame's axes: force and torque on the frame follow its turning
  const DeformationModel model = make_elastic_model(bar(), rubber);
  DeformationOptions options;
  options.load_cases = MatX::Zero(3 * model.node_count(), 1);
  const int corner = model.surface.triangles[0][0];
  const Vec3 force(0.3, -0.5, 0.7);
  options.load_cases.col(0).segment<3>(3 * corner) = force;
  const std::array<double, 1> weight = {1.5};
  BodyLoad load;
  load.cases = weight;
  const Body body = make_corotational_body(model, {}, options);
  const Quat turn = rotation_exp(Vec3(0.7, -0.3, 1.1));
  BodyState state = body.initial_state(Vec3::Zero(), turn);
  BodyStep step = body.make_step(1);
  body.compute_free_motion(state, load, dt, step);
  body.correct({}, {}, step, state);
  const Vec3 acting = turn * (1.5 * force);
  const Vec3 torque = (turn * model.nodes[uz(corner)]).cross(acting);
  EXPECT_LT((state.frame.velocity - dt / model.mass.mass * acting).norm(),
            1e-10 * state.frame.velocity.norm());
  EXPECT_LT((body.frame().angular_momentum(state.frame) - dt * torque).norm(),
            1e-8 * dt * torque.norm());
}

TEST(DynamicDeformation, RayleighDampingEatsAModeAsItsRatioSays) {
  // zeta = alpha / 2w + beta w / 2; over a cycle exp(-2 pi zeta / sqrt(1 - zeta^2)) is left
  const TetMesh mesh = make_box({0.1, 0.01, 0.012}, {8, 1, 1}, ElementType::tet10);
  const Material material{2e6, 0.3, 1000.0};
  const DeformationModel bare = make_elastic_model(mesh, material);
  const Vibration vibration = lowest_vibrations(bare, bare.region_nodes("x0"), 1);
  const double w = 2.0 * std::numbers::pi * vibration.frequencies_hz[0];
  const int steps_a_cycle = 400;
  const double h = 2.0 * std::numbers::pi / w / steps_a_cycle;
  for (const Damping damping : {Damping{0.1 * w, 0.0}, Damping{0.0, 0.1 / w}}) {
    const double zeta = damping.alpha / (2.0 * w) + damping.beta * w / 2.0;
    ASSERT_NEAR(zeta, 0.05, 1e-12);
    const DeformationModel model = make_elastic_model(mesh, material, {.damping = damping});
    for (const Integration integration : {Integration::trapezoidal, Integration::implicit_euler}) {
      DeformationOptions options;
      options.is_dynamic = true;
      options.dt = h;
      options.integration = integration;
      const Body body = make_deformable_body(model, model.region_nodes("x0"), options);
      BodyState state = body.initial_state();
      state.deformation.u = 1e-4 * vibration.modes.col(0);
      BodyStep step = body.make_step(1);
      const auto* deformation = dynamic_cast<const DynamicDeformation*>(body.deformation());
      const double before = deformation->energy(state.deformation);
      for (int i = 0; i < 2 * steps_a_cycle; ++i) {
        body.compute_free_motion(state, {}, h, step);
        body.correct({}, {}, step, state);
      }
      double law = std::exp(-4.0 * std::numbers::pi * zeta);
      if (integration == Integration::implicit_euler) {
        law *= std::pow(1.0 + w * w * h * h, -steps_a_cycle);  // what Euler's rule eats besides
      }
      EXPECT_NEAR(std::sqrt(deformation->energy(state.deformation) / before) / law, 1.0, 0.01);
    }
  }
}

TEST(DynamicDeformation, OfASlenderStiffFreeBodyIsTheDenseAnswer) {
  // a steel ruler at 3 ms: inertia is tiny beside the stiffness, yet it is what makes the matrix
  // regular
  const double h = 3e-3;
  const DeformationModel model = make_elastic_model(
      make_box({0.5, 0.02, 0.001}, {20, 1, 1}, ElementType::tet10), {210e9, 0.3, 7800.0});
  DeformationOptions options;
  options.is_dynamic = true;
  options.dt = h;
  const Body body = make_corotational_body(model, {}, options);
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  body.compute_free_motion(state, {}, h, step);
  const SurfacePoint point{body.surface().triangles[3], {0.2, 0.3, 0.5}};
  const Vec3 force(0.0, 0.0, 1.0);
  body.correct({&point, 1}, {&force, 1}, step, state);

  // modes of the body: each elastic one answers by 1 / (1/h^2 + w^2), the slowest rule
  const Vibration vibration = lowest_vibrations(model, {}, 40);
  VecX expected = VecX::Zero(3 * model.node_count());
  VecX f = VecX::Zero(3 * model.node_count());
  for (std::size_t c = 0; c < 3; ++c) {
    f.segment<3>(3 * point.corner[c]) += point.weight[c] * force;
  }
  for (int k = 6; k < 40; ++k) {
    const double w = 2.0 * std::numbers::pi * vibration.frequencies_hz[k];
    expected += vibration.modes.col(k).dot(f) / (1.0 / (h * h) + w * w) * vibration.modes.col(k);
  }
  EXPECT_LT((state.deformation.u.all() - expected).norm(), 1e-3 * expected.norm());
}

TEST(Deformable, LoadCasesActOnShapeAndOnFrame) {
  const TetMesh mesh = bar();
  const DeformationModel model = make_elastic_model(mesh, rubber);
  DeformationOptions options;
  options.load_cases = MatX::Zero(3 * model.node_count(), 1);
  for (const int node : model.region_nodes("x1")) {
    options.load_cases(3 * node, 0) = 1.0 / static_cast<double>(model.region_nodes("x1").size());
  }
  const std::array<double, 1> weight = {2.0};
  BodyLoad load;
  load.cases = weight;

  const Body held = make_deformable_body(model, model.region_nodes("x0"), options);
  BodyState state = held.initial_state();
  BodyStep step = held.make_step(1);
  held.compute_free_motion(state, load, dt, step);
  held.correct({}, {}, step, state);
  // stretch of a bar by 2 N, a little less than F L / E A because its foot cannot contract
  const double stretch = 2.0 * 0.12 / (rubber.young * 0.03 * 0.04);
  double mean = 0.0;
  for (const int node : model.region_nodes("x1")) mean += state.deformation.u[node].x();
  mean /= static_cast<double>(model.region_nodes("x1").size());
  EXPECT_NEAR(mean / stretch, 1.0, 0.08);

  const Body flying = make_corotational_body(model, {}, options);
  state = flying.initial_state();
  step = flying.make_step(1);
  flying.compute_free_motion(state, load, dt, step);
  flying.correct({}, {}, step, state);
  EXPECT_NEAR(state.frame.velocity.x(), 2.0 * dt / model.mass.mass, 1e-12);
}

/// A cantilever whose first bending frequency is 100 Hz, plucked in that mode.
struct PluckedCantilever {
  explicit PluckedCantilever(Integration integration) {
    Material material{1e6, 0.3, 1000.0};
    const TetMesh mesh = make_box({0.1, 0.01, 0.012}, {8, 1, 1}, ElementType::tet10);
    DeformationModel model = make_elastic_model(mesh, material);
    const auto first = [&] {
      return lowest_vibrations(model, model.region_nodes("x0"), 1).frequencies_hz[0];
    };
    material.young *= std::pow(100.0 / first(), 2);
    model = make_elastic_model(mesh, material);
    EXPECT_NEAR(first(), 100.0, 1e-6);
    DeformationOptions options;
    options.is_dynamic = true;
    options.dt = dt;
    options.integration = integration;
    body.emplace(make_deformable_body(model, model.region_nodes("x0"), options));
    state = body->initial_state();
    const Vibration vibration = lowest_vibrations(model, model.region_nodes("x0"), 1);
    state.deformation.u = 1e-4 * vibration.modes.col(0);
    step = body->make_step(1);
  }
  double energy() const {
    return dynamic_cast<const DynamicDeformation*>(body->deformation())->energy(state.deformation);
  }
  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      body->compute_free_motion(state, {}, dt, step);
      body->correct({}, {}, step, state);
    }
  }
  std::optional<Body> body;
  BodyState state;
  BodyStep step;
};

TEST(DynamicDeformation, EulerLosesWhatItsLawSays) {
  PluckedCantilever beam(Integration::implicit_euler);
  const double before = beam.energy();
  beam.run(10);  // one cycle
  const double kept = std::sqrt(beam.energy() / before);
  const double wh = 2.0 * std::numbers::pi * 100.0 * dt;
  const double law = std::pow(1.0 + wh * wh, -0.5 * 10);
  EXPECT_NEAR(kept / law, 1.0, 0.01);
  EXPECT_NEAR(law, 0.19, 0.01);
}

TEST(DynamicDeformation, TrapezoidalRuleKeepsTheClick) {
  PluckedCantilever beam(Integration::trapezoidal);
  const double before = beam.energy();
  beam.run(10);
  EXPECT_GT(std::sqrt(beam.energy() / before), 0.95);
  beam.run(990);  // and for a hundred cycles
  EXPECT_NEAR(beam.energy() / before, 1.0, 1e-9);
}

TEST(DynamicDeformation, TrapezoidalRuleIsOfSecondOrder) {
  const auto tip_after = [](Integration integration, int substeps) {
    const double h = 2e-3 / substeps;
    const DeformationModel model = make_elastic_model(
        make_box({0.1, 0.01, 0.01}, {4, 1, 1}, ElementType::tet10), {2e6, 0.3, 1000.0});
    DeformationOptions options;
    options.is_dynamic = true;
    options.dt = h;
    options.integration = integration;
    const auto& held = model.region_nodes("x0");
    const Body body = make_deformable_body(model, held, options);
    BodyState state = body.initial_state();
    state.deformation.u = 1e-4 * lowest_vibrations(model, held, 1).modes.col(0);
    BodyStep step = body.make_step(1);
    for (int i = 0; i < 4 * substeps; ++i) {
      body.compute_free_motion(state, {}, h, step);
      body.correct({}, {}, step, state);
    }
    return state.deformation.u.all();
  };
  const VecX exact = tip_after(Integration::trapezoidal, 256);
  const auto order = [&](Integration integration) {
    const double coarse = (tip_after(integration, 8) - exact).norm();
    const double fine = (tip_after(integration, 16) - exact).norm();
    return std::log2(coarse / fine);
  };
  EXPECT_NEAR(order(Integration::trapezoidal), 2.0, 0.1);
  EXPECT_NEAR(order(Integration::implicit_euler), 1.0, 0.2);
}

class Bouncing : public testing::TestWithParam<Integration> {};

TEST_P(Bouncing, ContactNeverGainsEnergy) {
  // a soft bar, thrown at a wall its tip meets; the one contact obeys Signorini's law
  const DeformationModel model = make_elastic_model(
      make_box({0.1, 0.02, 0.02}, {6, 1, 1}, ElementType::tet10), {2e5, 0.3, 1000.0});
  DeformationOptions options;
  options.is_dynamic = true;
  options.dt = dt;
  options.integration = GetParam();
  const Body body = make_deformable_body(model, model.region_nodes("x0"), options);
  const auto* deformation = dynamic_cast<const DynamicDeformation*>(body.deformation());
  BodyState state = body.initial_state();
  for (int i = 0; i < model.node_count(); ++i) {
    state.deformation.v[3 * i + 2] = -5.0 * (model.nodes[uz(i)].x() - model.nodes[0].x());
  }
  for (const int node : model.region_nodes("x0")) {
    state.deformation.v.segment<3>(3 * node).setZero();
  }
  SurfacePoint tip{};
  for (const auto& triangle : body.surface().triangles) {
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& p = body.surface().points[uz(triangle[c])];
      if (p.x() > 0.0499 && p.z() < -0.0099 && p.y() < -0.0099) {
        tip = {triangle, {0, 0, 0}};
        tip.weight[c] = 1.0;
      }
    }
  }
  const double wall = body.position(state, tip).z() - 1e-3;

  BodyStep step = body.make_step(1);
  double energy = deformation->energy(state.deformation);
  const double initial = energy;
  int touched = 0;
  for (int i = 0; i < 3000; ++i) {
    body.compute_free_motion(state, {}, dt, step);
    MatX W = MatX::Zero(3, 3);
    add_world_compliance(body, state, {&tip, 1}, step, W);
    const double gap_free = body.free_position(state, step, tip).z() - wall;
    const Vec3 force(0, 0, std::max(0.0, -gap_free / W(2, 2)));
    body.correct({&tip, 1}, {&force, 1}, step, state);
    EXPECT_GT(body.position(state, tip).z() - wall, -1e-12);
    const double now = deformation->energy(state.deformation);
    ASSERT_LT(now, energy + 1e-12 * initial) << "step " << i;
    energy = now;
    touched += force.z() > 0.0 ? 1 : 0;
  }
  EXPECT_GT(touched, 3);
  EXPECT_LT(energy, 0.9 * initial);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Bouncing,
                         testing::Values(Integration::implicit_euler, Integration::trapezoidal),
                         [](const auto& info) {
                           return info.param == Integration::implicit_euler ? "Euler"
                                                                            : "Trapezoidal";
                         });

TEST(DynamicDeformation, PressedPointHardlyBounces) {
  // under a steady load against a wall, with no damping at all
  const DeformationModel model =
      make_elastic_model(make_box({0.1, 0.02, 0.02}, {6, 1, 1}, ElementType::tet10),
                         {2e5, 0.3, 1000.0}, {.damping = {.alpha = 0.0, .beta = 0.0}});
  DeformationOptions options;
  options.is_dynamic = true;
  options.dt = dt;
  options.integration = Integration::trapezoidal;
  const Body body = make_deformable_body(model, model.region_nodes("x0"), options);
  const SurfacePoint tip = [&] {
    for (const auto& triangle : body.surface().triangles) {
      for (std::size_t c = 0; c < 3; ++c) {
        const Vec3& p = body.surface().points[uz(triangle[c])];
        if (p.x() > 0.0499 && p.z() < -0.0099) {
          SurfacePoint point{triangle, {0, 0, 0}};
          point.weight[c] = 1.0;
          return point;
        }
      }
    }
    return SurfacePoint{};
  }();
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  const double wall = body.position(state, tip).z();
  BodyLoad load;
  load.frame.gravity = Vec3(0, 0, -9.81);
  double force_sum = 0.0;
  double flips = 0.0;  // how much the force goes to and fro from step to step
  double last_force = 0.0;
  double last_but_one = 0.0;
  for (int i = 0; i < 4000; ++i) {
    body.compute_free_motion(state, load, dt, step);
    MatX W = MatX::Zero(3, 3);
    add_world_compliance(body, state, {&tip, 1}, step, W);
    const Vec3 force(0, 0,
                     std::max(0.0, (wall - body.free_position(state, step, tip).z()) / W(2, 2)));
    body.correct({&tip, 1}, {&force, 1}, step, state);
    if (i >= 3500) {
      force_sum += force.z();
      flips += std::abs(force.z() - 2.0 * last_force + last_but_one) / 4.0;
    }
    last_but_one = last_force;
    last_force = force.z();
  }
  EXPECT_GT(force_sum, 0.0);
  EXPECT_LT(flips, 0.005 * force_sum);
}

TEST(QuasiRigid, MakesContactForcesUniqueWithoutBeingNoticed) {
  const Body body = make_body("quasi_rigid");
  const Body rigid = make_body("rigid");
  const auto points = some_points(body.surface(), 8);
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(8);
  body.compute_free_motion(state, {}, dt, step);
  MatX W = MatX::Zero(24, 24);
  add_world_compliance(body, state, points, step, W);
  const VecX eigenvalues = Eigen::SelfAdjointEigenSolver<MatX>(W).eigenvalues();
  EXPECT_GT(eigenvalues.minCoeff(), 1e-6 * eigenvalues.maxCoeff());

  // deformation is a small part of what the body yields
  MatX rigid_part = MatX::Zero(24, 24);
  BodyState rigid_state = rigid.initial_state();
  BodyStep rigid_step = rigid.make_step(8);
  rigid.compute_free_motion(rigid_state, {}, dt, rigid_step);
  // the same points by position: the surfaces are numbered differently
  std::vector<Vec3> arms;
  for (const SurfacePoint& point : points) {
    arms.push_back(body.position(state, point) - state.frame.position);
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const Mat6& C = rigid_step.frame.compliance;
      Eigen::Matrix<double, 3, 6> Ji, Jj;
      Ji << Mat3::Identity(), -skew(arms[uz(i)]);
      Jj << Mat3::Identity(), -skew(arms[uz(j)]);
      rigid_part.block<3, 3>(3 * i, 3 * j) = Ji * C * Jj.transpose();
    }
  }
  const double share = (W - rigid_part).trace() / rigid_part.trace();
  EXPECT_GT(share, 0.002);  // about the hundredth that was asked for
  EXPECT_LT(share, 0.02);
}

TEST(MatrixModel, BehavesAsTheBodyItsMatricesCameFrom) {
  const TetMesh mesh = bar(ElementType::tet4);
  const SparseMatrix K = assemble_stiffness(mesh, rubber);
  const SparseMatrix M = assemble_mass(mesh, rubber.density, MassKind::consistent);
  const Surface surface = extract_surface(mesh);
  std::vector<std::array<int, 3>> triangles = surface.triangles;
  for (auto& triangle : triangles) {
    for (int& corner : triangle) corner = surface.mesh_nodes[uz(corner)];
  }
  const DeformationModel given =
      make_matrix_model(mesh.nodes, triangles, M, SparseMatrix(), K, mesh.regions);
  const DeformationModel ours = make_elastic_model(mesh, rubber);
  EXPECT_NEAR(given.mass.mass, ours.mass.mass, 1e-12);
  MatX W[2];
  const DeformationModel* models[2] = {&given, &ours};
  for (int k = 0; k < 2; ++k) {
    const Body body = make_corotational_body(*models[k], models[k]->region_nodes("x0"), {});
    BodyState state = body.initial_state();
    BodyStep step = body.make_step(5);
    body.compute_free_motion(state, {}, dt, step);
    W[k] = MatX::Zero(15, 15);
    add_world_compliance(body, state, some_points(body.surface(), 5), step, W[k]);
  }
  EXPECT_LT((W[0] - W[1]).norm(), 1e-11 * W[1].norm());
}

TEST(MatrixModel, RefusesMatricesOfTheWrongSize) {
  const std::vector<Vec3> nodes(4, Vec3::Zero());
  SparseMatrix right(12, 12);
  SparseMatrix wrong(11, 11);
  EXPECT_THROW(make_matrix_model(nodes, {}, wrong, {}, right), InputError);
  EXPECT_THROW(make_matrix_model(nodes, {}, right, {}, wrong), InputError);
  EXPECT_THROW(make_matrix_model(nodes, {{0, 1, 7}}, right, {}, right), InputError);
}

TEST(MassSpring, ApexOfATripodYieldsByItsThreeSprings) {
  const Tripod tripod;
  const Body body = make_deformable_body(tripod.model(), tripod.held, {});
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  body.compute_free_motion(state, {}, dt, step);
  MatX W = MatX::Zero(3, 3);
  add_world_compliance(body, state, {&tripod.apex, 1}, step, W);
  Mat3 K = Mat3::Zero();
  for (int s = 0; s < 3; ++s) {
    const Vec3 d = (tripod.nodes[uz(s + 1)] - tripod.nodes[0]).normalized();
    K += tripod.springs[uz(s)].stiffness * d * d.transpose();
  }
  EXPECT_LT((W * K - Mat3::Identity()).norm(), 1e-12);
}

TEST(Relinearised, SettlesInTheNonlinearEquilibriumWithTheComplianceOfThatPlace) {
  const Tripod tripod;
  const Body body = tripod.hardening_body(2000.0);
  const Vec3 pull(0.5, 1.0, 8.0);
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  for (int i = 0; i < 20000; ++i) {
    body.compute_free_motion(state, {}, dt, step);
    body.correct({&tripod.apex, 1}, {&pull, 1}, step, state);
  }
  const Vec3 u = state.deformation.u[0];

  // inner force of the springs at u, straight from their law
  const auto inner = [&](const Vec3& at) {
    Vec3 force = Vec3::Zero();
    for (int s = 0; s < 3; ++s) {
      const Vec3 rest = tripod.nodes[0] - tripod.nodes[uz(s + 1)];
      const Vec3 now = rest + at;
      const double stretch = now.norm() - rest.norm();
      force += tripod.springs[uz(s)].stiffness * stretch * (1.0 + 2000.0 * stretch * stretch) *
               now.normalized();
    }
    return force;
  };
  EXPECT_LT((inner(u) - pull).norm(), 1e-8 * pull.norm());

  // its compliance there: slope by differences, plus inertia and damping of the step
  body.compute_free_motion(state, {}, dt, step);
  MatX W = MatX::Zero(3, 3);
  add_world_compliance(body, state, {&tripod.apex, 1}, step, W);
  Mat3 K_tilde = 0.1 / (dt * dt) * Mat3::Identity();
  for (int s = 0; s < 3; ++s) {
    const Vec3 d = (tripod.nodes[uz(s + 1)] - tripod.nodes[0]).normalized();
    K_tilde += 0.5 / dt * d * d.transpose();
  }
  Mat3 slope;
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = 1e-6 * Vec3::Unit(k);
    slope.col(k) = (inner(u + e) - inner(u - e)) / 2e-6;
  }
  EXPECT_LT((W * (K_tilde + slope) - Mat3::Identity()).norm(), 1e-6);
  // and it is not that of the rest position
  Mat3 at_rest;
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = 1e-6 * Vec3::Unit(k);
    at_rest.col(k) = (inner(e) - inner(-e)) / 2e-6;
  }
  EXPECT_GT((W * (K_tilde + at_rest) - Mat3::Identity()).norm(), 1e-4);
}

TEST(MatrixModel, KeepsRegionsAndDampingWhenTheInsideComesFirst) {
  // nodes in reverse, so that the surface is renumbered for certain
  const TetMesh mesh = make_box({0.12, 0.06, 0.06}, {4, 2, 2}, ElementType::tet4);
  std::vector<int> reverse(mesh.nodes.size());
  for (std::size_t i = 0; i < reverse.size(); ++i) {
    reverse[i] = static_cast<int>(reverse.size() - 1 - i);
  }
  const TetMesh turned = renumbered(mesh, reverse);
  const SparseMatrix K = assemble_stiffness(turned, rubber);
  const SparseMatrix M = assemble_mass(turned, rubber.density, MassKind::consistent);
  const Surface surface = extract_surface(turned);
  std::vector<std::array<int, 3>> triangles = surface.triangles;
  for (auto& triangle : triangles) {
    for (int& corner : triangle) corner = surface.mesh_nodes[uz(corner)];
  }
  const DeformationModel model =
      make_matrix_model(turned.nodes, triangles, M, 1e-3 * K, K, turned.regions);
  EXPECT_LT((MatX(model.D) - 1e-3 * MatX(model.K)).norm(), 1e-15 * model.K.norm());
  for (const int node : model.region_nodes("x1")) {
    EXPECT_NEAR((model.nodes[uz(node)] + model.mass.centre).x(), 0.12, 1e-12);
  }
  for (int i = 0; i < model.surface_count(); ++i) {
    EXPECT_EQ(model.surface.points[uz(i)], model.nodes[uz(i)]);
  }
}

TEST(Body, SaysWhereContactMayHappen) {
  const DeformationModel model = make_elastic_model(bar(), rubber, {.contact_regions = {"z1"}});
  const Body body = make_corotational_body(model, model.region_nodes("x0"), {});
  int touching = 0;
  for (const auto& triangle : body.surface().triangles) {
    bool is_on_top = true;
    for (const int corner : triangle) {
      is_on_top = is_on_top && (body.surface().points[uz(corner)] + model.mass.centre).z() > 0.0399;
    }
    EXPECT_EQ(body.may_touch(triangle), is_on_top);
    touching += is_on_top ? 1 : 0;
  }
  EXPECT_GT(touching, 0);
}

TEST(Deformable, MustBeHeldSomewhere) {
  const DeformationModel model = make_elastic_model(bar(), rubber);
  EXPECT_THROW(make_deformable_body(model, {}, {}), InputError);
  EXPECT_THROW(static_cast<void>(model.region_nodes("handle")), InputError);
  DeformationOptions no_step;
  no_step.is_dynamic = true;
  EXPECT_THROW(make_corotational_body(model, {}, no_step), InputError);
}

}  // namespace
}  // namespace stickslip
