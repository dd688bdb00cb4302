#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

constexpr double g = 9.81;
constexpr double radius = 0.02;

/// A scene while it runs; the last body is the one that is looked at.
struct RoundScene {
  explicit RoundScene(const std::string& text)
      : scene(read_scene(TestFolder().write("scene.toml", text))),
        state(initial_state(scene)),
        data(scene) {}

  StepReport advance() {
    const StepReport report = step(scene, state, data);
    report_contacts(scene, state, data, contacts);
    return report;
  }
  const FrameState& frame() const { return state.bodies.back().frame; }

  Scene scene;
  State state;
  StepData data;
  std::vector<ContactReport> contacts;
};

std::string simulation(double dt, double mu) {
  return fmt::format("[simulation]\ndt = {}\n[contact]\nfriction = {}\n", dt, mu);
}

std::string body(const std::string& kind, const std::string& lines) {
  return fmt::format("[[body]]\nname = \"{}\"\nkind = \"{}\"\n{}\n", kind, kind, lines);
}

std::string turned(const Vec3& axis, double angle_deg) {
  return fmt::format("rotation = {{ axis = [{}, {}, {}], angle_deg = {} }}\n", axis.x(), axis.y(),
                     axis.z(), angle_deg);
}

std::string at(const Vec3& position) {
  return fmt::format("position = [{:.17g}, {:.17g}, {:.17g}]\n", position.x(), position.y(),
                     position.z());
}

/// Something rigid on a slope that falls toward x.
std::string on_slope(double dt, double mu, double angle_deg, double height,
                     const std::string& shape) {
  const double angle = angle_deg * std::numbers::pi / 180.0;
  const Vec3 normal(std::sin(angle), 0.0, std::cos(angle));
  return simulation(dt, mu) +
         body("fixed", "shape = \"plane\"\nsize = [8, 1]\n" + turned(Vec3::UnitY(), angle_deg)) +
         body("rigid", "mass = 0.1\n" + shape + at(height * normal));
}

struct Roller {
  std::string shape;
  double share;  ///< of g sin(angle) that it gains speed with
};

TEST(Rolling, SpeedGrowsAsTheInertiaOfTheShapeSays) {
  const std::string lying = turned(Vec3::UnitX(), 90.0);
  // a capsule of equal length and radius has 3/7 of its mass in the straight part
  const double capsule = 3.0 / 7.0 * 0.5 + 4.0 / 7.0 * 0.4;
  const std::array<Roller, 4> rollers = {
      {{"shape = \"sphere\"\nradius = 0.02\n" + turned({1, 2, 3}, 40.0), 5.0 / 7.0},
       {"shape = \"sphere\"\nradius = 0.02\nsegments = 12\n", 5.0 / 7.0},
       {"shape = \"cylinder\"\nradius = 0.02\nlength = 0.05\n" + lying, 2.0 / 3.0},
       {"shape = \"capsule\"\nradius = 0.02\nlength = 0.02\n" + lying, 1.0 / (1.0 + capsule)}}};
  const double angle = 20.0 * std::numbers::pi / 180.0;
  for (const Roller& roller : rollers) {
    for (const double dt : {1e-3, 5e-3}) {
      RoundScene run(on_slope(dt, 0.5, 20.0, radius, roller.shape));
      const double a = roller.share * g * std::sin(angle);
      const Vec3 normal(std::sin(angle), 0.0, std::cos(angle));
      const int steps = static_cast<int>(std::lround(0.4 / dt));
      for (int k = 1; k <= steps; ++k) {
        const StepReport report = run.advance();
        ASSERT_TRUE(report.is_converged);
        EXPECT_LT(report.penetration_m, 1e-9);
        EXPECT_NEAR(run.frame().velocity.norm(), a * k * dt, 1e-6 * a * k * dt + 1e-9);
        // it rolls and does not bump
        EXPECT_NEAR(run.frame().angular_velocity.y() * radius, a * k * dt, 1e-6);
        EXPECT_NEAR(normal.dot(run.frame().position), radius, 1e-9);
        Vec3 force = Vec3::Zero();
        for (const ContactReport& contact : run.contacts) {
          force += contact.force;
          EXPECT_NEAR(contact.gap, 0.0, 1e-9);
          EXPECT_NEAR(std::abs(contact.normal.dot(normal)), 1.0, 1e-12);
        }
        EXPECT_NEAR(std::abs(force.dot(normal)), 0.1 * g * std::cos(angle), 1e-5);
      }
    }
  }
}

TEST(Rolling, CanStandsUntilItsWeightLeavesItsFoot) {
  // it falls over where tan(angle) > 2 radius / length = 1/2: 26.6 degrees
  const auto can = [](double angle_deg) {
    return on_slope(
        1e-3, 1.0, angle_deg, 0.04,
        "shape = \"cylinder\"\nradius = 0.02\nlength = 0.08\n" + turned(Vec3::UnitY(), angle_deg));
  };
  for (const double angle_deg : {0.0, 10.0, 24.0}) {
    RoundScene run(can(angle_deg));
    const Vec3 start = run.frame().position;
    for (int k = 0; k < 1000; ++k) run.advance();
    EXPECT_LT((run.frame().position - start).norm(), 1e-9) << angle_deg;
  }
  RoundScene run(can(29.0));
  for (int k = 0; k < 1000; ++k) run.advance();
  EXPECT_LT(std::abs((run.frame().orientation * Vec3::UnitZ()).z()), 0.7);
}

TEST(Rolling, BallLeavesABallWhereItsWeightHoldsItNoLonger) {
  // from rest at a small angle: by energy, 10/17 of the first cosine where it rolls, 2/3 where it
  // slides
  const double first = 0.1;
  for (const double mu : {0.0, 5.0}) {
    const double law = (mu == 0.0 ? 2.0 / 3.0 : 10.0 / 17.0) * std::cos(first);
    double last_error = 1.0;
    for (const double dt : {1e-3, 2.5e-4}) {
      const Vec3 start(0.12 * std::sin(first), 0.0, 0.12 * std::cos(first));
      RoundScene run(simulation(dt, mu) + body("fixed", "shape = \"sphere\"\nradius = 0.1") +
                     body("rigid", "shape = \"sphere\"\nradius = 0.02\nmass = 0.1\n" + at(start)));
      double cosine = 0.0;
      bool has_left = false;
      const double energy = 0.1 * g * start.z();
      for (int k = 0; k < static_cast<int>(1.0 / dt); ++k) {
        const StepReport report = run.advance();
        // once only
        EXPECT_FALSE(has_left && report.loaded_contacts > 0) << run.state.time_s;
        has_left |= report.loaded_contacts == 0;
        if (!has_left) cosine = run.frame().position.normalized().z();
        EXPECT_LT(report.energy.total, energy + 1e-6);
        if (run.frame().position.z() < 0.0) break;
      }
      const double error = std::abs(cosine - law);
      EXPECT_LT(error, 10.0 * dt);
      EXPECT_LT(error, last_error);
      last_error = error;
    }
  }
}

/// Balls, capsules and cans of all slendernesses, thrown at a floor and at a fixed ball in it.
std::string thrown(std::mt19937& random, double dt) {
  std::uniform_real_distribution<double> share(-1.0, 1.0);
  std::string text = simulation(dt, 0.25 + 0.25 * share(random));
  text += body("fixed",
               "shape = \"box\"\nsize = [2, 2, 0.05]\ncells = [5, 5, 1]\n" + at({0.0, 0.0, -0.05}));
  text += "[[body]]\nname = \"hill\"\nkind = \"fixed\"\nshape = \"sphere\"\nradius = 0.05\n";
  for (int k = 0; k < 3; ++k) {
    const std::array<const char*, 3> shapes = {"sphere", "capsule", "cylinder"};
    const Vec3 place(0.15 * (k - 1), 0.05 * share(random), 0.15);
    const Vec3 axis(share(random), share(random), share(random));
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nkind = \"rigid\"\nshape = \"{}\"\nradius = {}\n{}mass = {}\n"
        "velocity = [{}, {}, {}]\nangular_velocity = [{}, {}, {}]\n",
        shapes[uz(k)], shapes[uz(k)], 0.012 + 0.008 * share(random),
        k == 0 ? "" : fmt::format("length = {}\n", 0.03 + 0.025 * share(random)),
        0.1 + 0.05 * share(random), -0.3 * place.x() / 0.15 + 0.2 * share(random), share(random),
        -2.5 + 2.0 * share(random), 20.0 * share(random), 20.0 * share(random),
        20.0 * share(random));
    text += at(place) + turned(axis, 180.0 * share(random));
  }
  return text;
}

TEST(RoundShapes, ThrownOnesStayOutAndGainNoEnergy) {
  std::mt19937 random(3);
  for (int k = 0; k < 9; ++k) {
    const double dt = std::array<double, 3>{1e-3, 2e-3, 5e-3}[uz(k % 3)];
    RoundScene run(thrown(random, dt));
    double before = 0.0;
    for (std::size_t b = 2; b < run.scene.bodies.size(); ++b) {
      const FrameState& frame = run.state.bodies[b].frame;
      const RigidFrame& body = run.scene.bodies[b].body.frame();
      const Vec3 spin = frame.orientation.conjugate() * frame.angular_velocity;
      before += 0.5 * body.mass() * frame.velocity.squaredNorm() +
                0.5 * spin.dot(body.inertia() * spin) + body.mass() * g * frame.position.z();
    }
    const double start = before;
    for (int i = 0; i < static_cast<int>(0.4 / dt); ++i) {
      const StepReport report = run.advance();
      EXPECT_LT(report.energy.total + report.energy.friction, before + 1e-3 * start)
          << k << " step " << i;
      before = report.energy.total;
      EXPECT_LT(report.penetration_m, 2e-4) << k << " step " << i;
      for (std::size_t b = 2; b < run.scene.bodies.size(); ++b) {
        EXPECT_GT(run.state.bodies[b].frame.position.z(), 0.0) << k << " step " << i;
      }
    }
    EXPECT_LT(before, start);
  }
}

TEST(RoundShapes, AllocateNothingWhileTheyRoll) {
  std::mt19937 random(4);
  RoundScene run(thrown(random, 2e-3));
  for (int k = 0; k < 300; ++k) step(run.scene, run.state, run.data);
  const std::size_t before = testing_support::allocation_count();
  for (int k = 0; k < 100; ++k) step(run.scene, run.state, run.data);
  EXPECT_EQ(testing_support::allocation_count(), before);
}

TEST(RoundShapes, SoftBlockTakesTheShapeOfABallWithoutFlutter) {
  // elements of a twelfth of the radius, whose faces could turn under contacts within them
  RoundScene run(
      "[simulation]\ndt = 0.002\ngravity = [0, 0, 0]\ncontact_budget = 1000\n"
      "[material.rubber]\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
      "[[drive]]\nbody = \"fixed\"\nkind = \"motion\"\n"
      "ramp = { to = [0, 0, -0.001], duration = 0.1 }\n" +
      body("deformable",
           "shape = \"box\"\nsize = [0.04, 0.04, 0.02]\ncells = [24, 24, 12]\n"
           "material = \"rubber\"\nheld = [\"z0\"]\ncache = false") +
      body("fixed", "shape = \"sphere\"\nradius = 0.02\n" + at({0.0, 0.0, 0.04})));
  double before = 0.0;
  for (int k = 0; k < 50; ++k) {
    const StepReport report = run.advance();
    ASSERT_TRUE(report.is_converged);
    EXPECT_LT(report.penetration_m, 2e-6);
    const double force = run.data.body_steps.back().contact_wrench[2];
    EXPECT_GT(force, before);
    before = force;
  }
  // Hertz, with the approach that a layer of 20 mm takes away, within what these elements are worth
  EXPECT_NEAR(before, 8.7, 0.3);
}

TEST(RoundShapes, BallPressedIntoASoftBlockAndSlidOverIt) {
  struct Case {
    int cells;
    double dt;
    int passes;
  };
  for (const auto& [cells, dt, passes] :
       {Case{2, 0.001, 1}, Case{2, 0.003, 3}, Case{3, 0.001, 1}, Case{3, 0.003, 1},
        Case{3, 0.003, 3}, Case{3, 0.01, 1}, Case{4, 0.003, 1}, Case{4, 0.01, 3}}) {
    SCOPED_TRACE(fmt::format("{} cells, dt {}, {} passes", cells, dt, passes));
    RoundScene run(
        fmt::format("[simulation]\ndt = {}\npasses = {}\ngravity = [0, 0, 0]\n"
                    "[material.gel]\ndensity = 1000\nyoung = 1e5\npoisson = 0.45\n"
                    "[contact]\nfriction = 0.4\n"
                    "[[drive]]\nbody = \"rigid\"\nkind = \"spring\"\n"
                    "stiffness = 3333\ndamping = 5\n"
                    "rotational_stiffness = 1\nrotational_damping = 0.001\n"
                    "table = [[0, 0, 0, 0], [0.3, 0, 0, -0.008], "
                    "[0.4, 0, 0, -0.008], [1.1, 0.01, 0, -0.008], "
                    "[1.3, 0.01, 0, 0.002]]\n",
                    dt, passes) +
        body("deformable", fmt::format("shape = \"box\"\nsize = [0.08, 0.08, 0.03]\n"
                                       "cells = [{}, {}, {}]\nmaterial = \"gel\"\n"
                                       "held = [\"z0\"]\ncache = false\n",
                                       4 * cells, 4 * cells, 2 * cells)) +
        body("rigid", "shape = \"sphere\"\nradius = 0.01\nmass = 0.02\n" + at({0.0, 0.0, 0.0402})));
    double before = 0.0;
    double most = 0.0;
    double work = 0.0;
    double friction = 0.0;
    while (run.state.time_s < 1.3) {
      const StepReport report = run.advance();
      ASSERT_TRUE(report.is_converged);
      EXPECT_LT(report.penetration_m, 1e-5);
      EXPECT_FALSE(report.was_held_back);
      const EnergyReport& energy = report.energy;
      most = std::max(most, energy.total + energy.friction - energy.work_in - before);
      before = energy.total;
      work += energy.work_in;
      friction += energy.friction;
    }
    EXPECT_LT(most, 2e-4 * work);
    EXPECT_GT(friction, 0.8 * work);
  }
}

TEST(RoundShapes, BallRollsOverACoarseSoftOne) {
  // its facets are larger than the ball, which goes along their edges with the overlap it has
  for (const double dt : {0.001, 0.003, 0.01}) {
    RoundScene run(simulation(dt, 0.5) +
                   "[material.steel]\ndensity = 7800\n"
                   "[material.rubber]\ndensity = 1000\nyoung = 1e5\npoisson = 0.4\n" +
                   body("fixed", "shape = \"plane\"\nsize = [1, 1]") +
                   body("corotational",
                        "shape = \"sphere\"\nradius = 0.03\nsegments = 8\n"
                        "material = \"rubber\"\n" +
                            at({0.004, 0.0, 0.04})) +
                   body("rigid", "shape = \"sphere\"\nradius = 0.02\nmaterial = \"steel\"\n" +
                                     at({0.0, 0.0, 0.1})));
    double before = 0.0;
    double most = 0.0;
    int held = 0;
    for (int k = 0; k * dt < 1.0; ++k) {
      const StepReport report = run.advance();
      const EnergyReport& energy = report.energy;
      if (k > 0) most = std::max(most, energy.total + energy.friction - energy.work_in - before);
      before = energy.total;
      if (report.was_held_back) ++held;
    }
    const double fallen = 0.26 * g * 0.08;
    EXPECT_LT(most, 1e-3 * fallen) << dt;
    EXPECT_LE(held, 2) << dt;
  }
}

TEST(RoundShapes, SoftOnesCarryTheirWeight) {
  for (const std::string& shape :
       {std::string("shape = \"sphere\"\nradius = 0.02\n"),
        std::string("shape = \"capsule\"\nradius = 0.02\nlength = 0.02\n") +
            turned(Vec3::UnitX(), 90.0),
        std::string("shape = \"cylinder\"\nradius = 0.02\nlength = 0.04\n")}) {
    RoundScene run(simulation(2e-3, 0.5) + "[material.rubber]\nyoung = 1e5\npoisson = 0.4\n" +
                   body("fixed", "shape = \"plane\"\nsize = [1, 1]") +
                   body("corotational", shape +
                                            "segments = 12\nmass = 0.05\nmaterial = \"rubber\"\n" +
                                            "cache = false\n" + at({0.0, 0.0, 0.0201})));
    EXPECT_FALSE(run.scene.bodies.back().exact.has_value());
    double mean = 0.0;
    for (int k = 0; k < 500; ++k) {
      run.advance();
      // it may still rock on its facets
      if (k >= 250) mean += run.data.body_steps.back().contact_wrench[2] / 250.0;
    }
    EXPECT_NEAR(mean, 0.05 * g, 0.02 * 0.05 * g);
    EXPECT_GT(run.frame().position.z(), 0.015);
  }
}

}  // namespace
}  // namespace stickslip
