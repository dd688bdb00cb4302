#pragma once

#include <span>

#include "stickslip/fem/deformation_model.hpp"

namespace stickslip {

/// Nodal loads of gravity along each axis of the frame, then the given ones. (3n x (3 + cases))
/// Gravity does not deform a body that is held nowhere: its loads are zero.
MatX with_gravity(const DeformationModel& model, std::span<const int> held_nodes,
                  const MatX& load_cases);

/// u += sum of the columns by their weights.
void add_weighted_columns(const MatX& columns, std::span<const double> weights, Eigen::Ref<VecX> u);

}  // namespace stickslip
