#include "stickslip/contact/unbuilt_gauss_seidel.hpp"

#include <numeric>

#include "stickslip/contact/body_groups.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/solver/sweep.hpp"

namespace stickslip {

namespace {

// numbers a visit of a contact costs, whatever the others do
constexpr double visit_cost = 100.0;

using LocalMatrix = Eigen::Map<MatX>;

}  // namespace

UnbuiltGaussSeidel::UnbuiltGaussSeidel(int body_count) : moved_(uz(body_count)) {}

void UnbuiltGaussSeidel::list_ends(std::span<const Contact> contacts, std::span<const int> group,
                                   std::span<const MovingBody> bodies) {
  for (const int body : touched_) moved_[uz(body)].points.clear();
  touched_.clear();
  ends_.assign(group.size(), {});
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Contact& contact = contacts[uz(group[k])];
    const auto add_end = [&](std::size_t side, int body, const SurfacePoint& point, double sign) {
      const MovingBody& moving = bodies[uz(body)];
      if (!yields(*moving.body)) return;
      auto& points = moved_[uz(body)].points;
      if (points.empty()) touched_.push_back(body);
      ends_[k][side] = {body, static_cast<int>(points.size()),
                        moving.body->position(*moving.state, point) - moving.state->frame.position,
                        sign};
      points.push_back(point);
    };
    add_end(0, contact.where.body_1, contact.where.P, 1.0);
    add_end(1, contact.where.body_2, contact.where.Q, -1.0);
  }
}

bool UnbuiltGaussSeidel::is_cheaper(std::span<const Contact> contacts, std::span<const int> group,
                                    std::span<const MovingBody> bodies) {
  // built: nine products for each two contacts of one body; unbuilt: the same where it deforms
  list_ends(contacts, group, bodies);
  double built = 0.0;
  double unbuilt = 0.0;
  for (const int body : touched_) {
    const auto count = static_cast<double>(moved_[uz(body)].points.size());
    built += 9.0 * count * count;
    unbuilt += visit_cost * count;
    if (bodies[uz(body)].body->deformation()) unbuilt += 9.0 * count * count;
  }
  return unbuilt < built;
}

void UnbuiltGaussSeidel::prepare(std::span<const Contact> contacts, std::span<const int> group,
                                 std::span<const MovingBody> bodies, ContactProblem& problem) {
  list_ends(contacts, group, bodies);

  // compliance of the deformations, each in its own frame
  std::size_t size = 0;
  for (const int body : touched_) {
    Moved& moved = moved_[uz(body)];
    moved.frame.setZero();
    moved.count = static_cast<int>(moved.points.size());
    moved.deformed.assign(3 * moved.points.size(), 0.0);
    moved.compliance = size;
    if (bodies[uz(body)].body->deformation()) size += 9 * moved.points.size() * moved.points.size();
  }
  elastic_.assign(size, 0.0);
  for (const int body : touched_) {
    const Moved& moved = moved_[uz(body)];
    const MovingBody& moving = bodies[uz(body)];
    if (!moving.body->deformation()) continue;
    LocalMatrix C(elastic_.data() + moved.compliance, 3 * moved.count, 3 * moved.count);
    shares_.clear();
    for (const SurfacePoint& point : moved.points) moving.body->share(point, shares_);
    moving.body->deformation()->compute_compliance(shares_, *moving.step->deformation, C);
    for (int j = 0; j < moved.count; ++j) {
      const Mat3 diagonal = C.block<3, 3>(3 * j, 3 * j);
      C.block<3, 3>(3 * j, 3 * j) = 0.5 * (diagonal + diagonal.transpose());
      for (int i = 0; i < j; ++i) {
        C.block<3, 3>(3 * i, 3 * j) = C.block<3, 3>(3 * j, 3 * i).transpose();
      }
    }
  }

  // diagonal blocks of W
  diagonal_.resize(group.size() + 1);
  std::iota(diagonal_.begin(), diagonal_.end(), 0);
  problem.W.resize_sparse(diagonal_, std::span(diagonal_).first(group.size()));
  blocks_.resize(group.size());
  for (std::size_t k = 0; k < group.size(); ++k) {
    const Contact& contact = contacts[uz(group[k])];
    Mat3 world = Mat3::Zero();
    for (const End& end : ends_[k]) {
      if (end.body < 0) continue;
      const MovingBody& moving = bodies[uz(end.body)];
      if (!moving.body->frame().is_held()) {
        Eigen::Matrix<double, 3, 6> J;
        J << Mat3::Identity(), skew(end.arm).transpose();
        world += J * moving.step->frame.compliance * J.transpose();
      }
      if (moving.body->deformation()) {
        const Moved& moved = moved_[uz(end.body)];
        const LocalMatrix C(elastic_.data() + moved.compliance, 3 * moved.count, 3 * moved.count);
        const Mat3& R = moving.step->R;
        world += R * C.block<3, 3>(3 * end.point, 3 * end.point) * R.transpose();
      }
    }
    Mat3 W_ii = contact.axes * world * contact.axes.transpose();
    W_ii = 0.5 * (W_ii + W_ii.transpose()).eval();
    const auto i = static_cast<int>(k);
    problem.W.add_block(i, i, W_ii);
    blocks_[k] = ContactBlock(W_ii, problem.mu[i]);
  }
}

void UnbuiltGaussSeidel::add_force(const Contact& contact, std::span<const End, 2> ends,
                                   std::span<const MovingBody> bodies, const Vec3& f) {
  for (const End& end : ends) {
    if (end.body < 0) continue;
    const MovingBody& moving = bodies[uz(end.body)];
    Moved& moved = moved_[uz(end.body)];
    const Vec3 force = end.sign * (contact.axes.transpose() * f);
    if (!moving.body->frame().is_held()) {
      Vec6 wrench;
      wrench.head<3>() = force;
      wrench.tail<3>() = end.arm.cross(force);
      moved.frame += moving.step->frame.compliance * wrench;
    }
    if (moving.body->deformation()) {
      const LocalMatrix C(elastic_.data() + moved.compliance, 3 * moved.count, 3 * moved.count);
      const Vec3 local = moving.step->R.transpose() * force;
      Eigen::Map<VecX> deformed(moved.deformed.data(), 3 * moved.count);
      for (int d = 0; d < 3; ++d) deformed += local[d] * C.col(3 * end.point + d);
    }
  }
}

Vec3 UnbuiltGaussSeidel::displacement(const Contact& contact, std::span<const End, 2> ends,
                                      std::span<const MovingBody> bodies) const {
  Vec3 apart = Vec3::Zero();
  for (const End& end : ends) {
    if (end.body < 0) continue;
    const Moved& moved = moved_[uz(end.body)];
    Vec3 of_point = moved.frame.head<3>() + moved.frame.tail<3>().cross(end.arm);
    if (bodies[uz(end.body)].body->deformation()) {
      const Eigen::Map<const Vec3> deformed(moved.deformed.data() + 3 * end.point);
      of_point += bodies[uz(end.body)].step->R * deformed;
    }
    apart += end.sign * of_point;
  }
  return contact.axes * apart;
}

SolveResult UnbuiltGaussSeidel::solve(std::span<const Contact> contacts, std::span<const int> group,
                                      std::span<const MovingBody> bodies,
                                      const SolverOptions& options, ContactProblem& problem,
                                      VecView f) {
  Budget budget(options);
  const auto m = static_cast<int>(group.size());
  const double tolerance = options.tolerance.value_or(default_tolerance);
  prepare(contacts, group, bodies, problem);
  fill_order(options, m, order_);
  slip_.assign(group.size(), 0.0);
  const double scale = force_scale(problem, options.criterion);
  start_force(problem, options, f);
  for (int i = 0; i < m; ++i) {
    add_force(contacts[uz(group[uz(i)])], ends_[uz(i)], bodies, f.segment<3>(3 * i));
  }
  const auto delta_of = [&](int i) -> Vec3 {
    return problem.delta_free.segment<3>(3 * i) +
           displacement(contacts[uz(group[uz(i)])], ends_[uz(i)], bodies);
  };
  delta_.resize(3 * m);
  const auto current_error = [&] {
    for (int i = 0; i < m; ++i) delta_.segment<3>(3 * i) = delta_of(i);
    return natural_map_of(problem, f, delta_, scale);
  };

  double error = current_error();
  int sweeps = 0;
  const auto finish = [&](SolveStatus status, std::string_view message = {}) {
    return SolveResult{status, error, sweeps, budget.elapsed_us() * 1e-6, message};
  };
  while (error > tolerance) {
    if (sweeps == options.max_iterations) return finish(SolveStatus::max_iterations);
    for (int visit = 0; visit < m; ++visit) {
      if (visit % contacts_per_look == 0 && !budget.look(0.0)) {
        error = current_error();
        return finish(SolveStatus::deadline);
      }
      // (Eq. 25) the frozen contribution is where the bodies have gone without this contact
      const int i = order_[uz(visit)];
      const Vec3 f_before = f.segment<3>(3 * i);
      const Vec3 delta = delta_of(i);
      if (delta[0] >= 0.0 && f_before == Vec3::Zero()) continue;
      const ContactBlock& block = blocks_[uz(i)];
      const Vec3 f_i = block.solve(delta - block.matrix() * f_before, slip_[uz(i)]);
      const Vec3 change = f_i - f_before;
      if (change == Vec3::Zero()) continue;
      f.segment<3>(3 * i) = f_i;
      add_force(contacts[uz(group[uz(i)])], ends_[uz(i)], bodies, change);
    }
    ++sweeps;
    error = current_error();
    if (!(f.lpNorm<Eigen::Infinity>() < runaway_force)) {
      f.setZero();
      return finish(SolveStatus::failed, runaway_message);
    }
  }
  return finish(SolveStatus::converged);
}

}  // namespace stickslip
