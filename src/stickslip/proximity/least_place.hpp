#pragma once

namespace stickslip {

/// Where between low and high something that has one least place there has it, by the sign of its
/// slope (bisection); below low where that is not between them.
template <class Slope>
double least_place(double low, double high, const Slope& slope) {
  const double none = low - 1.0;
  if (slope(low) >= 0.0 || slope(high) <= 0.0) return none;
  constexpr int halvings = 52;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (slope(middle) < 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace stickslip
