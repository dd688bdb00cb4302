#include "stickslip/body/load_cases.hpp"

#include <cassert>

namespace stickslip {

MatX with_gravity(const DeformationModel& model, std::span<const int> held_nodes,
                  const MatX& load_cases) {
  const int rows = 3 * model.node_count();
  assert(load_cases.cols() == 0 || load_cases.rows() == rows);
  MatX all = MatX::Zero(rows, 3 + load_cases.cols());
  for (int axis = 0; axis < 3 && !held_nodes.empty(); ++axis) {
    VecX everywhere = VecX::Zero(rows);
    for (int i = 0; i < model.node_count(); ++i) everywhere[3 * i + axis] = 1.0;
    all.col(axis) = model.M * everywhere;
  }
  if (load_cases.cols() > 0) all.rightCols(load_cases.cols()) = load_cases;
  return all;
}

void add_weighted_columns(const MatX& columns, std::span<const double> weights,
                          Eigen::Ref<VecX> u) {
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] != 0.0) u += weights[k] * columns.col(static_cast<int>(k));
  }
}

}  // namespace stickslip
