#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "stickslip/simulation/step.hpp"

namespace stickslip::testing_support {

enum class ContactOrder { as_found, reversed, shuffled };

/// Distances between the surfaces, told in another order.
class ReorderedProximity : public ProximityMethod {
 public:
  ReorderedProximity(const Scene& scene, ContactOrder order)
      : method_(mesh_proximity(scene)), order_(order) {}

  void find(std::span<const PlacedSurface> bodies, double alarm_distance,
            std::vector<Proximity>& found) override {
    method_->find(bodies, alarm_distance, found);
    if (order_ == ContactOrder::reversed) std::reverse(found.begin(), found.end());
    if (order_ == ContactOrder::shuffled) std::shuffle(found.begin(), found.end(), random_);
  }
  bool follow(std::span<const PlacedSurface> bodies, double alarm_distance,
              Proximity& known) override {
    return method_->follow(bodies, alarm_distance, known);
  }

 private:
  std::unique_ptr<ProximityMethod> method_;
  ContactOrder order_;
  std::mt19937 random_{7};
};

inline decltype(Scene::make_proximity) in_order(ContactOrder order) {
  return [order](const Scene& scene) { return std::make_unique<ReorderedProximity>(scene, order); };
}

}  // namespace stickslip::testing_support
