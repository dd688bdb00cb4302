#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "stickslip/solver/solver.hpp"

namespace stickslip {

enum class SolverKind : std::uint8_t {
  automatic,
  gauss_seidel,
  block_gauss_seidel,
  pyramid,
  frictionless_gauss_seidel,
  frictionless_lemke,
};

/// Their names, in this order.
std::span<const std::string_view> solver_names();
std::string_view to_string(SolverKind kind);
/// Whether it solves only problems without friction.
bool is_frictionless(SolverKind kind);
/// None where no solver has that name.
std::optional<SolverKind> solver_of(std::string_view name);

inline constexpr int usual_pyramid_sides = 8;

/// A solver with its usual settings; the sides are those of `pyramid`, even and at least 4. Throws
/// InputError for another number, or name.
std::unique_ptr<Solver> make_solver(SolverKind kind, int pyramid_sides = usual_pyramid_sides);
std::unique_ptr<Solver> make_solver(std::string_view name, int pyramid_sides = usual_pyramid_sides);

}  // namespace stickslip
