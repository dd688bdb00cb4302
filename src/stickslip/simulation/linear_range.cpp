#include "stickslip/simulation/linear_range.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/body/relinearised_deformation.hpp"

namespace stickslip {

namespace {

constexpr double degrees = std::numbers::pi / 180.0;

}  // namespace

bool is_past_linear_range(const SurfaceStrain& strain) {
  return strain.strain > linear_strain || strain.rotation_rad > linear_rotation_rad;
}

std::vector<std::string> linear_range_warnings(const Scene& scene,
                                               std::span<const SurfaceStrain> worst) {
  std::vector<std::string> warnings;
  for (std::size_t b = 0; b < worst.size(); ++b) {
    if (!is_past_linear_range(worst[b])) continue;
    const Deformation* deformation = scene.bodies[b].body.deformation();
    if (dynamic_cast<const RelinearisedDeformation*>(deformation) != nullptr) continue;
    warnings.push_back(fmt::format(
        "body {}: strain {:.1f} %, rotation {:.1f} degrees: past the range of the linear model "
        "(about {:.0f} % and {:.0f} degrees for 5 %); real forces differ: load or bend it less, "
        "make it stiffer, or let it be of kind nonlinear",
        scene.bodies[b].name, 1e2 * worst[b].strain, worst[b].rotation_rad / degrees,
        1e2 * linear_strain, linear_rotation_rad / degrees));
  }
  return warnings;
}

LinearRangeWatch::LinearRangeWatch(const Scene& scene, Pace pace) : worst_(scene.bodies.size()) {
  const SimulationOptions& simulation = scene.simulation;
  if (pace == Pace::now_and_then) period_s_ = std::min(0.01, simulation.duration / 1000.0);
}

void LinearRangeWatch::add(const Scene& scene, const State& state) {
  if (state.time_s < due_s_) return;
  due_s_ = state.time_s + period_s_;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const SurfaceStrain now = surface_strain(scene.bodies[b].body, state.bodies[b], points_);
    worst_[b].strain = std::max(worst_[b].strain, now.strain);
    worst_[b].rotation_rad = std::max(worst_[b].rotation_rad, now.rotation_rad);
  }
}

}  // namespace stickslip
