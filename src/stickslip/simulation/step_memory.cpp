#include "stickslip/simulation/step_memory.hpp"

#include <algorithm>

#include "stickslip/body/linear_deformation.hpp"
#include "stickslip/contact/body_groups.hpp"
#include "stickslip/contact/contact_space.hpp"
#include "stickslip/solver/auto_policy.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"

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

int most_groups(const Scene& scene) {
  const auto yielding = std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                      [](const SceneBody& part) { return yields(part.body); });
  return std::min(static_cast<int>(yielding), scene.simulation.contact_budget);
}

ProblemSize largest_problem(const Scene& scene) {
  // contacts of two bodies all feel each other
  return {.contacts = scene.simulation.contact_budget, .is_dense = most_groups(scene) <= 2};
}

double bytes_for_contacts(const Scene& scene) {
  const double contacts = scene.simulation.contact_budget;
  const double rows = 3.0 * contacts;
  const bool is_dense = largest_problem(scene).is_dense;
  // W of one body and of what is lifted, of each group, and the copy that is solved
  double numbers = 2.0 * rows * rows;
  for (int k = 1; k <= most_groups(scene); ++k) {
    numbers += rows * rows / (1.0 * k * k);
  }
  numbers += (is_dense ? 1.0 : 4.0 / 3.0) * rows * rows;
  // factors of the two Newton's methods, and of a sparse W
  const double unknowns = std::min(rows, static_cast<double>(auto_policy.newton.most_unknowns));
  numbers += 2.0 * unknowns * unknowns;
  // the inverse of a dense W, in single precision
  numbers += 0.5 * unknowns * unknowns;
  if (!is_dense) {
    const double pattern = std::min(contacts, static_cast<double>(SparseBlockLu::largest_pattern));
    constexpr double numbers_a_link = 12.5;
    constexpr double lists_of_matrices = 4.0;
    numbers += numbers_a_link * pattern * pattern + lists_of_matrices * contacts * contacts;
  }
  // the contacts, and the candidates that they are chosen from
  double bytes = contacts * (sizeof(Contact) + 8.0 * sizeof(Proximity));
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
