#pragma once

#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "stickslip/body/surface_strain.hpp"
#include "stickslip/scene/scene.hpp"
#include "stickslip/scene/state.hpp"

namespace stickslip {

// Beyond these, linear elasticity is off by more than about a twentieth.
inline constexpr double linear_strain = 0.02;
inline constexpr double linear_rotation_rad = 7.0 * std::numbers::pi / 180.0;

bool is_past_linear_range(const SurfaceStrain& strain);

/// What to tell of the bodies past that range, a line each: strain, rotation, remedy. `worst` has
/// one of each body of the scene.
std::vector<std::string> linear_range_warnings(const Scene& scene,
                                               std::span<const SurfaceStrain> worst);

/// Watches how far the bodies of a run go from where linear elasticity holds.
class LinearRangeWatch {
 public:
  /// Looks at every state, or in a run only every now and then: at least every hundredth of a
  /// second and a thousand times in all.
  enum class Pace { every_state, now_and_then };
  LinearRangeWatch(const Scene& scene, Pace pace);

  /// After a step. Allocates once.
  void add(const Scene& scene, const State& state);

  /// The largest strain and rotation of each body so far, of rigid ones zero.
  const std::vector<SurfaceStrain>& worst() const { return worst_; }

 private:
  double period_s_ = 0.0;
  double due_s_ = 0.0;
  std::vector<SurfaceStrain> worst_;
  std::vector<Vec3> points_;
};

}  // namespace stickslip
