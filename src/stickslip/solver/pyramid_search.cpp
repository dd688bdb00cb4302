#include "stickslip/solver/pyramid_search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stickslip/problem/friction_cone.hpp"
#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

// of the size of all forces or displacements: less is none
constexpr double pivot_rounding = 1e-12;

}  // namespace

void PyramidSearch::reserve(int contact_count) {
  const int contacts = std::min(contact_count, auto_policy.search.most_contacts);
  const Eigen::Index n = contacts * unknowns;
  if (n <= q_.size()) return;
  angles_.resize(uz(contacts * sides));
  directions_.resize(uz(contacts), Directions::Zero());
  lemke_.reserve(static_cast<int>(n));
  M_.resize(n * n);
  for (VecX* vector : {&q_, &covering_, &z_}) vector->resize(n);
  moved_.setZero(4 * contacts);
}

bool PyramidSearch::takes(const LocalProblem& problem) {
  return problem.contact_count() <= auto_policy.search.most_contacts;
}

double PyramidSearch::cost_ns(const LocalProblem& problem) {
  // about as many pivots as unknowns
  const double n = unknowns * problem.contact_count();
  return auto_policy.cost.flop_ns *
         (2.0 * n * n * n +
          auto_policy.search.newton_steps * ActiveNewton::flops(3 * problem.contact_count()));
}

bool PyramidSearch::search(LocalTask& task, ActiveNewton& newton, int attempt, LocalForce& trial,
                           int& iterations) {
  const LocalProblem& problem = task.problem();
  const int n = unknowns * problem.contact_count();
  const double regularisation =
      auto_policy.search.regularisations[uz(attempt) % auto_policy.search.regularisations.size()];
  spread_sides(problem, attempt);
  double width = 2.0 * std::numbers::pi / sides;
  for (int level = 0; level < auto_policy.search.levels; ++level) {
    if (!task.has_time(cost_ns(problem))) return true;
    build(problem);
    const Lemke::Outcome outcome = lemke_.solve(Eigen::Map<const MatX>(M_.data(), n, n), q_.head(n),
                                                auto_policy.search.pivot_share * n, task.budget(),
                                                z_.head(n), task.goal().reserve_us);
    ++iterations;
    if (outcome == Lemke::Outcome::deadline) return false;
    if (outcome != Lemke::Outcome::solved) return true;

    // the force of the pyramids, then Newton's method from there
    read_force(problem, moved_);
    trial.f.head(problem.size()) = moved_.head(problem.size());
    task.refresh(trial);
    task.keep_in_cones(trial);
    task.judge(trial);
    task.note_best(trial);
    if (task.is_reached(trial)) return true;
    put_in_states(problem, moved_);
    trial.f.head(problem.size()) = moved_.head(problem.size());
    if (!polish(task, newton, regularisation, trial, iterations)) return false;
    if (task.is_reached(task.best())) return true;
    width *= auto_policy.search.shrink;
    crowd_sides(problem, moved_, width);
  }
  return true;
}

void PyramidSearch::spread_sides(const LocalProblem& problem, int attempt) {
  // evenly; the first choice is the plain one, the others are turned and lead elsewhere
  random_.seed(static_cast<unsigned>(attempt) + 1U);
  std::uniform_real_distribution<double> share(0.0, 1.0);
  for (int i = 0; i < problem.contact_count(); ++i) {
    const double turn = attempt == 0 ? 0.0 : share(random_);
    for (int r = 0; r < sides; ++r) angle(i, r) = 2.0 * std::numbers::pi * (r + turn) / sides;
  }
  for (Eigen::Index row = 0; row < unknowns * problem.contact_count(); ++row) {
    covering_[row] = attempt == 0
                         ? 1.0
                         : std::pow(10.0, auto_policy.search.spread * (2.0 * share(random_) - 1.0));
  }
}

void PyramidSearch::crowd_sides(const LocalProblem& problem, const VecX& f, double width) {
  for (int i = 0; i < problem.contact_count(); ++i) {
    const Vec3 f_i = f.segment<3>(problem.stride() * i);
    const double along =
        f_i.tail<2>() == Eigen::Vector2d::Zero() ? 0.0 : std::atan2(f_i[2], f_i[1]);
    for (int r = 0; r < ring; ++r) {
      angle(i, r) = along + 2.0 * std::numbers::pi * (r + 0.5) / ring;
    }
    for (int r = 0; r < crowd; ++r) {
      angle(i, ring + r) = along + width * (2.0 * r / (crowd - 1) - 1.0);
    }
  }
}

void PyramidSearch::build(const LocalProblem& problem) {
  // (Eqs. 23, 24) for each contact f_n, f_t1 .. f_tk and lambda, in lengths; each row over its part
  // of the covering vector, which makes that one of ones
  const int n = unknowns * problem.contact_count();
  Eigen::Map<MatX> M(M_.data(), n, n);
  M.setZero();
  for (int i = 0; i < problem.contact_count(); ++i) {
    Directions& D = directions_[uz(i)];
    D(0, 0) = 1.0;
    for (int r = 0; r < sides; ++r) {
      D(1, r + 1) = std::cos(angle(i, r));
      D(2, r + 1) = std::sin(angle(i, r));
    }
    const int first = unknowns * i;
    const int lambda = first + sides + 1;
    q_.segment<sides + 1>(first).noalias() =
        D.transpose() * problem.delta_free().segment<3>(problem.stride() * i);
    q_[lambda] = 0.0;
    M(lambda, first) = problem.mu(i);
    M.row(lambda).segment<sides>(first + 1).setConstant(-1.0);
    M.col(lambda).segment<sides>(first + 1).setOnes();
  }
  problem.visit_blocks([](int) { return true; },
                       [&](int i, int j, const double* W_ij, Eigen::Index next_column) {
                         Mat3 block;
                         for (int c = 0; c < 3; ++c, W_ij += next_column) {
                           block.col(c) = Vec3(W_ij[0], W_ij[1], W_ij[2]);
                         }
                         block /= problem.mean_compliance();
                         M.block<sides + 1, sides + 1>(unknowns * i, unknowns * j).noalias() =
                             directions_[uz(i)].transpose() * (block * directions_[uz(j)]).eval();
                       });
  M.array().colwise() /= covering_.head(n).array();
  q_.head(n).array() /= covering_.head(n).array();
}

void PyramidSearch::read_force(const LocalProblem& problem, VecX& f) const {
  f.setZero();
  for (int i = 0; i < problem.contact_count(); ++i) {
    f.segment<3>(problem.stride() * i) =
        directions_[uz(i)] * z_.segment<sides + 1>(unknowns * i) / problem.mean_compliance();
  }
}

void PyramidSearch::put_in_states(const LocalProblem& problem, VecX& f) const {
  // what slides lies on its cone and not on the side of a pyramid
  const double none = pivot_rounding * f.norm();
  const double no_slip = pivot_rounding * problem.delta_free().head(problem.size()).norm();
  for (int i = 0; i < problem.contact_count(); ++i) {
    auto f_i = f.segment<3>(problem.stride() * i);
    const double friction = f_i.tail<2>().norm();
    if (!(f_i[0] > none)) {
      f_i.setZero();
    } else if (z_[unknowns * i + sides + 1] > no_slip && friction > 0.0) {
      f_i.tail<2>() *= problem.mu(i) * f_i[0] / friction;
    }
  }
}

bool PyramidSearch::polish(LocalTask& task, ActiveNewton& newton, double regularisation,
                           LocalForce& trial, int& iterations) {
  const LocalProblem& problem = task.problem();
  const double reserve_us = task.goal().reserve_us;
  for (int k = 0; k < auto_policy.search.newton_steps; ++k) {
    task.refresh(trial);
    if (newton.classify(problem, trial.f) == 0) return true;
    const ActiveNewton::Way way{.regularisation = regularisation * problem.mean_compliance()};
    if (!newton.compute_step(problem, way, trial.f, trial.delta, task.budget(), reserve_us)) {
      return task.budget().look(reserve_us);
    }
    ++iterations;
    newton.move(problem, trial.f, 1.0, trial.f);
    task.refresh(trial);
    task.judge(trial);
    task.note_best(trial);
    if (task.is_reached(trial)) return true;
  }
  return true;
}

}  // namespace stickslip
