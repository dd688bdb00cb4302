#include "stickslip/contact/contact_law.hpp"

#include <algorithm>
#include <array>

#include "stickslip/contact/explicit_friction.hpp"
#include "stickslip/contact/imposed_motion.hpp"
#include "stickslip/contact/penalty.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 5> names = {"exact", "penalty-explicit", "penalty-implicit",
                                                   "imposed-motion", "explicit-friction"};

}  // namespace

std::span<const std::string_view> contact_method_names() {
  return names;
}

std::string_view to_string(ContactMethod method) {
  return names[static_cast<std::size_t>(method)];
}

SolveResult ContactLaw::solve(const ContactGroup& group, VecX& f) {
  SolveResult result = find_forces(group, f);
  VecX& delta = delta_.at(uz(group.count()));
  group.problem.W.multiply(f, delta);
  delta += group.problem.delta_free;
  result.error =
      natural_map_of(group.problem, f, delta, force_scale(group.problem, group.options.criterion));
  return result;
}

std::unique_ptr<ContactLaw> make_contact_law(ContactMethod method, const LawOptions& options,
                                             std::unique_ptr<Solver> solver) {
  switch (method) {
    case ContactMethod::penalty_explicit:
      return std::make_unique<ExplicitPenalty>(options);
    case ContactMethod::penalty_implicit:
      return std::make_unique<ImplicitPenalty>(options, std::move(solver));
    case ContactMethod::imposed_motion:
      return std::make_unique<ImposedMotion>();
    case ContactMethod::explicit_friction:
      return std::make_unique<ExplicitFriction>(options, std::move(solver));
    default:
      return nullptr;
  }
}

double largest_answer(const BlockMatrix& W, int i) {
  Vec3 sum = Vec3::Zero();
  for (int j = 0; j < W.contact_count(); ++j) sum += W.block(i, j).cwiseAbs().rowwise().sum();
  return sum.maxCoeff();
}

}  // namespace stickslip
