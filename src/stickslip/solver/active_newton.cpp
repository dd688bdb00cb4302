#include "stickslip/solver/active_newton.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/problem/friction_cone.hpp"

namespace stickslip {

namespace {

// a friction nearer to its limit than this slides
constexpr double on_the_cone = 1.0 - 1e-10;

}  // namespace

void ActiveNewton::reserve(int contacts, int unknowns) {
  contacts_.reserve(uz(contacts));
  lu_.reserve(unknowns);
  if (step_.size() < 3 * contacts) step_.resize(3 * contacts);
}

int ActiveNewton::classify(const LocalProblem& problem, const VecX& f) {
  contacts_.resize(uz(problem.contact_count()));
  unknowns_ = 0;
  for (int i = 0; i < problem.contact_count(); ++i) {
    Contact& contact = contacts_[uz(i)];
    const Vec3 f_i = f.segment<3>(problem.stride() * i);
    const double limit = problem.mu(i) * f_i[0];
    const double friction = std::hypot(f_i[1], f_i[2]);
    contact.first = unknowns_;
    if (!(f_i[0] > 0.0)) {
      contact.state = State::open;
    } else if (!(limit > 0.0)) {
      contact.state = State::frictionless;
      unknowns_ += 1;
    } else if (friction < on_the_cone * limit) {
      contact.state = State::stuck;
      unknowns_ += 3;
    } else {
      contact.state = State::sliding;
      contact.e_1 = f_i[1] / friction;
      contact.e_2 = f_i[2] / friction;
      unknowns_ += 2;
    }
  }
  return unknowns_;
}

bool ActiveNewton::compute_step(const LocalProblem& problem, const VecX& f, const VecX& delta,
                                double regularisation, Budget& budget, double reserve_us) {
  const int n = unknowns_;
  const int stride = problem.stride();
  Eigen::Map<MatX> A = lu_.matrix(n);
  if (!problem.is_dense()) A.setZero();
  for (int j = 0; j < problem.contact_count(); ++j) {
    const Contact& from = contacts_[uz(j)];
    if (from.state == State::open) continue;
    const double mu = problem.mu(j);
    const LocalProblem::Column column = problem.column(j);
    const int blocks =
        problem.is_dense() ? problem.contact_count() : static_cast<int>(column.rows.size());
    double* to = A.data() + Eigen::Index{from.first} * n;
    for (int b = 0; b < blocks; ++b) {
      const int i = problem.is_dense() ? b : column.rows[uz(b)];
      const Contact& at = contacts_[uz(i)];
      if (at.state == State::open) continue;
      const double* first = column.values + b * column.next_block;
      const double* second = first + column.next_column;
      const double* third = second + column.next_column;
      // what one column of unknowns does, in the equations of contact i
      const auto put = [&](int c, double normal, double tangent_1, double tangent_2) {
        double* entry = to + Eigen::Index{c} * n + at.first;
        entry[0] = normal;
        if (at.state == State::stuck) {
          entry[1] = tangent_1;
          entry[2] = tangent_2;
        } else if (at.state == State::sliding) {
          entry[1] = at.e_1 * tangent_2 - at.e_2 * tangent_1;
        }
      };
      if (from.state == State::sliding) {
        const double p_1 = mu * from.e_1;
        const double p_2 = mu * from.e_2;
        put(0, first[0] + p_1 * second[0] + p_2 * third[0],
            first[1] + p_1 * second[1] + p_2 * third[1],
            first[2] + p_1 * second[2] + p_2 * third[2]);
        put(1, from.e_1 * third[0] - from.e_2 * second[0],
            from.e_1 * third[1] - from.e_2 * second[1], from.e_1 * third[2] - from.e_2 * second[2]);
        continue;
      }
      put(0, first[0], first[1], first[2]);
      if (from.state == State::stuck) {
        put(1, second[0], second[1], second[2]);
        put(2, third[0], third[1], third[2]);
      }
    }
  }
  A.diagonal().array() += regularisation;

  for (int i = 0; i < problem.contact_count(); ++i) {
    const Contact& contact = contacts_[uz(i)];
    if (contact.state == State::open) continue;
    const Vec3 delta_i = delta.segment<3>(stride * i);
    step_[contact.first] = -delta_i[0];
    if (contact.state == State::stuck) {
      step_[contact.first + 1] = -delta_i[1];
      step_[contact.first + 2] = -delta_i[2];
    } else if (contact.state == State::sliding) {
      step_[contact.first + 1] = contact.e_2 * delta_i[1] - contact.e_1 * delta_i[2];
      // the slip turns with the friction
      const double along = contact.e_1 * delta_i[1] + contact.e_2 * delta_i[2];
      const double turn = -along / (problem.mu(i) * f[stride * i]);
      A(contact.first + 1, contact.first + 1) += std::max(turn, 0.0);
    }
  }
  if (!lu_.factorise(n, budget, reserve_us)) return false;
  lu_.solve(step_);
  return step_.head(n).allFinite();
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
