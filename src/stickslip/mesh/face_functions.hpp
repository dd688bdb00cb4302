#pragma once

#include <array>

#include "stickslip/math/types.hpp"

namespace stickslip {

/// The shape functions of a face of an element at a place, the weights of its corners and, of a
/// ten-node element, of the nodes between 0 and 1, 1 and 2, 2 and 0. Shares 1 and 2 of the
/// barycentric ones are the coordinates along which they are differentiated.
struct FaceFunctions {
  /// `node_count` is 3 or 6.
  FaceFunctions(int node_count, const std::array<double, 3>& share);

  int node_count;
  std::array<double, 6> N = {};
  std::array<Eigen::Vector2d, 6> slope;  ///< dN / d(share 1, share 2)
};

}  // namespace stickslip
