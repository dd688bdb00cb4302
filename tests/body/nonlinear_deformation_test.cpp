#include "stickslip/body/nonlinear_deformation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/error.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/round_mesh.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/calculix.hpp"

namespace stickslip {
namespace {

constexpr std::array<ElementType, 2> types = {ElementType::tet4, ElementType::tet10};
constexpr std::array<ElasticLaw, 3> laws = {ElasticLaw::neo_hooke, ElasticLaw::corotated,
                                            ElasticLaw::st_venant_kirchhoff};
const Material gel{1e5, 0.4, 1000.0};

/// A held body while it is stepped under dead loads, one load case.
class LoadedBody {
 public:
  LoadedBody(const TetMesh& mesh, const Material& material, ElasticLaw law, const std::string& held,
             const std::string& loaded, const Vec3& unit,
             NewtonOptions options = {.newton_steps = 10})
      : model(make_elastic_model(mesh, material)),
        body(make_body(mesh, material, law, held, loaded, unit, std::move(options))),
        state(body.initial_state()),
        step(body.make_step(8)),
        dt(1e-3) {}

  /// One step of the simulation, as far as a body without contacts sees it. Returns what the body
  /// gained beyond the work of its loads.
  double advance(double load, int most_rounds = 100) {
    BodyLoad all;
    all.cases = {&load, 1};
    const double work_before = load * step.deformation->load_displacement[3];
    const double energy_before = step.deformation->energy;
    body.compute_free_motion(state, all, dt, step);
    BodyState next = state;
    body.correct({}, {}, step, next);
    for (int k = 1; k < most_rounds && relinearise(next); ++k) {
      next = state;
      body.correct({}, {}, step, next);
    }
    state = next;
    const double work = load * step.deformation->load_displacement[3] - work_before;
    worked = work;
    return step.deformation->energy - energy_before - work;
  }
  void settle(double load) {
    for (int k = 0; k < 100; ++k) {
      advance(load);
      if (imbalance() <= 1e-9 * std::abs(load) + 1e-12) return;
    }
    ADD_FAILURE() << "unbalanced by " << imbalance() << " N";
  }
  double imbalance() const { return RelinearisedDeformation::imbalance(*step.deformation); }
  /// Whether the step is to be solved again.
  bool relinearise(const BodyState& next) {
    return dynamic_cast<const RelinearisedDeformation&>(*body.deformation())
        .relinearise(state.deformation, next.deformation, *step.deformation);
  }
  Vec3 mean_displacement(const std::string& region) const {
    Vec3 sum = Vec3::Zero();
    const auto& nodes = model.region_nodes(region);
    for (const int node : nodes) sum += state.deformation.u[node];
    return sum / static_cast<double>(nodes.size());
  }
  const NonlinearElements& elements() const {
    return dynamic_cast<const NonlinearDeformation&>(*body.deformation()).elements();
  }

  DeformationModel model;
  Body body;
  BodyState state;
  BodyStep step;
  double dt;
  double worked = 0.0;

 private:
  Body make_body(const TetMesh& mesh, const Material& material, ElasticLaw law,
                 const std::string& held, const std::string& loaded, const Vec3& unit,
                 NewtonOptions options) const {
    if (options.load_cases.size() == 0) {
      options.load_cases = region_load(model.nodes, model.region(loaded), unit);
    }
    if (options.is_dynamic) options.dt = 1e-3;
    return make_nonlinear_body(mesh, material, law, model, model.region_nodes(held), options);
  }
};

TEST(NonlinearCantilever, TenNodeElementsBendAsTheElasticaSays) {
  // P L^2 / EI, and how far the tip goes down and back, in lengths
  constexpr std::array<std::array<double, 3>, 4> elastica = {
      {{1, 0.302, 0.056}, {2, 0.493, 0.161}, {5, 0.714, 0.388}, {10, 0.811, 0.555}}};
  constexpr double length = 0.1;
  constexpr double height = 0.002;
  const Material soft{1e7, 0.0, 1000.0};
  const TetMesh mesh = make_box({length, height, height}, {30, 1, 1}, ElementType::tet10);
  const double stiffness = soft.young * std::pow(height, 4) / 12.0;
  for (const ElasticLaw law : laws) {
    LoadedBody run(mesh, soft, law, "x0", "x1", -Vec3::UnitZ(), {.newton_steps = 1});
    for (const auto& [load, down, back] : elastica) {
      run.settle(load * stiffness / (length * length));
      const Vec3 tip = run.mean_displacement("x1") / length;
      EXPECT_NEAR(-tip.z(), down, 0.02 * down) << to_string(law) << " at " << load;
      EXPECT_NEAR(-tip.x(), back, 0.02 * back) << to_string(law) << " at " << load;
    }
  }
}

TEST(NonlinearBody, BearsSmallLoadsAsALinearOne) {
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({0.12, 0.03, 0.04}, {4, 1, 1}, type);
    const Vec3 unit(0.3, -1.0, 0.5);
    for (const ElasticLaw law : laws) {
      // strains about 1e-8
      constexpr double load = 1e-6;
      LoadedBody run(mesh, gel, law, "x0", "x1", unit, {});
      run.advance(load);
      DeformationOptions linear;
      linear.load_cases = region_load(run.model.nodes, run.model.region("x1"), unit);
      linear.compliance.precompute = false;
      const Body reference = make_deformable_body(run.model, run.model.region_nodes("x0"), linear);
      BodyState state = reference.initial_state();
      BodyStep step = reference.make_step(1);
      BodyLoad all;
      all.cases = {&load, 1};
      reference.compute_free_motion(state, all, 1e-3, step);
      reference.correct({}, {}, step, state);
      const auto rows = state.deformation.u.size();
      const VecX& expected = state.deformation.u.all();
      EXPECT_LT((run.state.deformation.u.all().head(rows) - expected).norm(),
                1e-6 * expected.norm())
          << to_string(law);
      // neo-Hooke's energy is a small difference of large terms
      EXPECT_NEAR(run.step.deformation->energy, step.deformation->energy,
                  1e-6 * step.deformation->energy + 1e-16 * gel.young * volume(mesh));
    }
  }
}

TEST(NonlinearBody, TurnedByAnyAngleFeelsNothingAndYieldsInTurnedAxes) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  const TetMesh mesh = make_box({0.1, 0.04, 0.05}, {3, 2, 2}, ElementType::tet10);
  for (const ElasticLaw law : laws) {
    LoadedBody run(mesh, gel, law, "x0", "x1", Vec3::UnitZ());
    NodeShares points(2);
    points.add(SurfacePoint{run.model.surface.triangles[5], {0.2, 0.3, 0.5}});
    points.add(SurfacePoint{run.model.surface.triangles[40], {0.6, 0.3, 0.1}});
    MatX C0 = MatX::Zero(6, 6);
    run.body.compute_free_motion(run.state, {}, run.dt, run.step);
    run.body.deformation()->compute_compliance(points, *run.step.deformation, C0);
    for (int k = 0; k < 30; ++k) {
      const Quat turn =
          Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
      const Mat3 R = turn.toRotationMatrix();
      VecX turned(3 * run.model.node_count());
      for (int n = 0; n < run.model.node_count(); ++n) {
        const Vec3& X = run.model.nodes[uz(n)];
        turned.segment<3>(3 * n) = R * X - X;
      }
      run.state.deformation.u = turned;
      run.body.compute_free_motion(run.state, {}, run.dt, run.step);
      EXPECT_LT((run.step.deformation->u_free.all() - turned).norm(), 1e-10 * turned.norm());
      MatX C = MatX::Zero(6, 6);
      run.body.deformation()->compute_compliance(points, *run.step.deformation, C);
      for (int i = 0; i < 6; i += 3) {
        const Mat3 expected = R * C0.block<3, 3>(i, 0) * R.transpose();
        EXPECT_LT((C.block<3, 3>(i, 0) - expected).norm(), 1e-8 * C0.norm());
      }
    }
  }
}

/// Moves every node from X to F X, those inside a little aside.
VecX shaken_stretch(const DeformationModel& model, const Mat3& F, double size) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shake(-size, size);
  VecX u(3 * model.node_count());
  for (int n = 0; n < model.node_count(); ++n) {
    const Vec3& X = model.nodes[uz(n)];
    u.segment<3>(3 * n) = F * X - X;
    for (int d = 0; d < 3 && n >= model.surface_count(); ++d) u[3 * n + d] += shake(random);
  }
  return u;
}

TEST(NonlinearBlock, StoresTheClosedFormsEnergyInUniaxialBiaxialAndShear) {
  const double G = gel.young / (2.0 * (1.0 + gel.poisson));
  const double B = gel.young / (3.0 * (1.0 - 2.0 * gel.poisson));
  // of a stretch by three principal values, or a shear
  const auto stretched = [&](double a, double b, double c) {
    const double J = a * b * c;
    return 0.5 * G * ((a * a + b * b + c * c) * std::pow(J, -2.0 / 3.0) - 3.0) +
           0.5 * B * (J - 1.0) * (J - 1.0);
  };
  Mat3 shear = Mat3::Identity();
  shear(0, 1) = 0.7;
  const std::array<std::pair<Mat3, double>, 4> cases = {
      {{Vec3(1.8, 0.8, 0.8).asDiagonal(), stretched(1.8, 0.8, 0.8)},
       {Vec3(0.5, 1.3, 1.3).asDiagonal(), stretched(0.5, 1.3, 1.3)},
       {Vec3(1.5, 1.5, 0.5).asDiagonal(), stretched(1.5, 1.5, 0.5)},
       {shear, 0.5 * G * 0.7 * 0.7}}};
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {3, 3, 3}, type);
    for (const auto& [F, density] : cases) {
      // all of the surface is held where the stretch takes it: what is inside finds its place
      const DeformationModel model = make_elastic_model(mesh, gel);
      std::vector<int> surface(uz(model.surface_count()));
      for (std::size_t n = 0; n < surface.size(); ++n) surface[n] = static_cast<int>(n);
      const Body body = make_nonlinear_body(mesh, gel, ElasticLaw::neo_hooke, model, surface,
                                            {.newton_steps = 5});
      BodyState state = body.initial_state();
      state.deformation.u = shaken_stretch(model, F, 0.005);
      BodyStep step = body.make_step(1);
      for (int k = 0; k < 15; ++k) {
        body.compute_free_motion(state, {}, 1e-3, step);
        body.correct({}, {}, step, state);
      }
      EXPECT_NEAR(step.deformation->energy, density * 1e-3, 1e-8 * density * 1e-3);
      const VecX expected = shaken_stretch(model, F, 0.0);
      EXPECT_LT((state.deformation.u.all() - expected).norm(), 1e-8 * expected.norm());
    }
  }
}

TEST(NonlinearBody, StoresTheWorkOfASlowLoad) {
  const TetMesh mesh = make_box({0.1, 0.02, 0.02}, {5, 1, 1}, ElementType::tet10);
  for (const ElasticLaw law : laws) {
    LoadedBody run(mesh, gel, law, "x0", "x1", Vec3(0.2, 0.0, 1.0));
    constexpr int steps = 200;
    constexpr double largest = 0.2;
    double work = 0.0;
    double before = 0.0;
    for (int k = 1; k <= steps; ++k) {
      const double load = largest * k / steps;
      run.settle(load);
      const double gone = run.step.deformation->load_displacement[3];
      work += (load - 0.5 * largest / steps) * (gone - before);
      before = gone;
    }
    EXPECT_GT(run.mean_displacement("x1").norm(), 0.035);
    // the trapezoidal rule
    EXPECT_NEAR(run.step.deformation->energy, work, 1e-4 * work) << to_string(law);
  }
}

TEST(NonlinearBody, GainsNoEnergyWithoutWorkHoweverItIsLoaded) {
  const TetMesh mesh = make_box({0.1, 0.01, 0.01}, {8, 1, 1}, ElementType::tet10);
  for (const ElasticLaw law : laws) {
    for (const bool is_dynamic : {false, true}) {
      std::mt19937 random(17);
      std::normal_distribution<double> load(0.0, 0.1);
      LoadedBody run(mesh, gel, law, "x0", "x1", Vec3(0.3, 0.2, 1.0),
                     {.is_dynamic = is_dynamic, .newton_steps = 1});
      double worst = 0.0;
      for (int k = 0; k < 60; ++k) {
        const double gain = run.advance(load(random));
        worst = std::max(worst, gain / std::abs(run.worked));
      }
      EXPECT_LT(worst, 1e-6) << to_string(law) << (is_dynamic ? " dynamic" : "");
    }
  }
}

TEST(NonlinearBody, TenThousandRandomPosesGiveNoNaNAndNeverRaiseTheEnergy) {
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {1, 1, 1}, type);
    for (const ElasticLaw law : laws) {
      LoadedBody run(mesh, gel, law, "x0", "x1", Vec3::UnitX());
      int inverted = 0;
      for (int pose = 0; pose < 10000 / 6; ++pose) {
        std::mt19937 random(static_cast<unsigned>(pose));
        std::uniform_real_distribution<double> shake(pose % 2 == 0 ? -0.05 : -0.3,
                                                     pose % 2 == 0 ? 0.05 : 0.3);
        VecX u = VecX::NullaryExpr(3 * mesh.node_count(), [&] { return shake(random); });
        for (const int n : run.model.region_nodes("x0")) u.segment<3>(3 * n).setZero();
        inverted += run.elements().least_volume_ratio(u) < 0.0 ? 1 : 0;
        const double before = run.elements().energy(u);
        run.state = run.body.initial_state();
        run.state.deformation.u = u;
        run.body.compute_free_motion(run.state, {}, run.dt, run.step);
        run.body.correct({}, {}, run.step, run.state);
        ASSERT_TRUE(run.state.deformation.u.all().allFinite()) << to_string(law) << " " << pose;
        ASSERT_LE(run.step.deformation->energy, before * (1.0 + 1e-9)) << to_string(law);
      }
      EXPECT_GT(inverted, 500);
    }
  }
}

TEST(NonlinearBody, InvertedElementsTurnBack) {
  for (const ElementType type : types) {
    const TetMesh mesh = make_box({0.1, 0.05, 0.05}, {4, 2, 2}, type);
    for (const ElasticLaw law : {ElasticLaw::neo_hooke, ElasticLaw::corotated}) {
      LoadedBody run(mesh, gel, law, "x0", "x1", Vec3::UnitX());
      int inverted = 0;
      for (int pose = 0; pose < 10; ++pose) {
        std::mt19937 random(static_cast<unsigned>(pose));
        std::uniform_real_distribution<double> shake(-0.012, 0.012);
        VecX u = VecX::NullaryExpr(3 * mesh.node_count(), [&] { return shake(random); });
        for (const int n : run.model.region_nodes("x0")) u.segment<3>(3 * n).setZero();
        if (run.elements().least_volume_ratio(u) > 0.0) continue;
        ++inverted;
        run.state = run.body.initial_state();
        run.state.deformation.u = u;
        run.settle(0.0);
        const VecX& end = run.state.deformation.u.all();
        EXPECT_GT(run.elements().least_volume_ratio(end), 0.2) << to_string(law) << " " << pose;
        // ten-node elements of rubber may be left folded
        if (type == ElementType::tet10 && law == ElasticLaw::neo_hooke) continue;
        EXPECT_LT(end.norm(), 1e-8) << to_string(law) << " " << pose;
      }
      EXPECT_GT(inverted, 4);
    }
  }
}

TEST(NonlinearBody, AllocatesNothingInAStepThatIsIterated) {
  if (!testing_support::counts_allocations()) GTEST_SKIP() << "a sanitizer owns malloc";
  const TetMesh mesh = make_box({0.1, 0.01, 0.01}, {8, 1, 1}, ElementType::tet10);
  for (const bool is_dynamic : {false, true}) {
    LoadedBody run(mesh, gel, ElasticLaw::neo_hooke, "x0", "x1", Vec3(0.3, 0.2, 1.0),
                   {.is_dynamic = is_dynamic, .newton_steps = 3});
    double load = 0.02;
    BodyLoad all;
    all.cases = {&load, 1};
    BodyState next = run.state;
    const auto go = [&] {
      load = -load;
      run.body.compute_free_motion(run.state, all, run.dt, run.step);
      int rounds = 0;
      do {
        next = run.state;
        run.body.correct({}, {}, run.step, next);
        ++rounds;
      } while (run.relinearise(next));
      std::swap(run.state, next);
      return rounds;
    };
    go();
    const std::size_t before = testing_support::allocation_count();
    int rounds = 0;
    for (int k = 0; k < 5; ++k) rounds += go();
    EXPECT_EQ(testing_support::allocation_count(), before);
    EXPECT_GT(rounds, 5);
  }
}

TEST(NonlinearBody, HeldTooLittleIsRefused) {
  const TetMesh mesh = make_box({0.1, 0.1, 0.1}, {1, 1, 1}, ElementType::tet4);
  const DeformationModel model = make_elastic_model(mesh, gel);
  EXPECT_THROW(make_nonlinear_body(mesh, gel, ElasticLaw::neo_hooke, model, {}, {}), InputError);
  const std::array<int, 2> hinge = {0, 1};
  EXPECT_THROW(make_nonlinear_body(mesh, gel, ElasticLaw::neo_hooke, model, hinge, {}), InputError);
}

TEST(NonlinearCylinder, TwistsAsRivlinSays) {
  // nearly incompressible, the ends turned against each other at a fixed distance
  const Material rubber{1e6, 0.49, 1000.0};
  const double G = rubber.young / (2.0 * (1.0 + rubber.poisson));
  constexpr double radius = 0.01;
  constexpr double half_length = 0.03;
  constexpr double twist = 30.0;  // [rad/m]
  const TetMesh mesh = make_round_mesh({radius, half_length, false}, 24, ElementType::tet10, 4.0);
  const DeformationModel model = make_elastic_model(mesh, rubber);
  const std::vector<int>& top = model.region_nodes("z1");
  std::vector<int> held = model.region_nodes("z0");
  held.insert(held.end(), top.begin(), top.end());
  const Body body = make_nonlinear_body(mesh, rubber, ElasticLaw::neo_hooke, model, held, {});
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  // every section turned by its height is where the search begins
  VecX turned(3 * model.node_count());
  for (int n = 0; n < model.node_count(); ++n) {
    const Vec3& X = model.nodes[uz(n)];
    turned.segment<3>(3 * n) = rotation_exp(Vec3(0, 0, twist * X.z())) * X - X;
  }
  state.deformation.u = turned;
  for (int k = 0; k < 8; ++k) {
    body.compute_free_motion(state, {}, 1e-3, step);
    body.correct({}, {}, step, state);
  }
  // what holds the upper end
  VecX forces(3 * model.node_count());
  const VecX& u = state.deformation.u.all();
  dynamic_cast<const NonlinearDeformation&>(*body.deformation()).elements().forces(u, forces);
  double torque = 0.0;
  double thrust = 0.0;
  for (const int n : top) {
    const Vec3 place = model.nodes[uz(n)] + u.segment<3>(3 * n);
    torque += place.cross(forces.segment<3>(3 * n)).z();
    thrust += forces[3 * n + 2];
  }
  // polygons in place of circles: their second moment is that of the volume, per length
  double moment = 0.0;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    Vec3 sum = Vec3::Zero();
    double squares = 0.0;
    for (std::size_t c = 0; c < 4; ++c) {
      const Vec3& X = mesh.nodes[uz(nodes[c])];
      sum += X;
      squares += X.head<2>().squaredNorm();
    }
    const auto edge = [&](std::size_t c) {
      return Vec3(mesh.nodes[uz(nodes[c])] - mesh.nodes[uz(nodes[0])]);
    };
    const double volume = edge(1).cross(edge(2)).dot(edge(3)) / 6.0;
    moment += volume * (squares + sum.head<2>().squaredNorm()) / 20.0 / (2.0 * half_length);
  }
  EXPECT_NEAR(moment, 0.5 * std::numbers::pi * std::pow(radius, 4), 0.03 * moment);
  RecordProperty("torque", std::to_string(torque / (G * twist * moment)));
  RecordProperty("thrust", std::to_string(-thrust / (0.5 * G * twist * twist * moment)));
  EXPECT_NEAR(torque, G * twist * moment, 0.02 * torque);
  // a small difference of pressure and stretch, the pressure too high in such elements
  EXPECT_NEAR(thrust, -0.5 * G * twist * twist * moment, 0.1 * -thrust);
  EXPECT_LT(RelinearisedDeformation::imbalance(*step.deformation), 1e-6 * -thrust);
}

TEST(NonlinearBlock, CompressedByAThirdIsThatOfCalculix) {
  if (!testing_support::calculix_is_present()) {
    GTEST_SKIP() << "CalculiX (ccx) is not installed; on Debian: apt-get install calculix-ccx";
  }
  const Material rubber{1e6, 0.4, 1000.0};
  constexpr double height = 0.04;
  const TetMesh mesh = make_box({height, height, height}, {3, 3, 3}, ElementType::tet10);
  // the top, glued, is pressed down by 30 % and drawn aside
  const Vec3 way(0.1 * height, 0.0, -0.3 * height);
  testing_support::NodeMoves moved;
  for (const int n : mesh.find_region("z1")->nodes) moved[n] = way;
  const std::vector<Vec3> theirs = testing_support::solve_by_calculix(
      mesh, rubber, mesh.find_region("z0")->nodes, {}, testing_support::Displacements::large,
      testing_support::MaterialLaw::neo_hooke, moved);

  const DeformationModel model = make_elastic_model(mesh, rubber);
  std::vector<int> held = model.region_nodes("z0");
  const std::vector<int>& top = model.region_nodes("z1");
  held.insert(held.end(), top.begin(), top.end());
  const Body body = make_nonlinear_body(mesh, rubber, ElasticLaw::neo_hooke, model, held, {});
  BodyState state = body.initial_state();
  BodyStep step = body.make_step(1);
  constexpr int steps = 10;
  for (int k = 1; k <= 2 * steps; ++k) {
    VecX u = state.deformation.u.all();
    for (const int n : top) u.segment<3>(3 * n) = std::min(1.0, 1.0 * k / steps) * way;
    state.deformation.u = u;
    body.compute_free_motion(state, {}, 1e-3, step);
    body.correct({}, {}, step, state);
  }
  EXPECT_LT(RelinearisedDeformation::imbalance(*step.deformation), 1e-6);
  double largest = 0.0;
  double difference = 0.0;
  for (int n = 0; n < model.node_count(); ++n) {
    const Vec3& expected = theirs[uz(model.mesh_nodes[uz(n)])];
    largest = std::max(largest, expected.norm());
    difference = std::max(difference, (state.deformation.u[n] - expected).norm());
  }
  EXPECT_GT(largest, 0.3 * height);
  EXPECT_LT(difference, 0.01 * largest);
  RecordProperty("difference", std::to_string(difference / largest));
}

}  // namespace
}  // namespace stickslip
