#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/simulation/start_overlap.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::testing_support {

/// A scene that nobody would think of: bodies of all kinds that fly at each other.
struct ChaosScene {
  Scene scene;
  int steps = 0;
  double size = 0.0;             ///< the longest side of each body [m]
  bool is_second_order = false;  ///< a body is integrated by the trapezoidal rule
  std::string story;             ///< what is in it, one line
};

/// Makes the scene of a seed, the same on every machine that has the same standard library.
class ChaosGenerator {
 public:
  explicit ChaosGenerator(unsigned seed, std::string models)
      : random_(seed), models_(std::move(models)) {}

  ChaosScene make() {
    SimulationOptions& simulation = chaos_.scene.simulation;
    simulation.dt = decades(1e-4, 2e-2);
    if (chance(0.5)) simulation.gravity = Vec3::Zero();
    size_ = decades(0.02, 0.2);
    simulation.alarm_distance = size_ * decades(0.01, 0.1);
    simulation.passes = chance(0.25) ? 2 : 1;
    chaos_.story = fmt::format("dt {:.3g} ms{}, {} pass", 1e3 * simulation.dt,
                               simulation.gravity.isZero() ? "" : ", gravity", simulation.passes);
    const int wanted = 2 + static_cast<int>(uniform(0.0, 2.5));
    for (int b = 0; b < wanted; ++b) add_body(b);
    const auto count = static_cast<int>(chaos_.scene.bodies.size());
    MatX& friction = chaos_.scene.friction;
    friction = MatX::Zero(count, count);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < i; ++j) {
        friction(i, j) = friction(j, i) = chance(0.2) ? 0.0 : uniform(0.0, 2.0);
      }
    }
    chaos_.story += fmt::format("; friction {:.2g}", friction.maxCoeff());
    chaos_.steps = std::clamp(static_cast<int>(0.5 / simulation.dt), 40, 150);
    chaos_.size = size_;
    return std::move(chaos_);
  }

 private:
  double uniform(double low, double high) {
    return low + (high - low) *
                     (static_cast<double>(random_()) / static_cast<double>(std::mt19937::max()));
  }
  double decades(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  bool chance(double share) { return uniform(0.0, 1.0) < share; }
  Vec3 direction() {
    for (;;) {
      const Vec3 v(uniform(-1.0, 1.0), uniform(-1.0, 1.0), uniform(-1.0, 1.0));
      if (v.norm() > 0.1 && v.norm() < 1.0) return v.normalized();
    }
  }

  TetMesh shape() {
    if (chance(0.2)) {
      // a model, as large as the boxes are
      static constexpr std::array<const char*, 4> names = {"sphere_500", "pipe_500", "clip_500",
                                                           "table_500"};
      TetMesh mesh =
          read_tet_mesh(fmt::format("{}/{}.msh", models_, names[random_() % names.size()]));
      Vec3 low = mesh.nodes.front();
      Vec3 high = low;
      for (const Vec3& p : mesh.nodes) {
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
      }
      for (Vec3& p : mesh.nodes) p = (p - low) * size_ / (high - low).maxCoeff();
      is_model_ = true;
      return mesh;
    }
    is_model_ = false;
    const double slender = chance(0.2) ? 0.02 : 0.2;
    const Vec3 sides(size_ * decades(slender, 1.0), size_ * decades(slender, 1.0), size_);
    std::array<int, 3> cells;
    for (int& n : cells) n = 1 + static_cast<int>(random_() % 3);
    return make_box(sides, cells, chance(0.3) ? ElementType::tet10 : ElementType::tet4);
  }

  Body body(int b, std::string& told) {
    const TetMesh mesh = shape();
    const double density = decades(10.0, 1e5);
    // the second one is free
    auto kind = static_cast<int>(uniform(0.0, 7.0));
    if (b == 1 && (kind == 0 || kind == 4)) kind = 6;
    told = fmt::format("; {:.2g} kg", mass_properties(mesh, density).mass);
    if (kind == 0) {
      told = "; fixed";
      return make_fixed_body(extract_surface(mesh));
    }
    if (kind <= 2 || is_model_) {
      told += " rigid";
      return make_rigid_body(extract_surface(mesh), mass_properties(mesh, density));
    }
    Material material{decades(1e4, 1e8), uniform(0.0, 0.45), density};
    const double dt = chaos_.scene.simulation.dt;
    if (kind == 3) {
      material.young = quasi_rigid_young(mesh, mass_properties(mesh, density).mass, dt);
      told += " quasi-rigid";
      return make_corotational_body(make_elastic_model(mesh, material), {}, {});
    }
    const DeformationModel model = make_elastic_model(mesh, material);
    DeformationOptions options;
    options.is_dynamic = chance(0.7);
    options.integration = chance(0.4) ? Integration::trapezoidal : Integration::implicit_euler;
    options.dt = dt;
    const bool is_second_order =
        options.is_dynamic && options.integration == Integration::trapezoidal;
    chaos_.is_second_order |= is_second_order;
    std::vector<int> held;
    double low = model.nodes.front().z();
    for (const Vec3& p : model.nodes) low = std::min(low, p.z());
    for (int i = 0; i < model.node_count(); ++i) {
      if (model.nodes[uz(i)].z() < low + 1e-3 * size_) held.push_back(i);
    }
    const char* rule = !options.is_dynamic ? "still" : is_second_order ? "trapezoidal" : "Euler";
    told += fmt::format(" {:.1g} Pa {}", material.young, rule);
    if (kind == 4) {
      told += " deformable";
      return make_deformable_body(model, held, options);
    }
    told += kind == 5 ? " clamped" : " free";
    return make_corotational_body(
        model, kind == 5 ? std::span<const int>(held) : std::span<const int>(), options);
  }

  /// The extent of a body along a direction, about the origin of its mesh. [m]
  static std::array<double, 2> extent(const SceneBody& part, const Vec3& along) {
    const BodyState there = part.body.initial_state(Vec3::Zero(), part.orientation);
    std::array<double, 2> result = {1e9, -1e9};
    for (const Vec3& p : part.body.surface().points) {
      const double x = along.dot(there.frame.to_world(p));
      result = {std::min(result[0], x), std::max(result[1], x)};
    }
    return result;
  }

  /// The first body stands in the middle; others are thrown at it, and meet it within some steps.
  void add_body(int b) {
    std::string told;
    SceneBody part{.name = fmt::format("body_{}", b), .body = body(b, told)};
    const bool is_held = part.body.frame().is_held();
    const double dt = chaos_.scene.simulation.dt;
    part.orientation = rotation_exp(uniform(0.0, std::numbers::pi) * direction());
    const Vec3 from = direction();
    const double speed = decades(0.05, 5.0);
    if (b > 0) {
      const SceneBody& first = chaos_.scene.bodies.front();
      const double apart = extent(first, from)[1] - extent(part, from)[0];
      part.position = (apart + 1e-3 * size_ + speed * dt * uniform(0.0, 20.0)) * from;
      part.position += 0.15 * size_ * from.cross(direction());
    }
    const Vec3 spin = std::min(0.5 / dt, decades(0.1, 200.0)) * direction();
    // what is held moves as prescribed, or not at all
    if (!is_held || (part.body.deformation() == nullptr && chance(0.3))) {
      part.velocity = -(b > 0 ? speed : 0.1 * speed) * (from + 0.2 * direction());
      if (!is_held) part.angular_velocity = spin;
    }
    chaos_.scene.bodies.push_back(std::move(part));
    if (!find_start_overlaps(chaos_.scene).empty()) {
      chaos_.scene.bodies.pop_back();
      return;
    }
    chaos_.story += told;
  }

  std::mt19937 random_;
  std::string models_;
  ChaosScene chaos_;
  double size_ = 0.0;
  bool is_model_ = false;
};

}  // namespace stickslip::testing_support
