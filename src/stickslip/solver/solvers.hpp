#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "stickslip/solver/solver.hpp"

namespace stickslip {

/// The names that make_solver knows.
std::span<const std::string_view> solver_names();

/// The solver of that name with its usual settings. Throws InputError for another name.
std::unique_ptr<Solver> make_solver(std::string_view name);

}  // namespace stickslip
