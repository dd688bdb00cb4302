#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "stickslip/fem/deformation_model.hpp"
#include "stickslip/fem/gathered_blocks.hpp"
#include "stickslip/fem/large_array.hpp"
#include "stickslip/fem/node_shares.hpp"
#include "stickslip/fem/point_forces.hpp"
#include "stickslip/fem/rigid_modes.hpp"
#include "stickslip/fem/sparse_cholesky.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/mesh/surface.hpp"

namespace stickslip {

enum class Precision { float64, float32 };

/// What K-tilde is made of: the bare stiffness of a free body is singular by its rigid motions,
/// with inertia it is regular.
enum class Stiffness { bare, with_inertia };

struct ComplianceOptions {
  bool precompute = true;  ///< false: every use solves with the factorisation
  Precision precision = Precision::float64;
  std::int64_t memory_limit_bytes = std::int64_t{4} << 30;
  std::filesystem::path cache;  ///< folder of precomputed compliances; empty: keep none
  int threads = 0;              ///< of the precomputation; 0: as many as there are processors
  /// Told the share done, from 0 to 1, by whichever thread did it. What it throws ends the work
  /// and comes out of the constructor.
  std::function<void(double)> progress;
};

/// The compliance C = K-tilde^-1 of a body (Eqs. 3, 16) on its surface (static condensation).
///
/// Held nodes do not move (Dirichlet conditions). A body without held nodes is free: loads are
/// first balanced by the inertia of a rigid motion, and the answer is rid of rigid motion, so
/// that C is symmetric, positive semi-definite, and right even where K-tilde is singular.
///
/// Precomputed (paper, section 5.4), C is a dense table: a row for each direction of each
/// surface node, a column for each that may touch something, and a 3 x 3 block is a read.
/// Otherwise each use solves with the factorisation. Nothing allocates after construction.
class Compliance {
 public:
  /// K_tilde is over all nodes of the model. Throws InputError when a part of the body is loose,
  /// when all of it is held, or when the table would pass the memory limit.
  Compliance(const DeformationModel& model, const SparseMatrix& K_tilde,
             std::span<const int> held_nodes, const ComplianceOptions& options,
             Stiffness stiffness = Stiffness::bare);

  /// Scratch of the uses that need the factorisation.
  struct Workspace {
    SparseCholesky::Workspace solver;
    VecX active;  ///< unknowns of the factorisation
    VecX full;    ///< all unknowns
    PointColumns columns;
    Eigen::Matrix<double, Eigen::Dynamic, 6> moved;     ///< points under rigid motions R,
    Eigen::Matrix<double, Eigen::Dynamic, 6> answered;  ///< and under Y
    GatheredBlocks gathered;
  };
  Workspace make_workspace(int max_points) const;

  /// The answer at node a to a force on node b, surface nodes, b one that may touch something.
  /// Precomputed only. [m/N]
  Mat3 block(int a, int b) const;
  /// The table, column by column, where it is square, and thus symmetric to the last bit, and in
  /// double precision; else null. It may be read a few numbers beyond its end.
  const double* symmetric_table() const;

  /// (Eq. 16) C(3i.., 3j..) = the answer of point i to a force on point j, for the points i >= j:
  /// the lower half of H C H^T. What is above the diagonal blocks does not count.
  void compute_compliance(const NodeShares& points, Workspace& workspace, Eigen::Ref<MatX> C) const;

  /// u += C H^T f on the surface (3 ns) for forces at surface points, by the factorisation.
  void add_surface_displacement(std::span<const SurfacePoint> points, std::span<const Vec3> forces,
                                Workspace& workspace, Eigen::Ref<VecX> u) const;

  /// The answers of some surface nodes to forces on nodes that may touch something, in their order,
  /// added to `sums` (three numbers each; the fourth is anything). Precomputed only.
  void add_answers(std::span<const int> loaded, std::span<const Vec3> forces,
                   std::span<const int> nodes, std::span<Eigen::Array4d> sums) const;

  /// f <- C f over all nodes (3n), within a step.
  void solve_in_step(Eigen::Ref<VecX> f, Workspace& workspace) const;

  /// The same for many loads at once, outside of steps.
  void solve(Eigen::Ref<MatX> F) const;

  bool is_precomputed() const { return is_precomputed_; }
  int contact_count() const { return contact_count_; }

  /// What it took.
  struct Report {
    double factor_seconds = 0.0;
    double table_seconds = 0.0;  ///< to compute the table, or to load it
    std::int64_t table_bytes = 0;
    std::int64_t factor_bytes = 0;
    bool was_cached = false;
    double float32_error = 0.0;  ///< largest rounding error relative to the largest entry
  };
  const Report& report() const { return report_; }

 private:
  void factorize(const DeformationModel& model, const SparseMatrix& K_tilde,
                 std::span<const int> held_nodes, Stiffness stiffness);
  void make_table(const DeformationModel& model, const SparseMatrix& K_tilde,
                  std::span<const int> held_nodes, const ComplianceOptions& options);
  void take_rigid_motion_out(const NodeShares& points, Workspace& workspace,
                             Eigen::Ref<MatX> C) const;
  template <class Visit>
  void with_table(Visit&& visit) const;

  int node_count_ = 0;
  int surface_count_ = 0;
  int contact_count_ = 0;
  SparseCholesky factor_;
  std::vector<int> active_;  ///< unknown -> unknown of the factorisation, -1 where held
  // free bodies: C = K^-1 - Y R^T - R Y^T
  bool is_free_ = false;
  RigidModes R_;
  RigidModes Y_;
  RigidModes MR_;
  Mat6 G_inverse_;

  bool is_precomputed_ = false;
  Precision precision_ = Precision::float64;
  LargeArray table_;  ///< column-major, 3 surface nodes x 3 contact nodes
  Report report_;
};

/// Bytes of the table of a model. [B]
std::int64_t compliance_bytes(const DeformationModel& model, Precision precision);

}  // namespace stickslip
