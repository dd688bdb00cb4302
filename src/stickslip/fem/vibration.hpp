#pragma once

#include <span>

#include "stickslip/fem/deformation_model.hpp"

namespace stickslip {

struct Vibration {
  VecX frequencies_hz;  ///< ascending; a free body's begin with six zeros
  MatX modes;           ///< a column each over all nodes (3n), of unit modal mass
};

/// The lowest natural frequencies, by subspace iteration. Held nodes do not move.
Vibration lowest_vibrations(const DeformationModel& model, std::span<const int> held_nodes,
                            int count);

}  // namespace stickslip
