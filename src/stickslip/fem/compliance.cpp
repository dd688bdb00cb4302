#include "stickslip/fem/compliance.hpp"

#include <fmt/core.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <chrono>
#include <type_traits>

#include "stickslip/error.hpp"
#include "stickslip/fem/rigid_modes.hpp"

namespace stickslip {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double gigabytes(std::int64_t bytes) {
  return static_cast<double>(bytes) * 1e-9;
}

}  // namespace

std::int64_t compliance_bytes(const DeformationModel& model, Precision precision) {
  const std::int64_t entry = precision == Precision::float64 ? 8 : 4;
  return 9 * entry * model.surface_count() * model.contact_count;
}

Compliance::Compliance(const DeformationModel& model, const SparseMatrix& K_tilde,
                       std::span<const int> held_nodes, const ComplianceOptions& options,
                       Stiffness stiffness)
    : node_count_(model.node_count()),
      surface_count_(model.surface_count()),
      contact_count_(model.contact_count),
      is_free_(held_nodes.empty()),
      is_precomputed_(options.precompute),
      precision_(options.precision) {
  // refuse before anything large is allocated
  if (is_precomputed_) report_.table_bytes = compliance_bytes(model, precision_);
  if (report_.table_bytes > options.memory_limit_bytes) {
    throw InputError(fmt::format(
        "the surface compliance of {} x {} nodes needs {:.2f} GB, the limit is {:.2f} GB: limit "
        "contact to named regions, use float32, do without precomputation, or raise the limit",
        surface_count_, contact_count_, gigabytes(report_.table_bytes),
        gigabytes(options.memory_limit_bytes)));
  }

  const auto start = Clock::now();
  factorize(model, K_tilde, held_nodes, stiffness);
  report_.factor_seconds = seconds_since(start);
  report_.factor_bytes = 8 * factor_.factor_entries();
  if (is_precomputed_) make_table(model, K_tilde, held_nodes, options);
}

template <class Visit>
void Compliance::with_table(Visit&& visit) const {
  if (precision_ == Precision::float64) {
    visit(reinterpret_cast<const double*>(table_.bytes().data()));
  } else {
    visit(reinterpret_cast<const float*>(table_.bytes().data()));
  }
}

void Compliance::factorize(const DeformationModel& model, const SparseMatrix& K_tilde,
                           std::span<const int> held_nodes, Stiffness stiffness) {
  // the unknowns that are not held; a free body is held isostatically, which strains nothing
  // once its loads are in balance
  active_.assign(uz(3 * node_count_), 0);
  for (const int node : held_nodes) {
    if (node < 0 || node >= node_count_) {
      throw InputError(
          fmt::format("held node {}: the body has nodes 0 to {}", node, node_count_ - 1));
    }
    for (int d = 0; d < 3; ++d) active_[uz(3 * node + d)] = -1;
  }
  if (is_free_) R_ = rigid_modes(model.nodes);
  if (stiffness == Stiffness::bare) {
    refuse_loose_parts(model, held_nodes);
    if (is_free_) {
      for (const int unknown : isostatic_unknowns(R_)) active_[uz(unknown)] = -1;
    }
  }
  int next = 0;
  for (int& a : active_) a = a < 0 ? -1 : next++;
  if (next == 0) throw InputError("every node of the body is held: leave some free to deform");
  try {
    factor_ = SparseCholesky(restricted(K_tilde, active_));
  } catch (const NotPositiveDefinite& error) {
    const auto unknown = std::find(active_.begin(), active_.end(), error.unknown());
    const auto node = uz((unknown - active_.begin()) / 3);
    const Vec3 at = model.nodes[node] + model.mass.centre;
    throw InputError(
        fmt::format("the body is loose near ({:.6g}, {:.6g}, {:.6g}) m: a part of it hangs on "
                    "nothing, or an element is inverted; `stickslip mesh check` may tell which",
                    at.x(), at.y(), at.z()));
  }

  if (!is_free_) return;
  // P = 1 - R G^-1 R^T M takes rigid motion out of a displacement, P^T its inertia out of a
  // load; C = P K^-1 P^T = K^-1 - Y R^T - R Y^T
  MR_ = model.M * R_;
  G_inverse_ = (R_.transpose() * MR_).inverse();
  Y_ = RigidModes::Zero(3 * node_count_, 6);
  MatX load(factor_.size(), 6);
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (active_[k] >= 0) load.row(active_[k]) = MR_.row(static_cast<int>(k));
  }
  factor_.solve(load);
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (active_[k] >= 0) Y_.row(static_cast<int>(k)) = load.row(active_[k]);
  }
  const Mat6 S = MR_.transpose() * Y_;
  Y_ = (Y_ - 0.5 * R_ * G_inverse_ * S) * G_inverse_;
}

Compliance::Workspace Compliance::make_workspace(int max_points) const {
  Workspace workspace;
  const int points = is_precomputed_ ? 0 : max_points;
  workspace.solver = factor_.make_workspace(3 * points);
  workspace.active.setZero(factor_.size());
  workspace.full.setZero(3 * node_count_);
  workspace.columns = PointColumns(points);
  const int free_points = is_free_ ? points : 0;
  workspace.moved.setZero(3 * free_points, 6);
  workspace.answered.setZero(3 * free_points, 6);
  if (is_precomputed_) workspace.gathered = GatheredBlocks(*this, max_points);
  return workspace;
}

Mat3 Compliance::block(int a, int b) const {
  assert(is_precomputed_ && a < surface_count_ && b < contact_count_);
  const std::int64_t rows = 3 * surface_count_;
  Mat3 result;
  with_table([&](const auto* table) {
    for (int d = 0; d < 3; ++d) {
      const auto* column = table + (3 * b + d) * rows + 3 * a;
      result.col(d) = Vec3(column[0], column[1], column[2]);
    }
  });
  return result;
}

const double* Compliance::symmetric_table() const {
  const bool is_symmetric = is_precomputed_ && contact_count_ == surface_count_;
  if (!is_symmetric || precision_ != Precision::float64) return nullptr;
  return reinterpret_cast<const double*>(table_.bytes().data());
}

void Compliance::compute_compliance(const NodeShares& points, Workspace& workspace,
                                    Eigen::Ref<MatX> C) const {
  assert(C.rows() == 3 * points.count() && C.cols() == C.rows());
  if (is_precomputed_) {
    workspace.gathered.compute(*this, points, C);
    return;
  }
  C.setZero();
  factor_.add_gram(workspace.columns.fill(points, active_), workspace.solver, C);
  if (is_free_) take_rigid_motion_out(points, workspace, C);
}

void Compliance::take_rigid_motion_out(const NodeShares& points, Workspace& workspace,
                                       Eigen::Ref<MatX> C) const {
  // C = K^-1 - Y R^T - R Y^T
  const auto count = C.rows();
  auto moved = workspace.moved.topRows(count);
  auto answered = workspace.answered.topRows(count);
  moved.setZero();
  answered.setZero();
  for (int i = 0; i < points.count(); ++i) {
    const auto shares = points.of(i);
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const int row = 3 * shares[a].node;
      const Mat3 D = points.has_turns() ? points.turns(i)[a] : shares[a].weight * Mat3::Identity();
      moved.middleRows<3>(3 * i).noalias() += D.lazyProduct(R_.middleRows<3>(row));
      answered.middleRows<3>(3 * i).noalias() += D.lazyProduct(Y_.middleRows<3>(row));
    }
  }
  C.noalias() -= answered.lazyProduct(moved.transpose());
  C.noalias() -= moved.lazyProduct(answered.transpose());
}

void Compliance::add_surface_displacement(std::span<const SurfacePoint> points,
                                          std::span<const Vec3> forces, Workspace& workspace,
                                          Eigen::Ref<VecX> u) const {
  workspace.full.setZero();
  add_nodal_forces(points, forces, workspace.full);
  solve_in_step(workspace.full, workspace);
  u += workspace.full.head(u.size());
}

void Compliance::add_answers(std::span<const int> loaded, std::span<const Vec3> forces,
                             std::span<const int> nodes, std::span<Eigen::Array4d> sums) const {
  assert(is_precomputed_ && nodes.size() <= sums.size());
  const std::int64_t rows = 3 * surface_count_;
  with_table([&](const auto* table) {
    using Entries = Eigen::Map<const Eigen::Array<std::remove_cvref_t<decltype(*table)>, 4, 1>>;
    const auto add = [&](std::size_t k, int node, Eigen::Array4d& sum) {
      const Vec3& g = forces[k];
      const auto* column = table + 3 * loaded[k] * rows + 3 * node;
      sum += g[0] * Entries(column).template cast<double>() +
             g[1] * Entries(column + rows).template cast<double>() +
             g[2] * Entries(column + 2 * rows).template cast<double>();
    };
    if (nodes.size() == 1) {
      Eigen::Array4d sum = sums[0];
      for (std::size_t k = 0; k < loaded.size(); ++k) add(k, nodes[0], sum);
      sums[0] = sum;
      return;
    }
    for (std::size_t k = 0; k < loaded.size(); ++k) {
      for (std::size_t i = 0; i < nodes.size(); ++i) add(k, nodes[i], sums[i]);
    }
  });
}

void Compliance::solve_in_step(Eigen::Ref<VecX> f, Workspace& workspace) const {
  if (is_free_) {
    const Vec6 acceleration = G_inverse_ * (R_.transpose() * f);
    f.noalias() -= MR_ * acceleration;
  }
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (active_[k] >= 0) workspace.active[active_[k]] = f[static_cast<int>(k)];
  }
  factor_.solve_in_step(workspace.active, workspace.solver);
  for (std::size_t k = 0; k < active_.size(); ++k) {
    f[static_cast<int>(k)] = active_[k] < 0 ? 0.0 : workspace.active[active_[k]];
  }
  if (is_free_) {
    const Vec6 motion = G_inverse_ * (MR_.transpose() * f);
    f.noalias() -= R_ * motion;
  }
}

void Compliance::solve(Eigen::Ref<MatX> F) const {
  if (is_free_) F -= MR_ * (G_inverse_ * (R_.transpose() * F));
  MatX X(factor_.size(), F.cols());
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (active_[k] >= 0) X.row(active_[k]) = F.row(static_cast<int>(k));
  }
  factor_.solve(X);
  for (std::size_t k = 0; k < active_.size(); ++k) {
    if (active_[k] < 0) {
      F.row(static_cast<int>(k)).setZero();
    } else {
      F.row(static_cast<int>(k)) = X.row(active_[k]);
    }
  }
  if (is_free_) F -= R_ * (G_inverse_ * (MR_.transpose() * F));
}

}  // namespace stickslip
