// An elastic bar thrown against a wall: a wave runs to its far end and back, pressing with rho c A
// v for 2 L / c, and all of the energy comes back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "stickslip/simulation/step.hpp"

namespace stickslip {
namespace {

constexpr double length = 0.1;
constexpr double side = 0.01;
const Material matter{1e6, 0.0, 1000.0};
const double c = std::sqrt(matter.young / matter.density);
constexpr double v = 0.1;

struct Throw {
  int cells = 80;
  double courant = 1.0;  ///< dt over the time that a wave takes through a cell
  int cells_across = 1;
  ElementType element = ElementType::tet4;
  double gap_share = 0.3;  ///< of the way of a step, between bar and wall at the start
  double friction = 0.0;
  double speed = v;
  double speed_along = 0.0;
  double gravity = 0.0;    ///< towards the wall
  bool is_second = false;  ///< another bar in place of the wall
  bool is_held = false;    ///< at its far end
};

/// The bar lies along x, the wall is at x = 0.
class Thrown {
 public:
  explicit Thrown(const Throw& thrown) {
    const double h = length / thrown.cells;
    dt = thrown.courant * h / c;
    const DeformationModel model = make_elastic_model(
        make_box({length, side, side}, {thrown.cells, thrown.cells_across, thrown.cells_across},
                 thrown.element),
        matter);
    DeformationOptions options;
    options.is_dynamic = true;
    options.dt = dt;
    options.integration = Integration::trapezoidal;
    options.compliance.precompute = false;
    const std::vector<int>& far_end = model.region_nodes("x1");
    const Body bar = thrown.is_held ? make_deformable_body(model, far_end, options)
                                    : make_corotational_body(model, {}, options);
    scene.simulation.dt = dt;
    scene.simulation.gravity = Vec3(-thrown.gravity, 0.0, 0.0);
    scene.simulation.alarm_distance = std::max(2e-4, 4.0 * thrown.speed * dt);
    scene.simulation.tolerance = 1e-9;
    if (thrown.is_second) {
      scene.bodies.push_back({.name = "other", .body = bar, .position = Vec3(-length, 0.0, 0.0)});
    } else {
      const TetMesh wall = make_box({0.02, 0.1, 0.1}, {1, 1, 1}, ElementType::tet4);
      scene.bodies.push_back({.name = "wall",
                              .body = make_fixed_body(extract_surface(wall)),
                              .position = Vec3(-0.02, -0.05, -0.05)});
    }
    scene.bodies.push_back({.name = "bar", .body = bar});
    scene.bodies[1].position.x() = thrown.gap_share * thrown.speed * dt;
    if (!thrown.is_held) {
      scene.bodies[1].velocity = Vec3(-thrown.speed, 0.0, thrown.speed_along);
    }
    scene.friction = MatX::Constant(2, 2, thrown.friction);
    mass = model.mass.mass;
    state = initial_state(scene);
    data.emplace(scene);
    energy_0 = 0.5 * mass * scene.bodies[1].velocity.squaredNorm();
    if (thrown.is_held) {
      VecX& rate = state.bodies[1].deformation.v;
      for (int i = 0; i < model.node_count(); ++i) rate[3 * i] = -thrown.speed;
      for (const int i : far_end) rate[3 * i] = 0.0;
      energy_0 = 0.5 * rate.dot(model.M * rate);
    }
    energy = energy_0 + mass * thrown.gravity * state.bodies[1].frame.position.x();
  }

  void advance() {
    const StepReport report = step(scene, state, *data);
    force_before_2 = force_before;
    force_before = force;
    force = 0.0;
    for (std::size_t k = 0; k < data->contacts.size(); ++k)
      force += data->f[3 * static_cast<int>(k)];
    if (force == 0.0 && force_before > 0.0) ++releases;
    largest_gain = std::max(largest_gain, report.energy.total + report.energy.friction - energy);
    energy = report.energy.total;
    time += dt;
    if (force > 0.0) {
      if (first_touch < 0.0) first_touch = time - dt;
      last_touch = time;
      force_sum += force;
      flips += std::abs(force - 2.0 * force_before + force_before_2) / 4.0;
    }
    const double since = first_touch < 0.0 ? -1.0 : (time - first_touch) * c / (2.0 * length);
    if (since > 0.25 && since < 0.75) {
      force_midway += force;
      ++count_midway;
    }
  }
  void run(double waves) {
    const int count = static_cast<int>(std::ceil(waves * 2.0 * length / c / dt));
    for (int k = 0; k < count; ++k) advance();
  }

  Scene scene;
  State state;
  std::optional<StepData> data;
  double dt = 0.0;
  double mass = 0.0;
  double energy_0 = 0.0;
  double energy = 0.0;
  double largest_gain = 0.0;  ///< of a step, friction counted as kept
  double time = 0.0;
  double first_touch = -1.0;
  double last_touch = 0.0;
  double force = 0.0;
  double force_before = 0.0;
  double force_before_2 = 0.0;
  double force_sum = 0.0;
  int releases = 0;
  double flips = 0.0;  ///< how much the force goes to and fro from step to step
  double force_midway = 0.0;
  int count_midway = 0;
};

TEST(Bounce, AnElasticBarKeepsItsEnergy) {
  double loss_before = 1.0;
  for (const int cells : {20, 40, 80}) {
    Thrown bar({.cells = cells});
    bar.run(2.0);
    const double loss = 1.0 - bar.energy / bar.energy_0;
    EXPECT_LT(loss, 0.6 * loss_before) << cells << " cells";
    EXPECT_GT(loss, 0.0);
    EXPECT_LT(bar.largest_gain, 1e-9 * bar.energy_0);
    loss_before = loss;
    if (cells < 80) continue;

    EXPECT_GE(1.0 - loss, 0.95);
    EXPECT_NEAR(bar.last_touch - bar.first_touch, 2.0 * length / c, 3.0 * bar.dt);
    const double rho_c_A_v = matter.density * c * side * side * v;
    EXPECT_NEAR(bar.force_midway / bar.count_midway, rho_c_A_v, 1.2 / cells * rho_c_A_v);
    EXPECT_LT(bar.flips, 0.01 * bar.force_sum);
    EXPECT_GT(bar.state.bodies[1].frame.velocity.x(), 0.96 * v);
  }
}

TEST(Bounce, KeepsItAtEveryStepAndMesh) {
  for (const Throw& thrown :
       {Throw{.cells = 40, .courant = 0.1}, Throw{.cells = 40, .courant = 0.3, .gap_share = 0.9},
        Throw{.cells = 40, .courant = 3.0, .gap_share = 0.6},
        Throw{.cells = 40, .cells_across = 3, .gap_share = 0.0},
        Throw{.cells = 20, .element = ElementType::tet10}}) {
    Thrown bar(thrown);
    bar.run(2.0);
    const double loss = 1.0 - bar.energy / bar.energy_0;
    const auto which = testing::Message() << thrown.cells << " cells, courant " << thrown.courant;
    // twice a step of the frame over the contact, and about a cell where the wave begins
    EXPECT_LT(loss, (2.5 * thrown.courant + 1.0) / thrown.cells) << which;
    EXPECT_GT(loss, 0.0) << which;
    EXPECT_LT(bar.largest_gain, 1e-9 * bar.energy_0) << which;
    EXPECT_LT(bar.flips, 0.03 * bar.force_sum) << which;
    EXPECT_NEAR(bar.last_touch - bar.first_touch, 2.0 * length / c,
                3.0 * std::max(bar.dt, length / thrown.cells / c))
        << which;
  }
}

TEST(Bounce, ABarThatStandsDoesNotChatter) {
  // let go upon the wall, it swings about its rest
  for (const double courant : {0.1, 1.0, 20.0}) {
    Thrown bar({.cells = 20, .courant = courant, .speed = 0.0, .gravity = 10.0});
    const double weight = bar.mass * 10.0;
    bar.run(20.0);
    EXPECT_EQ(bar.releases, 0) << courant;
    // at the largest step a quarter of a swing is a step
    EXPECT_LT(bar.flips, (courant > 1.0 ? 0.03 : 0.003) * bar.force_sum) << courant;
    EXPECT_NEAR(bar.force_sum * bar.dt / bar.time, weight, 0.03 * weight) << courant;
    EXPECT_LT(bar.largest_gain, 1e-9 * weight * length) << courant;
  }
}

TEST(Bounce, AHeldBarPressesSteadily) {
  // by the trapezoidal rule alone 0.28 and 0.11 of the force flip from step to step
  for (const double courant : {1.0, 0.1}) {
    Thrown bar({.cells = 80, .courant = courant, .is_held = true});
    bar.run(2.0);
    EXPECT_LT(bar.flips, (courant < 1.0 ? 0.01 : 0.03) * bar.force_sum) << courant;
    EXPECT_GE(bar.energy, 0.99 * bar.energy_0) << courant;
    EXPECT_LT(bar.largest_gain, 1e-7 * bar.energy_0) << courant;
  }
}

TEST(Bounce, FrictionTakesItsShareOfTheImpulse) {
  // it slides all along its contact: mu times the normal impulse
  Thrown sliding({.cells = 40, .friction = 0.05, .speed_along = 0.1});
  sliding.run(2.0);
  const Vec3& after = sliding.state.bodies[1].frame.velocity;
  EXPECT_GT(after.x(), 0.9 * v);
  EXPECT_NEAR(0.1 - after.z(), 0.05 * (v + after.x()), 1e-4 * v);
  EXPECT_LT(sliding.largest_gain, 1e-9 * sliding.energy_0);

  // and where it sticks
  Thrown sticking({.cells = 40, .courant = 0.5, .friction = 1.0, .speed_along = 0.02});
  sticking.run(2.0);
  EXPECT_GT(sticking.energy, 0.9 * sticking.energy_0);
  EXPECT_LT(sticking.largest_gain, 1e-9 * sticking.energy_0);
}

TEST(Bounce, TwoEqualBarsExchangeTheirVelocities) {
  Thrown bars({.cells = 40, .cells_across = 2, .is_second = true});
  bars.run(2.0);
  EXPECT_NEAR(bars.state.bodies[0].frame.velocity.x(), -v, 0.05 * v);
  EXPECT_NEAR(bars.state.bodies[1].frame.velocity.x(), 0.0, 0.05 * v);
  EXPECT_GE(bars.energy, 0.95 * bars.energy_0);
  EXPECT_LT(bars.largest_gain, 1e-9 * bars.energy_0);
  EXPECT_NEAR(bars.last_touch - bars.first_touch, 2.0 * length / c, 3.0 * bars.dt);
  const double half = 0.5 * matter.density * c * side * side * v;
  EXPECT_NEAR(bars.force_midway / bars.count_midway, half, 0.03 * half);
}

}  // namespace
}  // namespace stickslip
