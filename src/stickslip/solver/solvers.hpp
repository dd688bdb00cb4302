#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The names that make_solver knows.
std::span<const std::string_view> solver_names();

inline constexpr int usual_pyramid_sides = 8;

/// The solver of that name with its usual settings; the sides are those of `pyramid`, even and at
/// least 4. Throws InputError for another name or number.
std::unique_ptr<Solver> make_solver(std::string_view name, int pyramid_sides = usual_pyramid_sides);

}  // namespace stickslip
