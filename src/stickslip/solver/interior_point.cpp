#include "stickslip/solver/interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

// where friction is less its cone is a line
constexpr double least_friction = 1e-9;
constexpr double least_share = 1e-6;
// of delta_free
constexpr double least_length = 1e-3;

}  // namespace

void InteriorPoint::reserve(int contacts) {
  contacts_.reserve(uz(contacts));
  const Eigen::Index size = 4 * contacts;
  if (f_.size() >= size) return;
  for (VecX* vector : {&f_, &delta_, &step_, &move_, &right_side_}) vector->setZero(size);
}

int InteriorPoint::unknowns_of(Law law) {
  return law == Law::friction ? 3 : law == Law::frictionless ? 1 : 0;
}

bool InteriorPoint::start(const LocalProblem& problem, const Elimination& elimination,
                          const VecX& f) {
  elimination_ = elimination;
  contacts_.assign(uz(problem.contact_count()), {});
  pushing_ = 0;
  unknowns_ = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    contact.first = unknowns_;
    if (!problem.block(i).can_push()) continue;
    contact.law = problem.mu(i) > least_friction ? Law::friction : Law::frictionless;
    unknowns_ += unknowns_of(contact.law);
    ++pushing_;
  }
  if (pushing_ == 0) return false;
  if (elimination.sparse == nullptr && unknowns_ > elimination.dense->capacity()) return false;
  f_.head(problem.size()) = f.head(problem.size());
  problem.refresh(f_, delta_);
  choose_start(problem);
  holds_slip_ = false;
  linearise(problem);
  return std::isfinite(barrier_) && barrier_ > 0.0;
}

void InteriorPoint::choose_start(const LocalProblem& problem) {
  const int stride = problem.stride();
  double squared_force = 0.0;
  double squared_length = 0.0;
  double squared_free = 0.0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    if (contacts_[uz(i)].law == Law::none) continue;
    squared_force += f_.segment<3>(stride * i).squaredNorm();
    squared_length += delta_.segment<3>(stride * i).squaredNorm();
    squared_free += problem.delta_free().segment<3>(stride * i).squaredNorm();
  }
  const double free = std::sqrt(squared_free / pushing_);
  const double length = std::max(std::sqrt(squared_length / pushing_), least_length * free);
  const double force =
      squared_force > 0.0 ? std::sqrt(squared_force / pushing_) : free / problem.mean_compliance();

  // into the cones by what a contact has in the mean
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    auto f_i = f_.segment<3>(stride * i);
    const Vec3 delta_i = delta_.segment<3>(stride * i);
    if (contact.law == Law::friction) {
      const double mu = problem.mu(i);
      const double slip = std::hypot(delta_i[1], delta_i[2]);
      contact.x = Vec3(mu * (f_i[0] + force), f_i[1], f_i[2]);
      contact.y = Vec3(slip + (std::max(delta_i[0], 0.0) + length) / mu, delta_i[1], delta_i[2]);
      f_i[0] += force;
    } else if (contact.law == Law::frictionless) {
      f_i = Vec3(f_i[0] + force, 0.0, 0.0);
      contact.x = f_i;
      contact.y[0] = std::max(delta_i[0], 0.0) + length;
    } else {
      f_i.setZero();
    }
  }
}

void InteriorPoint::linearise(const LocalProblem& problem) {
  problem.refresh(f_, delta_);
  barrier_ = 0.0;
  double push = 0.0;
  for (const Contact& contact : contacts_) {
    barrier_ += contact.x.dot(contact.y);
    push += contact.x[0];
  }
  const double rounding = auto_policy.interior.rounding * barrier_ / push;
  barrier_ /= pushing_;
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    if (contact.law == Law::friction) {
      linearise_friction(problem, i, rounding);
    } else if (contact.law == Law::frictionless) {
      const double square = contact.y[0] / contact.x[0];
      const double size = square + problem.block(i).matrix()(0, 0);
      contact.y_of_delta[0] = delta_[problem.stride() * i];
      contact.left(0, 0) = 1.0 / std::sqrt(size);
      contact.right = contact.left;
      contact.equations = contact.left;
      contact.diagonal = Vec3(square / size, 1.0, 1.0);
    }
  }
}

void InteriorPoint::linearise_friction(const LocalProblem& problem, int i, double rounding) {
  Contact& contact = contacts_[uz(i)];
  const double mu = problem.mu(i);
  const Vec3 delta_i = delta_.segment<3>(problem.stride() * i);
  const double slip =
      std::sqrt(delta_i[1] * delta_i[1] + delta_i[2] * delta_i[2] + rounding * rounding);
  contact.y_of_delta = Vec3(delta_i[0] / mu + slip, delta_i[1], delta_i[2]);
  contact.turn_1 = holds_slip_ ? 0.0 : delta_i[1] / slip;
  contact.turn_2 = holds_slip_ ? 0.0 : delta_i[2] / slip;

  // T^2 dx + dy = ... along the axes of T^2, with a unit diagonal but for what turns
  contact.scaling = ConeScaling(contact.x, contact.y);
  const Vec3 squares = contact.scaling.squares();
  const Mat3 axes = contact.scaling.axes();
  Mat3 forces = axes;
  forces.row(0) /= mu;
  const Mat3 moved = problem.block(i).matrix() * forces;
  for (int k = 0; k < 3; ++k) {
    const double size = squares[k] + forces.col(k).dot(moved.col(k));
    const double scale = 1.0 / std::sqrt(size);
    contact.right.col(k) = scale * forces.col(k);
    contact.equations.row(k) = scale * axes.col(k).transpose();
    contact.diagonal[k] = squares[k] / size;
  }
  contact.left = contact.equations;
  contact.left.col(0) /= mu;
  contact.left.col(1) += contact.turn_1 * contact.equations.col(0);
  contact.left.col(2) += contact.turn_2 * contact.equations.col(0);
}

void InteriorPoint::fill_block(int i, int j, const double* W_ij, Eigen::Index next_column,
                               Mat3& block) const {
  Mat3 W;
  for (int c = 0; c < 3; ++c, W_ij += next_column) W.col(c) = Vec3(W_ij[0], W_ij[1], W_ij[2]);
  const Mat3 moved = W * contacts_[uz(j)].right;
  block.noalias() = contacts_[uz(i)].left * moved;
  if (i == j) block.diagonal() += contacts_[uz(i)].diagonal;
}

bool InteriorPoint::factorise(const LocalProblem& problem, Budget& budget, double reserve_us) {
  const auto is_used = [&](int i) { return contacts_[uz(i)].law != Law::none; };
  if (elimination_.sparse != nullptr) {
    return elimination_.sparse->factorise(
        problem, is_used,
        [&](int i, int j, const double* W_ij, Mat3& block) { fill_block(i, j, W_ij, 4, block); },
        budget, reserve_us);
  }
  Eigen::Map<MatX> A = elimination_.dense->matrix(unknowns_);
  if (!problem.is_dense()) A.setZero();
  problem.visit_blocks(is_used, [&](int i, int j, const double* W_ij, Eigen::Index next_column) {
    Mat3 block;
    fill_block(i, j, W_ij, next_column, block);
    const int rows = unknowns_of(contacts_[uz(i)].law);
    const int columns = unknowns_of(contacts_[uz(j)].law);
    for (int c = 0; c < columns; ++c) {
      for (int r = 0; r < rows; ++r) A(place(i) + r, place(j) + c) = block(r, c);
    }
  });
  return elimination_.dense->factorise(unknowns_, budget, reserve_us);
}

Vec3 InteriorPoint::right_side_of(const Contact& contact, double barrier, bool is_corrected) const {
  const Vec3& x = contact.x;
  if (contact.law == Law::frictionless) {
    const double curved = is_corrected ? contact.step_x[0] * contact.step_y[0] : 0.0;
    return {(barrier - curved) / x[0] - contact.y_of_delta[0], 0.0, 0.0};
  }
  Vec3 right_side = barrier / cone_determinant(x) * Vec3(x[0], -x[1], -x[2]) - contact.y_of_delta;
  if (is_corrected) {
    const ConeScaling& scaling = contact.scaling;
    const Vec3 curved =
        cone_product(scaling.apply(contact.step_x), scaling.apply_inverse(contact.step_y));
    right_side -= scaling.apply(cone_quotient(scaling.apply(x), curved));
  }
  return right_side;
}

bool InteriorPoint::find_step(const LocalProblem& problem, double barrier, bool is_corrected) {
  const int stride = problem.stride();
  const int m = problem.contact_count();
  const bool is_sparse = elimination_.sparse != nullptr;
  const int unknowns = is_sparse ? 3 * m : unknowns_;
  right_side_.head(unknowns).setZero();
  for (int i = 0; i < m; ++i) {
    const Contact& contact = contacts_[uz(i)];
    if (contact.law == Law::none) continue;
    const Vec3 rows = contact.equations * right_side_of(contact, barrier, is_corrected);
    for (int r = 0; r < unknowns_of(contact.law); ++r) right_side_[place(i) + r] = rows[r];
  }
  is_sparse ? elimination_.sparse->solve(right_side_) : elimination_.dense->solve(right_side_);
  if (!right_side_.head(unknowns).allFinite()) return false;

  step_.head(problem.size()).setZero();
  move_.head(problem.size()).setZero();
  for (int i = 0; i < m; ++i) {
    Contact& contact = contacts_[uz(i)];
    if (contact.law == Law::none) continue;
    Vec3 found = Vec3::Zero();
    for (int r = 0; r < unknowns_of(contact.law); ++r) found[r] = right_side_[place(i) + r];
    const Vec3 step_i = contact.right * found;
    const double mu = contact.law == Law::friction ? problem.mu(i) : 1.0;
    contact.step_x = Vec3(mu * step_i[0], step_i[1], step_i[2]);
    step_.segment<3>(stride * i) = step_i;
    problem.add_column(i, step_i, move_);
  }
  for (int i = 0; i < m; ++i) {
    Contact& contact = contacts_[uz(i)];
    const Vec3 move_i = move_.segment<3>(stride * i);
    const Vec3 missing = contact.y_of_delta - contact.y;
    if (contact.law == Law::friction) {
      const double slip = contact.turn_1 * move_i[1] + contact.turn_2 * move_i[2];
      contact.step_y = missing + Vec3(move_i[0] / problem.mu(i) + slip, move_i[1], move_i[2]);
    } else if (contact.law == Law::frictionless) {
      contact.step_y[0] = missing[0] + move_i[0];
    }
  }
  return true;
}

double InteriorPoint::reach(double most) const {
  for (const Contact& contact : contacts_) {
    if (contact.law == Law::none) continue;
    most = reach_in_cone(contact.x, contact.step_x, most);
    most = reach_in_cone(contact.y, contact.step_y, most);
  }
  return most;
}

InteriorPoint::Step InteriorPoint::step(const LocalProblem& problem, Budget& budget,
                                        double reserve_us) {
  if (!factorise(problem, budget, reserve_us)) {
    return budget.look(reserve_us) ? Step::none : Step::late;
  }

  // how far the step to no barrier at all leads tells which barrier to aim at
  if (!find_step(problem, 0.0, false)) return Step::none;
  const double first_share = reach(1.0);
  double left = 0.0;
  for (const Contact& contact : contacts_) {
    left +=
        (contact.x + first_share * contact.step_x).dot(contact.y + first_share * contact.step_y);
  }
  const double left_share = std::max(left, 0.0) / (pushing_ * barrier_);
  const double aim =
      std::clamp(left_share * left_share * left_share, auto_policy.interior.least_aim, 1.0);
  if (!find_step(problem, aim * barrier_, true)) return Step::none;

  const double inside = auto_policy.interior.inside;
  const double share = std::min(1.0, inside * reach(1.0 / inside));
  if (!(share > least_share)) return Step::none;
  f_.head(problem.size()) += share * step_.head(problem.size());
  for (Contact& contact : contacts_) {
    contact.x += share * contact.step_x;
    contact.y += share * contact.step_y;
  }
  holds_slip_ = share < auto_policy.interior.short_share;
  linearise(problem);
  return std::isfinite(barrier_) && barrier_ > 0.0 ? Step::taken : Step::none;
}

void InteriorPoint::force(const LocalProblem& problem, VecX& f) const {
  f.head(problem.size()) = f_.head(problem.size());
  for (int i = 0; i < problem.contact_count(); ++i) {
    auto f_i = f.segment<3>(problem.stride() * i);
    f_i = FrictionCone{problem.mu(i)}.limit_friction(Vec3(std::max(f_i[0], 0.0), f_i[1], f_i[2]));
  }
}

}  // namespace stickslip
