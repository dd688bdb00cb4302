#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "stickslip/problem/proof_by_cases.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

/// With a proof: the problem has no solution, whatever the method.
inline constexpr std::string_view jammed_message =
    "no force meets the laws: friction jams these contacts, whichever of them slip, stick or open";

/// Looks for a proof that friction jams a few contacts, so that no force meets the laws
/// (ProofByCases, which also judges it): a rod between walls that close, a wedge in a groove. In
/// each case it brings | D b - W F a - delta_free | to its least over a, b >= 0, D and F being rays
/// around the displacements and forces of the case (Lawson and Hanson). What is left is a y that
/// refutes the case, by the conditions of that least; where nothing is left the case is cut at the
/// contact that breaks the laws most. Costs grow with the cases, many for each contact that
/// matters.
///
/// Allocates only in reserve().
class JamSearch {
 public:
  /// Room for problems of so many contacts, as far as they are taken.
  void reserve(int contact_count);

  /// Whether the problem is proven to have no solution. False also for more contacts or cases than
  /// AutoPolicy has, or `most_cases`, and where the time, less `reserve_us`, runs out.
  bool proves_no_solution_of(const ContactProblem& problem, int most_cases, Budget& budget,
                             double reserve_us);

 private:
  static constexpr int most_contacts = 8;
  static constexpr int most_rows = 3 * most_contacts;
  static constexpr int cone_sides = 32;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_rows, 1>;
  using Square = Eigen::Matrix<double, most_rows, most_rows>;

  /// A ray of displacements, or of forces.
  struct Ray {
    int contact;
    bool is_force;
    Vec3 along;
  };

  void take_case(const ContactProblem& problem, std::span<const ContactCase> supposed);
  void add_ray(const ContactProblem& problem, const Ray& ray);
  bool find_least();
  int steepest() const;
  bool join(int ray);
  bool factorise_from(Eigen::Index place);
  void settle();
  Rows refutation() const;
  int worst_contact(const ContactProblem& problem) const;

  ProofByCases proof_;
  std::vector<Ray> rays_;
  std::vector<char> is_barred_;  ///< of each ray: dependent on those inside
  MatX columns_;                 ///< of each ray, of length one
  VecX lengths_;                 ///< before
  Rows wish_;                    ///< delta_free in the rows that are not free, of length one
  Rows left_;                    ///< of it
  /// of each row: displacements of any sign
  Eigen::Array<bool, Eigen::Dynamic, 1, 0, most_rows, 1> is_free_;
  std::vector<int> support_;  ///< rays with a share
  Square basis_;              ///< orthonormal, of their columns
  Square upper_;              ///< those columns in that basis
  Rows shares_ = Rows::Zero(most_rows);
  Rows next_ = Rows::Zero(most_rows);
};

}  // namespace stickslip
