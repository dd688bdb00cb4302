#include "stickslip/solver/jam_search.hpp"

#include <cmath>
#include <numbers>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

namespace {

using State = ContactCase::State;

// of columns of length one: what is less is rounding
constexpr double flat = 1e-13;
constexpr double dependent = 1e-10;
// of delta_free: what is less is nothing left
constexpr double nothing = 1e-8;

Vec3 direction(double angle) {
  return {0.0, std::cos(angle), std::sin(angle)};
}

}  // namespace

void JamSearch::reserve(int contact_count) {
  const int m = std::min(contact_count, most_contacts);
  proof_.reserve(m);
  const auto rays = uz(m * (cone_sides + 1));
  if (rays <= rays_.capacity()) return;
  rays_.reserve(rays);
  is_barred_.reserve(rays);
  lengths_.resize(static_cast<Eigen::Index>(rays));
  columns_.resize(most_rows, static_cast<Eigen::Index>(rays));
  support_.reserve(most_rows);
}

bool JamSearch::proves_no_solution_of(const ContactProblem& problem, int most_cases, Budget& budget,
                                      double reserve_us) {
  most_cases = std::min(most_cases, auto_policy.search.most_cases);
  if (problem.contact_count() > most_contacts || problem.delta_free.isZero(0.0)) return false;
  proof_.start(problem);
  for (int cases = 0; cases < most_cases; ++cases) {
    if (!budget.look(reserve_us)) return false;
    take_case(problem, proof_.supposed());
    const bool is_least = find_least();
    if (is_least && proof_.refute(refutation())) {
      if (proof_.is_complete()) return true;
      continue;
    }
    const int contact = worst_contact(problem);
    if (contact < 0) return false;
    proof_.cut(contact);
  }
  return false;
}

void JamSearch::take_case(const ContactProblem& problem, std::span<const ContactCase> supposed) {
  const int m = problem.contact_count();
  rays_.clear();
  is_barred_.clear();
  support_.clear();
  wish_ = problem.delta_free;
  is_free_.setConstant(3 * m, false);
  for (int i = 0; i < m; ++i) {
    // slips of any direction
    const State state = supposed[uz(i)].state;
    if (state == State::sticks || state == State::slips) continue;
    is_free_.segment<2>(3 * i + 1).setConstant(true);
    wish_.segment<2>(3 * i + 1).setZero();
  }
  wish_.normalize();

  for (int i = 0; i < m; ++i) {
    const auto& [state, from, to] = supposed[uz(i)];
    if (state == State::any || state == State::open) add_ray(problem, {i, false, Vec3::UnitX()});
    if (state == State::open) continue;
    if (state == State::slips) {
      const double half = 0.5 * (to - from);
      const Vec3 corner = direction(from + half) / std::cos(half);
      for (const double end : {from, to}) add_ray(problem, {i, false, direction(end)});
      for (const Vec3& against : {direction(from), corner, direction(to)}) {
        add_ray(problem, {i, true, Vec3::UnitX() - problem.mu[i] * against});
      }
      continue;
    }
    // around the cone
    constexpr double half = std::numbers::pi / cone_sides;
    const double size = problem.mu[i] / std::cos(half);
    for (int k = 0; k < (size > 0.0 ? cone_sides : 1); ++k) {
      add_ray(problem, {i, true, Vec3::UnitX() + size * direction(2.0 * half * k)});
    }
  }
}

void JamSearch::add_ray(const ContactProblem& problem, const Ray& ray) {
  const auto k = static_cast<Eigen::Index>(rays_.size());
  auto column = columns_.col(k).head(wish_.size());
  column.setZero();
  if (ray.is_force) {
    for (int i = 0; i < problem.contact_count(); ++i) {
      column.segment<3>(3 * i) = -(problem.W.block(i, ray.contact) * ray.along);
    }
  } else {
    column.segment<3>(3 * ray.contact) = ray.along;
  }
  for (Eigen::Index r = 0; r < column.size(); ++r) {
    if (is_free_[r]) column[r] = 0.0;
  }
  const double length = column.norm();
  if (!(length > 0.0)) return;
  column /= length;
  lengths_[k] = length;
  rays_.push_back(ray);
  is_barred_.push_back(0);
}

bool JamSearch::find_least() {
  left_ = wish_;
  // each round takes in one ray; some leave again
  for (std::size_t round = 0; round < 4 * rays_.size(); ++round) {
    const double before = left_.norm();
    if (!(before > nothing)) return true;
    const int ray = steepest();
    if (ray < 0) return true;
    if (static_cast<Eigen::Index>(support_.size()) < wish_.size() && join(ray)) {
      settle();
      if (left_.norm() < before) {
        std::ranges::fill(is_barred_, 0);
        continue;
      }
    }
    // its slope was rounding
    is_barred_[uz(ray)] = 1;
  }
  return false;
}

int JamSearch::steepest() const {
  int best = -1;
  double steep = flat * left_.norm();
  for (std::size_t k = 0; k < rays_.size(); ++k) {
    if (is_barred_[k] != 0) continue;
    const double slope = columns_.col(static_cast<Eigen::Index>(k)).head(left_.size()).dot(left_);
    if (slope <= steep) continue;
    steep = slope;
    best = static_cast<int>(k);
  }
  return best;
}

bool JamSearch::join(int ray) {
  const auto n = static_cast<Eigen::Index>(support_.size());
  support_.push_back(ray);
  shares_[n] = 0.0;
  if (factorise_from(n)) return true;
  support_.pop_back();
  return false;
}

bool JamSearch::factorise_from(Eigen::Index place) {
  // Gram and Schmidt, twice
  const Eigen::Index rows = wish_.size();
  for (auto k = place; k < static_cast<Eigen::Index>(support_.size()); ++k) {
    auto own = basis_.col(k).head(rows);
    own = columns_.col(support_[uz(k)]).head(rows);
    upper_.col(k).head(k).setZero();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index r = 0; r < k; ++r) {
        const double part = basis_.col(r).head(rows).dot(own);
        own -= part * basis_.col(r).head(rows);
        upper_(r, k) += part;
      }
    }
    const double rest = own.norm();
    if (!(rest > dependent)) return false;
    own /= rest;
    upper_(k, k) = rest;
  }
  return true;
}

void JamSearch::settle() {
  const Eigen::Index rows = wish_.size();
  while (!support_.empty()) {
    // the least squares of the support, whatever the signs
    const auto n = static_cast<Eigen::Index>(support_.size());
    auto next = next_.head(n);
    next.noalias() = basis_.topLeftCorner(rows, n).transpose() * wish_;
    upper_.topLeftCorner(n, n).triangularView<Eigen::Upper>().solveInPlace(next);
    if (next.minCoeff() > 0.0) {
      shares_.head(n) = next;
      break;
    }
    // as far towards it as no share is negative; whose would be first leaves
    double part = 1.0;
    Eigen::Index first = n - 1;
    for (Eigen::Index k = 0; k < n; ++k) {
      if (next[k] > 0.0) continue;
      const double reach = shares_[k] > 0.0 ? shares_[k] / (shares_[k] - next[k]) : 0.0;
      if (reach >= part) continue;
      part = reach;
      first = k;
    }
    shares_.head(n) += part * (next - shares_.head(n));
    for (Eigen::Index k = first; k + 1 < n; ++k) shares_[k] = shares_[k + 1];
    support_.erase(support_.begin() + first);
    factorise_from(first);
  }
  left_ = wish_;
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t k = 0; k < support_.size(); ++k) {
      const auto own = basis_.col(static_cast<Eigen::Index>(k)).head(rows);
      left_ -= own.dot(left_) * own;
    }
  }
}

JamSearch::Rows JamSearch::refutation() const {
  // what is left, the other way round; rounding must not turn a sign
  Rows y = -left_;
  for (std::size_t i = 0; i < proof_.supposed().size(); ++i) {
    const State state = proof_.supposed()[i].state;
    double& normal = y[3 * static_cast<Eigen::Index>(i)];
    if (state == State::any || state == State::open) normal = std::max(normal, 0.0);
  }
  return y;
}

int JamSearch::worst_contact(const ContactProblem& problem) const {
  // the forces found, and where they lead
  const Eigen::Index rows = wish_.size();
  double squared = 0.0;
  for (Eigen::Index r = 0; r < rows; ++r) {
    if (!is_free_[r]) squared += problem.delta_free[r] * problem.delta_free[r];
  }
  const double size = std::sqrt(squared);
  Rows f = Rows::Zero(rows);
  for (std::size_t k = 0; k < support_.size(); ++k) {
    const Ray& ray = rays_[uz(support_[k])];
    if (!ray.is_force) continue;
    const double share = size * shares_[static_cast<Eigen::Index>(k)] / lengths_[support_[k]];
    f.segment<3>(3 * ray.contact) += share * ray.along;
  }
  Rows delta = problem.delta_free;
  for (int j = 0; j < problem.contact_count(); ++j) {
    for (int i = 0; i < problem.contact_count(); ++i) {
      delta.segment<3>(3 * i) += problem.W.block(i, j) * f.segment<3>(3 * j);
    }
  }
  // none where the laws are met
  int worst = -1;
  double most = nothing * nothing * problem.delta_free.squaredNorm();
  const double w = problem.W.mean_diagonal();
  for (int i = 0; i < problem.contact_count(); ++i) {
    if (!proof_.can_cut(i)) continue;
    const double error =
        squared_natural_map(w * f.segment<3>(3 * i), delta.segment<3>(3 * i), problem.mu[i]);
    if (error <= most) continue;
    most = error;
    worst = i;
  }
  return worst;
}

}  // namespace stickslip
