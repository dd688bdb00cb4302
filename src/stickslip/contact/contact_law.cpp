#include "stickslip/contact/contact_law.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/contact/explicit_friction.hpp"
#include "stickslip/contact/imposed_motion.hpp"
#include "stickslip/contact/penalty.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 5> names = {"exact", "penalty-explicit", "penalty-implicit",
                                                   "imposed-motion", "explicit-friction"};

constexpr int power_iterations = 12;

}  // namespace

std::span<const std::string_view> contact_method_names() {
  return names;
}

std::string_view to_string(ContactMethod method) {
  return names[static_cast<std::size_t>(method)];
}

SolveResult ContactLaw::solve(const ContactGroup& group, VecView f) {
  SolveResult result = find_forces(group, f);
  delta_.resize(f.size());
  group.problem.W.multiply(f, delta_);
  delta_ += group.problem.delta_free;
  result.error =
      natural_map_of(group.problem, f, delta_, force_scale(group.problem, group.options.criterion));
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

void StableStiffness::reserve(int contact_count) {
  own_.reserve(uz(contact_count));
  forces_.reserve(3 * contact_count);
  moved_.reserve(3 * contact_count);
}

void StableStiffness::find(const BlockMatrix& W, Along along) {
  const int m = W.contact_count();
  const int first = along == Along::all ? 0 : 1;
  own_.resize(uz(m));
  for (int i = 0; i < m; ++i) own_[uz(i)] = W.block(i, i).diagonal().tail(3 - first).mean();

  // power iteration on the scaled W, from forces that no symmetry makes miss a direction
  forces_.resize(3 * m);
  moved_.resize(3 * m);
  for (int k = 0; k < 3 * m; ++k) forces_[k] = 1.0 + 0.1 * (k % 3) + 0.01 * (k % 7);
  for (int round = 0; round < power_iterations; ++round) {
    if (first == 1) {
      for (int i = 0; i < m; ++i) forces_[3 * i] = 0.0;
    }
    forces_.normalize();
    for (int i = 0; i < m; ++i) forces_.segment<3>(3 * i) /= std::sqrt(own_[uz(i)]);
    W.multiply(forces_, moved_);
    for (int i = 0; i < m; ++i) moved_.segment<3>(3 * i) /= std::sqrt(own_[uz(i)]);
    forces_.swap(moved_);
  }
  if (first == 1) {
    for (int i = 0; i < m; ++i) forces_[3 * i] = 0.0;
  }
  coupling_ = forces_.norm();
}

}  // namespace stickslip
