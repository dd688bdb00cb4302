#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/contact/delassus.hpp"
#include "stickslip/math/capacity_vec.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

// What contact was simulated by before the exact laws (paper, sections 1 and 2), on the same
// proximities, W and delta_free, so that a step by each can be compared.

/// How the forces of a step are found.
enum class ContactMethod : std::uint8_t {
  exact,             ///< Signorini's law and Coulomb's, by a Solver
  penalty_explicit,  ///< springs and dampers at the overlap of the beginning of the step
  penalty_implicit,  ///< the same at its end
  imposed_motion,    ///< contacts as two-sided constraints that the softer body gives way to
  explicit_friction  ///< exact normal forces, friction from the data of the last step
};

/// Their names in scene files, in this order.
std::span<const std::string_view> contact_method_names();
std::string_view to_string(ContactMethod method);

/// Whether overlap is what forces come from, and must be left alone.
constexpr bool lives_by_overlap(ContactMethod method) {
  return method == ContactMethod::penalty_explicit || method == ContactMethod::penalty_implicit;
}

/// Numbers that a user of these methods must choose; what is not given is chosen from W.
struct LawOptions {
  std::optional<double> penalty_stiffness = {};  ///< of a contact, along n and across [N/m]
  std::optional<double> penalty_damping = {};    ///< [N s/m]
  std::optional<double> friction_velocity = {};  ///< below it explicit friction is viscous [m/s]
};

/// The contacts of a group in the middle of a step, as a law sees them.
struct ContactGroup {
  const ContactProblem& problem;
  std::span<Contact> contacts;  ///< of the whole step
  std::span<const int> group;   ///< those of the problem, in its order
  std::span<const MovingBody> bodies;
  DelassusBuilder& delassus;  ///< W was built by it
  double dt;                  ///< [s]
  const SolverOptions& options;

  int count() const { return static_cast<int>(group.size()); }
  Contact& contact(int i) const { return contacts[uz(group[uz(i)])]; }
};

/// Finds contact forces by a law of its own. A law owns its scratch and allocates only beyond
/// the largest problem there has been.
class ContactLaw {
 public:
  virtual ~ContactLaw() = default;

  /// Room for problems up to this size.
  virtual void reserve(const ProblemSize& largest) { delta_.reserve(3 * largest.contacts); }

  /// f becomes the forces along the axes, 3m. The error is that of the exact laws; the law has
  /// converged where it found what it looks for, however wrong.
  SolveResult solve(const ContactGroup& group, VecView f);

 private:
  virtual SolveResult find_forces(const ContactGroup& group, VecView f) = 0;

  CapacityVec delta_;
};

/// The law of a method, null for the exact one. `solver` is for those that solve a problem.
std::unique_ptr<ContactLaw> make_contact_law(ContactMethod method, const LawOptions& options,
                                             std::unique_ptr<Solver> solver);

/// An explicit answer of contacts to their own motion is stable where it undoes no more than this
/// share of it, and no more than the same share again by damping, with or without inertia.
inline constexpr double stable_share = 0.25;

/// How stiffly each contact may answer motion along some components without all of them together
/// undoing more than the whole of it: inversely to its own compliance.
class StableStiffness {
 public:
  enum class Along : std::uint8_t { all, tangents };

  void reserve(int contact_count);
  void find(const BlockMatrix& W, Along along);

  /// Of contact i. [N/m]
  double of(int i) const { return 1.0 / (coupling_ * own_[uz(i)]); }

 private:
  std::vector<double> own_;  ///< mean compliance of each contact along the components [m/N]
  double coupling_ = 1.0;    ///< largest eigenvalue of W scaled by them
  CapacityVec forces_, moved_;
};

}  // namespace stickslip
