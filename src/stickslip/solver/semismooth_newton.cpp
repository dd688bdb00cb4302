#include "stickslip/solver/semismooth_newton.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

constexpr double rounding = 1e-15;

}  // namespace

void SemismoothNewton::reserve(int contacts, int unknowns) {
  contacts_.reserve(uz(contacts));
  lu_.reserve(unknowns);
  const Eigen::Index size = 4 * contacts;
  if (f_.size() >= size) return;
  for (VecX* vector :
       {&f_, &delta_, &centre_, &step_, &move_, &trial_f_, &trial_delta_, &right_side_}) {
    vector->setZero(size);
  }
}

void SemismoothNewton::start(const LocalProblem& problem, SparseBlockLu* sparse, const VecX& f,
                             double rho_share, double alpha) {
  sparse_lu_ = sparse;
  contacts_.resize(uz(problem.contact_count()));
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Mat3& A = problem.block(i).matrix();
    const double mean_t = (A(1, 1) + A(2, 2)) / 2.0;
    Contact& contact = contacts_[uz(i)];
    const double least = 1e-6 * problem.mean_compliance();
    contact.rho_n = rho_share / std::max(A(0, 0), least);
    contact.rho_t = rho_share / std::max(mean_t, least);
  }
  f_.head(problem.size()) = f.head(problem.size());
  recentre(problem, alpha);
}

void SemismoothNewton::recentre(const LocalProblem& problem, double alpha) {
  alpha_ = alpha;
  centre_.head(problem.size()) = f_.head(problem.size());
  problem.refresh(f_, delta_);
  residual_ = residual_of(problem, f_, delta_);
  classify(problem);
}

double SemismoothNewton::residual_of(const LocalProblem& problem, const VecX& f,
                                     const VecX& delta) const {
  const int stride = problem.stride();
  double squared = 0.0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    const Vec3 f_i = f.segment<3>(stride * i);
    const Vec3 delta_i = delta.segment<3>(stride * i);
    const double r_n = std::max(0.0, f_i[0] - contact.rho_n * delta_i[0]);
    double r_1 = f_i[1] - contact.rho_t * delta_i[1];
    double r_2 = f_i[2] - contact.rho_t * delta_i[2];
    const double r_t = std::sqrt(r_1 * r_1 + r_2 * r_2);
    const double limit = problem.mu(i) * r_n;
    const double share = r_t > limit ? limit / r_t : 1.0;
    r_1 = f_i[1] - share * r_1;
    r_2 = f_i[2] - share * r_2;
    squared += (f_i[0] - r_n) * (f_i[0] - r_n) + r_1 * r_1 + r_2 * r_2;
  }
  return std::sqrt(squared);
}

void SemismoothNewton::classify(const LocalProblem& problem) {
  const int stride = problem.stride();
  unknowns_ = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    const Vec3 f_i = f_.segment<3>(stride * i);
    const Vec3 delta_i = delta_.segment<3>(stride * i);
    const double r_n = f_i[0] - contact.rho_n * delta_i[0];
    contact.first = unknowns_;
    if (!(r_n > 0.0) || !problem.block(i).can_push()) {
      contact.state = State::open;
      continue;
    }
    unknowns_ += 3;
    const double r_1 = f_i[1] - contact.rho_t * delta_i[1];
    const double r_2 = f_i[2] - contact.rho_t * delta_i[2];
    const double r_t = std::sqrt(r_1 * r_1 + r_2 * r_2);
    contact.limit = problem.mu(i) * r_n;
    contact.state = r_t <= contact.limit ? State::stuck : State::sliding;
    if (contact.state == State::stuck) continue;
    contact.d_1 = r_1 / r_t;
    contact.d_2 = r_2 / r_t;
    contact.share = contact.limit / r_t;
  }
}

void SemismoothNewton::fill_block(const LocalProblem& problem, int i, int j, const double* W_ij,
                                  Eigen::Index next_column, Mat3& block) const {
  // G W_ij + H, where Phi' = G (W + alpha) + H with G and H of one contact each
  const Contact& at = contacts_[uz(i)];
  for (int c = 0; c < 3; ++c, W_ij += next_column) {
    double normal = W_ij[0];
    double tangent_1 = W_ij[1];
    double tangent_2 = W_ij[2];
    if (i == j) (c == 0 ? normal : c == 1 ? tangent_1 : tangent_2) += alpha_;
    block(0, c) = normal;
    if (at.state == State::stuck) {
      block(1, c) = tangent_1;
      block(2, c) = tangent_2;
      continue;
    }
    const double push = problem.mu(i) * at.rho_n * normal;
    const double turn = at.share * at.rho_t * (at.d_1 * tangent_2 - at.d_2 * tangent_1);
    block(1, c) = push * at.d_1 - turn * at.d_2;
    block(2, c) = push * at.d_2 + turn * at.d_1;
  }
  if (i != j || at.state == State::stuck) return;
  const double mu = problem.mu(i);
  block(1, 0) -= mu * at.d_1;
  block(2, 0) -= mu * at.d_2;
  block(1, 1) += 1.0 - at.share * at.d_2 * at.d_2;
  block(1, 2) += at.share * at.d_1 * at.d_2;
  block(2, 1) += at.share * at.d_1 * at.d_2;
  block(2, 2) += 1.0 - at.share * at.d_1 * at.d_1;
}

bool SemismoothNewton::factorise(const LocalProblem& problem, Budget& budget, double reserve_us) {
  if (sparse_lu_ != nullptr) {
    return sparse_lu_->factorise(
        problem, [&](int i) { return contacts_[uz(i)].state != State::open; },
        [&](int i, int j, const double* W_ij, Mat3& block) {
          fill_block(problem, i, j, W_ij, 4, block);
        },
        budget, reserve_us);
  }
  const int n = unknowns_;
  Eigen::Map<MatX> A = lu_.matrix(n);
  if (!problem.is_dense()) A.setZero();
  problem.visit_blocks([&](int i) { return contacts_[uz(i)].state != State::open; },
                       [&](int i, int j, const double* W_ij, Eigen::Index next_column) {
                         Mat3 block;
                         fill_block(problem, i, j, W_ij, next_column, block);
                         A.block<3, 3>(contacts_[uz(i)].first, contacts_[uz(j)].first) = block;
                       });
  return lu_.factorise(n, budget, reserve_us);
}

SemismoothNewton::Step SemismoothNewton::step(const LocalProblem& problem, Budget& budget,
                                              double reserve_us) {
  if (sparse_lu_ == nullptr && unknowns_ > lu_.capacity()) return Step::none;
  if (!(residual_ > rounding * f_.head(problem.size()).norm())) return Step::done;
  give_up_open_forces(problem);
  if (unknowns_ > 0) {
    fill_right_side(problem);
    if (!factorise(problem, budget, reserve_us)) {
      return budget.look(reserve_us) ? Step::none : Step::late;
    }
    if (!solve_equations(problem)) return Step::none;
  }
  return take_step(problem);
}

void SemismoothNewton::give_up_open_forces(const LocalProblem& problem) {
  const int stride = problem.stride();
  step_.head(problem.size()).setZero();
  move_.head(problem.size()).setZero();
  for (int i = 0; i < problem.contact_count(); ++i) {
    if (contacts_[uz(i)].state != State::open) continue;
    const Vec3 f_i = f_.segment<3>(stride * i);
    if (f_i == Vec3::Zero()) continue;
    step_.segment<3>(stride * i) = -f_i;
    problem.add_column(i, -f_i, move_);
    move_.segment<3>(stride * i) -= alpha_ * f_i;
  }
}

void SemismoothNewton::fill_right_side(const LocalProblem& problem) {
  const bool is_sparse = sparse_lu_ != nullptr;
  const int stride = problem.stride();
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    if (contact.state == State::open) {
      if (is_sparse) right_side_.segment<3>(3 * i).setZero();
      continue;
    }
    const Vec3 f_i = f_.segment<3>(stride * i);
    const Vec3 delta_i = delta_.segment<3>(stride * i);
    const Vec3 move_i = move_.segment<3>(stride * i);
    auto right_side = right_side_.segment<3>(is_sparse ? 3 * i : contact.first);
    right_side = -(delta_i + move_i);
    if (contact.state == State::stuck) continue;
    const double d_1 = contact.d_1;
    const double d_2 = contact.d_2;
    const double push = contact.limit - problem.mu(i) * contact.rho_n * move_i[0];
    const double turn = contact.share * contact.rho_t * (d_1 * move_i[2] - d_2 * move_i[1]);
    right_side[1] = push * d_1 - f_i[1] + turn * d_2;
    right_side[2] = push * d_2 - f_i[2] - turn * d_1;
  }
}

bool SemismoothNewton::solve_equations(const LocalProblem& problem) {
  const bool is_sparse = sparse_lu_ != nullptr;
  const int stride = problem.stride();
  is_sparse ? sparse_lu_->solve(right_side_) : lu_.solve(right_side_);
  const int unknowns = is_sparse ? 3 * problem.contact_count() : unknowns_;
  if (!right_side_.head(unknowns).allFinite()) return false;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    if (contact.state == State::open) continue;
    const Vec3 step_i = right_side_.segment<3>(is_sparse ? 3 * i : contact.first);
    step_.segment<3>(stride * i) = step_i;
    problem.add_column(i, step_i, move_);
    move_.segment<3>(stride * i) += alpha_ * step_i;
  }
  return true;
}

SemismoothNewton::Step SemismoothNewton::take_step(const LocalProblem& problem) {
  // as long as it helps
  const Eigen::Index size = problem.size();
  double share = 1.0;
  double best_share = 1.0;
  double least = std::numeric_limits<double>::infinity();
  for (int halving = 0; halving <= auto_policy.proximal.most_halvings; ++halving, share /= 2.0) {
    trial_f_.head(size) = f_.head(size) + share * step_.head(size);
    trial_delta_.head(size) = delta_.head(size) + share * move_.head(size);
    const double residual = residual_of(problem, trial_f_, trial_delta_);
    if (residual < least) {
      least = residual;
      best_share = share;
    }
    if (residual <= (1.0 - auto_policy.proximal.enough_decrease * share) * residual_) break;
  }
  if (!std::isfinite(least)) return Step::none;
  const bool is_smaller = least < residual_;
  f_.head(size) += best_share * step_.head(size);
  // delta afresh: the updates carry rounding
  problem.refresh(f_, delta_);
  delta_.head(size) += alpha_ * (f_.head(size) - centre_.head(size));
  residual_ = residual_of(problem, f_, delta_);
  classify(problem);
  return is_smaller ? Step::smaller : Step::larger;
}

void SemismoothNewton::project(const LocalProblem& problem, VecX& f) const {
  f.head(problem.size()) = f_.head(problem.size());
  for (int i = 0; i < problem.contact_count(); ++i) {
    auto f_i = f.segment<3>(problem.stride() * i);
    const double normal = std::max(0.0, f_i[0]);
    f_i = FrictionCone{problem.mu(i)}.limit_friction(Vec3(normal, f_i[1], f_i[2]));
  }
}

}  // namespace stickslip
