#pragma once

namespace stickslip::proof {

// How exact the numbers are that prove that a problem has no solution.

/// What counts as nothing, of the largest that the terms of a sum could be together.
inline constexpr double rounding = 1e-11;
/// What counts as more than nothing, of the sum of the sizes of the terms.
inline constexpr double clearly = 1e-9;

}  // namespace stickslip::proof
