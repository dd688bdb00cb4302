#pragma once

#include <array>
#include <span>
#include <vector>

#include "stickslip/contact/contact_space.hpp"
#include "stickslip/problem/contact_problem.hpp"
#include "stickslip/solver/contact_block.hpp"
#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// Matrix-free Gauss-Seidel sweeps with exact blocks: W is never built (paper, section 5.4), only
/// its diagonal blocks are. The contribution of the frozen contacts is what their forces have
/// moved each body by, kept in the frame of that body: the displacement of its frame, six numbers
/// whatever the number of contacts, and that of its contact points by deformation. A sweep over
/// rigid bodies costs as much as there are contacts, not their square. The forces are those of
/// `block-gauss-seidel` on the built W, sweep by sweep.
class UnbuiltGaussSeidel {
 public:
  explicit UnbuiltGaussSeidel(int body_count);

  /// `problem` has delta_free and mu of the group's contacts; its W becomes the diagonal blocks. f
  /// as for Solver::solve.
  SolveResult solve(std::span<const Contact> contacts, std::span<const int> group,
                    std::span<const MovingBody> bodies, const SolverOptions& options,
                    ContactProblem& problem, VecView f);

  /// Whether a sweep costs less this way than over the built W.
  bool is_cheaper(std::span<const Contact> contacts, std::span<const int> group,
                  std::span<const MovingBody> bodies);

 private:
  /// A contact point of a body that yields.
  struct End {
    int body = -1;
    int point = 0;  ///< among those of the body
    Vec3 arm = Vec3::Zero();
    double sign = 0.0;
  };
  /// What the forces have moved a body by.
  struct Moved {
    Vec6 frame = Vec6::Zero();
    int count = 0;               ///< contact points
    std::size_t compliance = 0;  ///< where that of its deformation begins in elastic_
    std::vector<SurfacePoint> points;
    std::vector<double> deformed;  ///< of its points, in its frame
  };

  void list_ends(std::span<const Contact> contacts, std::span<const int> group,
                 std::span<const MovingBody> bodies);
  void prepare(std::span<const Contact> contacts, std::span<const int> group,
               std::span<const MovingBody> bodies, ContactProblem& problem);
  void add_force(const Contact& contact, std::span<const End, 2> ends,
                 std::span<const MovingBody> bodies, const Vec3& f);
  Vec3 displacement(const Contact& contact, std::span<const End, 2> ends,
                    std::span<const MovingBody> bodies) const;

  std::vector<Moved> moved_;
  std::vector<int> touched_;
  std::vector<std::array<End, 2>> ends_;
  std::vector<ContactBlock> blocks_;
  std::vector<double> slip_;
  std::vector<int> order_;
  NodeShares shares_;
  std::vector<double> elastic_;
  std::vector<int> diagonal_;  ///< 0, 1, 2 ... m: columns and rows of the stored blocks
  CapacityVec delta_;
};

}  // namespace stickslip
