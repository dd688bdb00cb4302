#include "stickslip/body/point_compliance.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

// columns of the left factor
constexpr int of_deformation = 3;
constexpr int of_frame = 6;

/// column = left(:, first ..) times weights, or added. Plain loops: the columns are short, and
/// nowhere aligned.
template <bool adds, int first, int... k, class Left>
void multiply(const Left& left, int begin, const double* weights, Eigen::Index rows,
              double* __restrict column, std::integer_sequence<int, k...> /*terms*/) {
  const double* factor = left.data() + first * left.rows() + begin;
  const Eigen::Index next = left.rows();
  for (Eigen::Index r = 0; r < rows; ++r) {
    const double sum = (... + (factor[k * next + r] * weights[first + k]));
    column[r] = adds ? column[r] + sum : sum;
  }
}

}  // namespace

PointCompliance::PointCompliance(int max_points, int nodes_a_point)
    : shares_(max_points, nodes_a_point),
      C_(3 * max_points, 3 * max_points),
      // one row more, so that three rows can be written as four
      left_(3 * max_points + 1, of_deformation + of_frame),
      answers_(6, 3 * max_points) {
  axes_.reserve(uz(max_points));
}

void PointCompliance::take(const Body& body, const BodyState& state,
                           std::span<const SurfacePoint> points, std::span<const Mat3> axes,
                           Motion motion, BodyStep& step) {
  assert(points.size() == axes.size());
  count_ = static_cast<int>(points.size());
  deforms_ = motion == Motion::whole && body.deformation() != nullptr;
  has_frame_ = !body.frame().is_held();
  trace_ = 0.0;
  if (deforms_) {
    shares_.clear();
    axes_.clear();
    for (std::size_t i = 0; i < points.size(); ++i) {
      assert(body.may_touch(points[i].corner));
      body.share(points[i], shares_);
      axes_.emplace_back(Axes::Zero()).topRows<3>().noalias() = axes[i].lazyProduct(step.R);
    }
    body.deformation()->compute_compliance(shares_, *step.deformation,
                                           C_.topLeftCorner(3 * count_, 3 * count_));
    trace_ += C_.diagonal().head(3 * count_).sum();
  }
  if (!has_frame_) return;

  // J = [1, -skew(arm)] for each point
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = static_cast<int>(3 * i);
    const Vec3 arm = body.position(state, points[i]) - state.frame.position;
    Eigen::Matrix<double, 3, 6> J;
    J << axes[i], axes[i].lazyProduct(skew(arm).transpose());
    const Eigen::Matrix<double, 6, 3> answer = step.frame.compliance.lazyProduct(J.transpose());
    left_.block<3, 6>(row, of_deformation) = J;
    answers_.middleCols<3>(row) = answer;
    trace_ += J.transpose().cwiseProduct(answer).sum();
  }
}

template <bool adds>
void PointCompliance::compute_columns(int j, Columns columns) {
  const int begin = 3 * j;
  const int rows = 3 * (count_ - j);
  assert(columns.rows() == rows);
  for (int i = j; deforms_ && i < count_; ++i) {
    const Axes& A = axes_[uz(i)];
    for (int d = 0; d < of_deformation; ++d) {
      const double* C = &C_(3 * i, begin + d);
      left_.block<4, 1>(3 * i, d) = A.col(0) * C[0] + A.col(1) * C[1] + A.col(2) * C[2];
    }
  }
  using Nine = std::make_integer_sequence<int, of_deformation + of_frame>;
  using Three = std::make_integer_sequence<int, of_deformation>;
  using Six = std::make_integer_sequence<int, of_frame>;
  for (int d = 0; d < 3; ++d) {
    std::array<double, of_deformation + of_frame> weights = {};
    for (int k = 0; deforms_ && k < of_deformation; ++k) weights[uz(k)] = axes_[uz(j)](d, k);
    const double* answer = &answers_(0, begin + d);
    if (has_frame_) std::copy_n(answer, of_frame, weights.begin() + of_deformation);
    double* column = columns.col(d).data();
    if (deforms_ && has_frame_) {
      multiply<adds, 0>(left_, begin, weights.data(), rows, column, Nine());
    } else if (deforms_) {
      multiply<adds, 0>(left_, begin, weights.data(), rows, column, Three());
    } else if (has_frame_) {
      multiply<adds, of_deformation>(left_, begin, weights.data(), rows, column, Six());
    } else if (!adds) {
      columns.col(d).setZero();
    }
  }
}

void PointCompliance::write_columns(int j, Columns columns) {
  compute_columns<false>(j, columns);
}

void PointCompliance::add_columns(int j, Columns columns) {
  compute_columns<true>(j, columns);
}

double PointCompliance::mean() const {
  return count_ > 0 ? trace_ / (3.0 * count_) : 0.0;
}

void add_world_compliance(const Body& body, const BodyState& state,
                          std::span<const SurfacePoint> points, BodyStep& step,
                          Eigen::Ref<MatX> W) {
  const auto count = static_cast<int>(points.size());
  const std::vector<Mat3> world(points.size(), Mat3::Identity());
  PointCompliance compliance(count, body.nodes_a_point());
  compliance.take(body, state, points, world, Motion::whole, step);
  Eigen::Matrix<double, Eigen::Dynamic, 3> columns;
  for (int j = 0; j < count; ++j) {
    const int rows = 3 * (count - j);
    columns.resize(rows, 3);
    compliance.write_columns(j, columns);
    const Mat3 diagonal = columns.topRows<3>();
    columns.topRows<3>() = 0.5 * (diagonal + diagonal.transpose());
    W.block(3 * j, 3 * j, rows, 3) += columns;
    W.block(3 * j, 3 * j + 3, 3, rows - 3) += columns.bottomRows(rows - 3).transpose();
  }
}

}  // namespace stickslip
