#include "stickslip/scene/scene_surfaces.hpp"

#include "stickslip/contact/body_groups.hpp"

namespace stickslip {

std::vector<ProximityBody> proximity_bodies(const Scene& scene) {
  std::vector<ProximityBody> bodies;
  for (const SceneBody& part : scene.bodies) {
    bodies.push_back(
        {.surface = &part.body.surface(),
         .may_touch =
             [&part](const std::array<int, 3>& triangle) { return part.body.may_touch(triangle); },
         .is_immobile = !yields(part.body),
         .exact = part.exact ? &*part.exact : nullptr});
    if (part.body.deformation() != nullptr) {
      bodies.back().displacement = part.body.initial_state().deformation.u;
    }
  }
  return bodies;
}

TouchingPairs touching_pairs(const Scene& scene) {
  std::vector<char> is_immobile;
  for (const SceneBody& part : scene.bodies) is_immobile.push_back(yields(part.body) ? 0 : 1);
  return {std::move(is_immobile), scene.excluded_pairs};
}

}  // namespace stickslip
