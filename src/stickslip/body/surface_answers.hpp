#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stickslip/fem/compliance.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// Loads on a surface: the weights of its load cases, and forces on some of its nodes.
struct SurfaceLoads {
  VecX weights;
  std::vector<int> nodes;    ///< ascending
  std::vector<Vec3> forces;  ///< on them [N]

  bool operator==(const SurfaceLoads& other) const {
    return weights == other.weights && nodes == other.nodes && forces == other.forces;
  }
  bool is_finite() const;
};

/// How a surface without inertia answers to loads: by the table of its compliance (Eqs. 3, 16) and
/// its displacements under each load case. Loads say all about its shape, node by node.
class SurfaceAnswers {
 public:
  /// `compliance` is precomputed. Columns of case_answers are surface displacements under each load
  /// case (3 ns x cases), the Gram matrix the work of each on the displacements under each.
  SurfaceAnswers(std::shared_ptr<const Compliance> compliance, const MatX& case_answers,
                 const MatX& case_gram);

  int node_count() const { return node_count_; }
  int case_count() const { return static_cast<int>(cases_.size()); }
  /// So many nodes may carry forces.
  int contact_count() const { return contact_count_; }

  /// Displacements of nodes under loads, each written to its place in u. Each comes out the same,
  /// bit by bit, whichever others are asked for. [m]
  void displace(const SurfaceLoads& loads, std::span<const int> nodes, double* u) const;
  void displace(const SurfaceLoads& loads, int node, double* u) const;

  /// No node that may touch something moves farther than its softness times the distance of the
  /// loads before and after: the Cauchy-Schwarz inequality in the norm of the elastic energy.
  /// [m / sqrt J]
  std::span<const float> softness() const { return softness_; }
  /// The largest.
  double most_softness() const { return most_softness_; }

  /// How far loads are from each other, rather more than less. [sqrt J]
  double distance(const SurfaceLoads& a, const SurfaceLoads& b) const;
  /// How far they are from none.
  double distance(const SurfaceLoads& loads) const;

 private:
  double softness_of(int node) const { return static_cast<double>(softness_[uz(node)]); }
  /// What the load cases alone do to a node; the fourth number is anything.
  Eigen::Array4d under_cases(const SurfaceLoads& loads, int node) const;

  std::shared_ptr<const Compliance> compliance_;
  int node_count_;
  int contact_count_;
  std::vector<VecX> cases_;         ///< displacements under each, and one number more
  std::vector<double> case_sizes_;  ///< how far each is from no load [sqrt J]
  std::vector<float> softness_;
  double most_softness_ = 0.0;
};

}  // namespace stickslip
