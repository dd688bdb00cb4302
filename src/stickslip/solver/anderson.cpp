#include "stickslip/solver/anderson.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "stickslip/solver/auto_policy.hpp"

namespace stickslip {

void Anderson::reset(Eigen::Index size, double mean_compliance) {
  size_ = size;
  force_weight_ = auto_policy.extrapolation.force_share * mean_compliance;
  has_last_ = false;
  count_ = 0;
  next_ = 0;
  if (size <= step_.size()) return;
  for (VecX* vector : {&step_, &image_, &last_step_, &last_image_, &last_f_, &last_delta_}) {
    vector->resize(size);
  }
  for (MatX* matrix : {&step_change_, &image_change_, &f_change_, &delta_change_}) {
    matrix->resize(size, memory);
  }
}

double Anderson::extrapolate(const VecX& f_before, const VecX& delta_before, VecX& f, VecX& delta) {
  const Eigen::Index n = size_;
  step_.head(n) = f.head(n) - f_before.head(n);
  image_.head(n) = delta.head(n) - delta_before.head(n) + force_weight_ * step_.head(n);
  if (has_last_) {
    // the newest differences replace the oldest
    step_change_.col(next_).head(n) = step_.head(n) - last_step_.head(n);
    image_change_.col(next_).head(n) = image_.head(n) - last_image_.head(n);
    f_change_.col(next_).head(n) = f.head(n) - last_f_.head(n);
    delta_change_.col(next_).head(n) = delta.head(n) - last_delta_.head(n);
    count_ = std::min(count_ + 1, memory);
    for (int j = 0; j < count_; ++j) {
      gram_(next_, j) = gram_(j, next_) =
          step_change_.col(j).head(n).dot(image_change_.col(next_).head(n));
    }
    next_ = (next_ + 1) % memory;
  }
  last_step_.head(n) = step_.head(n);
  last_image_.head(n) = image_.head(n);
  last_f_.head(n) = f.head(n);
  last_delta_.head(n) = delta.head(n);
  has_last_ = true;
  if (count_ == 0) return 0.0;

  // the combination of past changes that best cancels this sweep's
  SmallVector right_side(count_);
  for (int j = 0; j < count_; ++j) {
    right_side[j] = image_change_.col(j).head(n).dot(step_.head(n));
  }
  Small matrix = gram_.topLeftCorner(count_, count_);
  matrix.diagonal().array() +=
      auto_policy.extrapolation.regularisation * matrix.diagonal().maxCoeff();
  const Eigen::LLT<Small> factor(matrix);
  if (factor.info() != Eigen::Success) return 0.0;
  const SmallVector weight = factor.solve(right_side);
  const double weight_sum = weight.lpNorm<1>();
  if (!(weight_sum <= auto_policy.extrapolation.largest_weight)) return 0.0;
  for (int j = 0; j < count_; ++j) {
    f.head(n) -= weight[j] * f_change_.col(j).head(n);
    delta.head(n) -= weight[j] * delta_change_.col(j).head(n);
  }
  return weight_sum;
}

}  // namespace stickslip
