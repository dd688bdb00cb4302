#include "stickslip/simulation/step_memory.hpp"

#include "stickslip/body/linear_deformation.hpp"
#include "stickslip/contact/contact_space.hpp"

namespace stickslip {

namespace {

/// Whether a body answers to forces from a table, which takes no room at a step.
bool has_table(const Deformation& deformation) {
  if (const auto* still = dynamic_cast<const QuasiStaticDeformation*>(&deformation)) {
    return still->compliance().is_precomputed();
  }
  const auto* dynamic = dynamic_cast<const DynamicDeformation*>(&deformation);
  return dynamic != nullptr && dynamic->compliance().is_precomputed();
}

}  // namespace

double bytes_for_contacts(const Scene& scene) {
  const double rows = 3.0 * scene.simulation.contact_budget;
  // W of one body, the contacts, and the candidates that they are chosen from
  double numbers = rows * rows;
  double bytes = scene.simulation.contact_budget * (sizeof(Contact) + 8.0 * sizeof(Proximity));
  for (const SceneBody& part : scene.bodies) {
    constexpr double numbers_a_row = 8.0;
    numbers += numbers_a_row * rows;
    const Deformation* deformation = part.body.deformation();
    if (deformation == nullptr || has_table(*deformation)) continue;
    // without a table: the same again, and a column of all unknowns for each row
    numbers += rows * rows + rows * static_cast<double>(deformation->rest().u.size());
  }
  return bytes + numbers * sizeof(double);
}

}  // namespace stickslip
