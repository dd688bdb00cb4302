#pragma once

#include <vector>

#include "stickslip/math/types.hpp"
#include "stickslip/solver/condensed_states.hpp"
#include "stickslip/solver/dense_lu.hpp"
#include "stickslip/solver/local_problem.hpp"
#include "stickslip/solver/sparse_block_lu.hpp"

namespace stickslip {

/// Newton's method (active set) for the forces of a local problem while contacts stay in the state
/// they are in: open, stuck or sliding. A stuck contact has three unknowns and delta = 0. A sliding
/// one lies on its cone, f = f_n (n + mu e(theta)): its unknowns are f_n and theta, its equations
/// delta_n = 0 and no slip across the friction. An open one, f = 0, has none.
///
/// A multiple of the identity is added (Levenberg, Marquardt): where W is singular the step is then
/// the shortest of many, and far from the solution it is shorter than Newton's.
class ActiveNewton {
 public:
  /// Room for `contacts` contacts and `unknowns` unknowns; more than those are not attempted.
  void reserve(int contacts, int unknowns);

  /// Reads the states off f, which lies in the cones. Returns the number of unknowns.
  int classify(const LocalProblem& problem, const VecX& f);

  /// The contacts, or their W, are not those of before.
  void forget_contacts() { condensed_.forget(); }

  /// Whether a step can be computed without a sparse factorisation.
  bool fits() const { return unknowns_ <= lu_.capacity(); }

  /// Whether steps came from the inverse of W, which is there for the next.
  bool has_condensed() const { return condensed_.has_inverse(); }

  /// What a step without a sparse factorisation costs from the states read. [ns of a usual machine]
  double step_ns(const LocalProblem& problem) const;

  /// How the equations of a step are solved.
  struct Way {
    SparseBlockLu* sparse = nullptr;  ///< analysed before; where it is null W is taken as dense
    double regularisation = 0.0;      ///< on the diagonal [m/N]
    bool may_condense = false;        ///< without it, from the inverse of W where that is shorter
  };

  /// The step from f, classified before, and its delta. False where there is no step or the budget,
  /// less `reserve_us`, runs out on the way.
  bool compute_step(const LocalProblem& problem, const Way& way, const VecX& f, const VecX& delta,
                    Budget& budget, double reserve_us);

  /// moved = f and `share` of the step, in the cones.
  void move(const LocalProblem& problem, const VecX& f, double share, VecX& moved) const;

  /// Flops of a step with so many unknowns without a sparse factorisation, roughly.
  static double flops(int unknowns);

 private:
  enum class State : unsigned char { open, frictionless, sliding, stuck };

  struct Contact {
    State state = State::open;
    int first = 0;     ///< of its unknowns
    double e_1 = 0.0;  ///< direction of the friction where it slides
    double e_2 = 0.0;
    double diagonal = 0.0;  ///< to be added for the turning of its slip [m/N]
  };
  static int unknowns_of(State state);

  void fill_block(const LocalProblem& problem, int i, int j, const double* W_ij,
                  Eigen::Index next_column, Mat3& block) const;
  void fill_dense(const LocalProblem& problem);
  void fill_from_blocks(const LocalProblem& problem);
  bool factorise(const LocalProblem& problem, SparseBlockLu* sparse, Budget& budget,
                 double reserve_us);
  double condensed_ns(const LocalProblem& problem) const;
  bool is_condensed(const LocalProblem& problem) const;
  void turn_right_side(const LocalProblem& problem, bool is_sparse, const VecX& f,
                       const VecX& delta);
  bool solve_condensed(const LocalProblem& problem, const VecX& delta, Budget& budget,
                       double reserve_us);

  std::vector<Contact> contacts_;
  std::vector<int> loaded_;  ///< those that are not open
  int unknowns_ = 0;
  int conditions_ = 0;  ///< that a step from the inverse would have
  DenseLu lu_;
  CondensedStates condensed_;
  double regularisation_ = 0.0;
  VecX step_;    ///< of the unknowns
  VecX moved_;   ///< two columns of W
  VecX padded_;  ///< the same, three a contact
};

}  // namespace stickslip
