#include "experiments/body_solid.hpp"

#include <fmt/core.h>

#include "stickslip/error.hpp"

namespace stickslip::experiments {

Solid body_solid(const Scene& scene, const State& state, int body) {
  const Body& shape = scene.bodies[uz(body)].body;
  Solid solid;
  solid.points.resize(shape.surface().points.size());
  shape.surface_positions(state.bodies[uz(body)], solid.points);
  solid.triangles = shape.surface().triangles;
  return solid;
}

Solid floor_solid(const Vec3& middle, double half_x, double half_y) {
  constexpr int cells = 8;
  Solid floor;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      floor.points.emplace_back(
          middle + Vec3((2.0 * i / cells - 1.0) * half_x, (2.0 * j / cells - 1.0) * half_y, 0.0));
      if (i == cells || j == cells) continue;
      const int corner = j * (cells + 1) + i;
      floor.triangles.push_back({corner, corner + 1, corner + cells + 2});
      floor.triangles.push_back({corner, corner + cells + 2, corner + cells + 1});
    }
  }
  floor.colour = {225.0, 225.0, 220.0};
  return floor;
}

int body_of(const Scene& scene, std::string_view name) {
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  }
  throw InputError(fmt::format("{}: no body {}", scene.name, name));
}

}  // namespace stickslip::experiments
