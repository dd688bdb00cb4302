#include "stickslip/solver/active_newton.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

// a friction nearer to its limit than this slides
constexpr double on_the_cone = 1.0 - 1e-10;

}  // namespace

void ActiveNewton::reserve(int contacts, int unknowns) {
  contacts_.reserve(uz(contacts));
  loaded_.reserve(uz(contacts));
  lu_.reserve(unknowns);
  condensed_.reserve(unknowns / 3);
  if (step_.size() >= 3 * contacts) return;
  step_.setZero(3 * contacts);
  moved_.setZero(8 * contacts);
  padded_.setZero(3 * contacts);
}

int ActiveNewton::classify(const LocalProblem& problem, const VecX& f) {
  contacts_.resize(uz(problem.contact_count()));
  loaded_.clear();
  unknowns_ = 0;
  conditions_ = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    const Vec3 f_i = f.segment<3>(problem.stride() * i);
    const double limit = problem.mu(i) * f_i[0];
    const double friction = std::sqrt(f_i[1] * f_i[1] + f_i[2] * f_i[2]);
    contact.first = unknowns_;
    if (f_i[0] > 0.0) loaded_.push_back(i);
    if (!(f_i[0] > 0.0)) {
      contact.state = State::open;
      conditions_ += 3;
    } else if (!(limit > 0.0)) {
      contact.state = State::frictionless;
      unknowns_ += 1;
      conditions_ += 2;
    } else if (friction < on_the_cone * limit) {
      contact.state = State::stuck;
      unknowns_ += 3;
    } else {
      contact.state = State::sliding;
      contact.e_1 = f_i[1] / friction;
      contact.e_2 = f_i[2] / friction;
      unknowns_ += 2;
      conditions_ += 2;
    }
  }
  return unknowns_;
}

void ActiveNewton::fill_block(const LocalProblem& problem, int i, int j, const double* W_ij,
                              Eigen::Index next_column, Mat3& block) const {
  const Contact& from = contacts_[uz(j)];
  const Contact& at = contacts_[uz(i)];
  // what the unknowns of contact j move ...
  Mat3 moved;
  for (int c = 0; c < 3; ++c, W_ij += next_column) moved.col(c) = Vec3(W_ij[0], W_ij[1], W_ij[2]);
  if (from.state == State::sliding) {
    const Vec3 second = moved.col(1);
    const Vec3 third = moved.col(2);
    moved.col(0) += problem.mu(j) * (from.e_1 * second + from.e_2 * third);
    moved.col(1) = from.e_1 * third - from.e_2 * second;
  }
  // ... in the equations of contact i
  block = moved;
  if (at.state == State::sliding) {
    block.row(1) = at.e_1 * moved.row(2) - at.e_2 * moved.row(1);
  }
  if (i != j) return;
  block.diagonal().array() += regularisation_;
  if (at.state == State::sliding) block(1, 1) += at.diagonal;
}

int ActiveNewton::unknowns_of(State state) {
  switch (state) {
    case State::open:
      return 0;
    case State::frictionless:
      return 1;
    case State::sliding:
      return 2;
    case State::stuck:
      return 3;
  }
  return 0;
}

bool ActiveNewton::factorise(const LocalProblem& problem, SparseBlockLu* sparse, Budget& budget,
                             double reserve_us) {
  if (sparse != nullptr) {
    return sparse->factorise(
        problem, [&](int i) { return contacts_[uz(i)].state != State::open; },
        [&](int i, int j, const double* W_ij, Mat3& block) {
          fill_block(problem, i, j, W_ij, 4, block);
          // the unknowns that are none stay zero
          for (int r = unknowns_of(contacts_[uz(i)].state); r < 3; ++r) {
            block.row(r).setZero();
            if (i == j) block(r, r) = 1.0;
          }
          for (int c = unknowns_of(contacts_[uz(j)].state); c < 3; ++c) {
            block.col(c).setZero();
            if (i == j) block(c, c) = 1.0;
          }
        },
        budget, reserve_us);
  }
  problem.is_dense() ? fill_dense(problem) : fill_from_blocks(problem);
  return lu_.factorise(unknowns_, budget, reserve_us);
}

void ActiveNewton::fill_dense(const LocalProblem& problem) {
  const Eigen::Index rows = problem.size();
  double* to = lu_.matrix(unknowns_).data();
  for (int j = 0; j < problem.contact_count(); ++j) {
    const Contact& from = contacts_[uz(j)];
    if (from.state == State::open) continue;
    // what the unknowns of contact j move ...
    const double* moved = problem.column(j).values;
    if (from.state == State::sliding) {
      const Eigen::Map<const MatX> W_j(moved, rows, 3);
      auto push = moved_.head(rows);
      auto turn = moved_.segment(rows, rows);
      push = W_j.col(0) + problem.mu(j) * (from.e_1 * W_j.col(1) + from.e_2 * W_j.col(2));
      turn = from.e_1 * W_j.col(2) - from.e_2 * W_j.col(1);
      moved = moved_.data();
    }
    // ... in the equations of all contacts
    for (int c = 0; c < unknowns_of(from.state); ++c, moved += rows, to += unknowns_) {
      for (const int i : loaded_) {
        const Contact& at = contacts_[uz(i)];
        const double* moved_i = moved + 3 * i;
        double* equations = to + at.first;
        equations[0] = moved_i[0];
        if (at.state == State::sliding) {
          equations[1] = at.e_1 * moved_i[2] - at.e_2 * moved_i[1];
        } else if (at.state == State::stuck) {
          equations[1] = moved_i[1];
          equations[2] = moved_i[2];
        }
      }
      to[from.first + c] += regularisation_;
      if (from.state == State::sliding && c == 1) to[from.first + 1] += from.diagonal;
    }
  }
}

void ActiveNewton::fill_from_blocks(const LocalProblem& problem) {
  const int n = unknowns_;
  Eigen::Map<MatX> A = lu_.matrix(n);
  A.setZero();
  problem.visit_blocks([&](int i) { return contacts_[uz(i)].state != State::open; },
                       [&](int i, int j, const double* W_ij, Eigen::Index next_column) {
                         const Contact& at = contacts_[uz(i)];
                         const Contact& from = contacts_[uz(j)];
                         Mat3 block;
                         fill_block(problem, i, j, W_ij, next_column, block);
                         const int rows = unknowns_of(at.state);
                         const int columns = unknowns_of(from.state);
                         double* to = A.data() + Eigen::Index{from.first} * n + at.first;
                         for (int c = 0; c < columns; ++c, to += n) {
                           for (int r = 0; r < rows; ++r) to[r] = block(r, c);
                         }
                       });
}

double ActiveNewton::condensed_ns(const LocalProblem& problem) const {
  const int n = 3 * problem.contact_count();
  const double all_stuck_ns = condensed_.has_inverse()
                                  ? 0.0
                                  : auto_policy.cost.inverse_flop_ns * SymmetricInverse::flops(n);
  return all_stuck_ns + auto_policy.cost.flop_ns * flops(conditions_) +
         auto_policy.cost.number_ns * n * n;
}

bool ActiveNewton::is_condensed(const LocalProblem& problem) const {
  if (!problem.is_dense() || problem.contact_count() > condensed_.capacity()) return false;
  if (condensed_.is_refused() || conditions_ > unknowns_) return false;
  // the inverse serves more than one step
  const double steps = condensed_.has_inverse() ? 1.0 : auto_policy.newton.steps_of_inverse;
  return condensed_ns(problem) < steps * auto_policy.cost.flop_ns * flops(unknowns_);
}

double ActiveNewton::step_ns(const LocalProblem& problem) const {
  return is_condensed(problem) ? condensed_ns(problem)
                               : auto_policy.cost.flop_ns * flops(unknowns_);
}

void ActiveNewton::turn_right_side(const LocalProblem& problem, bool is_sparse, const VecX& f,
                                   const VecX& delta) {
  const int stride = problem.stride();
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    Vec3 right_side = Vec3::Zero();
    if (contact.state != State::open) {
      right_side = -delta.segment<3>(stride * i);
    }
    if (contact.state == State::sliding) {
      // the slip turns with the friction
      const double along = contact.e_1 * right_side[1] + contact.e_2 * right_side[2];
      contact.diagonal = std::max(0.0, along / (problem.mu(i) * f[stride * i]));
      right_side[1] = contact.e_1 * right_side[2] - contact.e_2 * right_side[1];
    }
    const int unknowns = unknowns_of(contact.state);
    for (int r = 0; r < 3; ++r) {
      if (r >= unknowns) right_side[r] = 0.0;
      if (!is_sparse && r < unknowns) step_[contact.first + r] = right_side[r];
    }
    if (is_sparse) padded_.segment<3>(3 * i) = right_side;
  }
}

bool ActiveNewton::compute_step(const LocalProblem& problem, const Way& way, const VecX& f,
                                const VecX& delta, Budget& budget, double reserve_us) {
  const bool is_sparse = way.sparse != nullptr;
  if (unknowns_ == 0 || (!is_sparse && !fits())) return false;
  regularisation_ = way.regularisation;
  turn_right_side(problem, is_sparse, f, delta);
  if (!is_sparse && way.may_condense && is_condensed(problem)) {
    if (solve_condensed(problem, delta, budget, reserve_us)) return true;
    if (!budget.look(reserve_us)) return false;
  }
  if (!factorise(problem, way.sparse, budget, reserve_us)) return false;
  if (!is_sparse) {
    lu_.solve(step_);
  } else {
    way.sparse->solve(padded_);
    for (int i = 0; i < problem.contact_count(); ++i) {
      const Contact& contact = contacts_[uz(i)];
      for (int r = 0; r < unknowns_of(contact.state); ++r) {
        step_[contact.first + r] = padded_[3 * i + r];
      }
    }
  }
  return step_.head(unknowns_).allFinite();
}

bool ActiveNewton::solve_condensed(const LocalProblem& problem, const VecX& delta, Budget& budget,
                                   double reserve_us) {
  std::vector<CondensedStates::Condition>& conditions = condensed_.conditions();
  conditions.clear();
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    if (contact.state == State::sliding) {
      const Vec3 along(0.0, contact.e_1, contact.e_2);
      const Vec3 across(0.0, -contact.e_2, contact.e_1);
      conditions.push_back({i, along - problem.mu(i) * Vec3::UnitX(), along});
      if (contact.diagonal > 0.0) conditions.push_back({i, across, across, contact.diagonal});
    } else if (contact.state != State::stuck) {
      for (int c = unknowns_of(contact.state); c < 3; ++c) {
        conditions.push_back({i, Vec3::Unit(c), Vec3::Unit(c)});
      }
    }
  }
  if (!condensed_.solve(problem, delta, lu_, budget, reserve_us, padded_)) return false;
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    const Vec3 step_i = padded_.segment<3>(3 * i);
    for (int r = 0; r < unknowns_of(contact.state); ++r) step_[contact.first + r] = step_i[r];
    if (contact.state == State::sliding) {
      step_[contact.first + 1] = contact.e_1 * step_i[2] - contact.e_2 * step_i[1];
    }
  }
  return true;
}

void ActiveNewton::move(const LocalProblem& problem, const VecX& f, double share,
                        VecX& moved) const {
  const int stride = problem.stride();
  moved.head(problem.size()) = f.head(problem.size());
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    const double* step = step_.data() + contact.first;
    auto f_i = moved.segment<3>(stride * i);
    switch (contact.state) {
      case State::open:
        break;
      case State::frictionless:
        f_i[0] = std::max(0.0, f_i[0] + share * step[0]);
        break;
      case State::stuck:
        f_i = FrictionCone{problem.mu(i)}.project(f_i + share * Vec3(step[0], step[1], step[2]));
        break;
      case State::sliding: {
        const double friction = problem.mu(i) * f_i[0];
        const double turn = share * step[1];
        const double direction_1 = friction * contact.e_1 - turn * contact.e_2;
        const double direction_2 = friction * contact.e_2 + turn * contact.e_1;
        const double size = std::hypot(direction_1, direction_2);
        const double normal = std::max(0.0, f_i[0] + share * step[0]);
        const double limit = problem.mu(i) * normal / size;
        f_i = Vec3(normal, limit * direction_1, limit * direction_2);
        break;
      }
    }
  }
}

double ActiveNewton::flops(int unknowns) {
  const double n = unknowns;
  return n * n * (2.0 / 3.0 * n + 20.0);
}

}  // namespace stickslip
