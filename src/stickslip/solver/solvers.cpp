#include "stickslip/solver/solvers.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "stickslip/error.hpp"
#include "stickslip/solver/auto_solver.hpp"
#include "stickslip/solver/block_gauss_seidel.hpp"
#include "stickslip/solver/frictionless_gauss_seidel.hpp"
#include "stickslip/solver/frictionless_lemke.hpp"
#include "stickslip/solver/gauss_seidel.hpp"
#include "stickslip/solver/pyramid.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 6> names = {"auto",
                                                   "gauss-seidel",
                                                   "block-gauss-seidel",
                                                   "pyramid",
                                                   "frictionless-gauss-seidel",
                                                   "frictionless-lemke"};

}  // namespace

std::span<const std::string_view> solver_names() {
  return names;
}

std::string_view to_string(SolverKind kind) {
  return names[static_cast<std::size_t>(kind)];
}

bool is_frictionless(SolverKind kind) {
  return kind == SolverKind::frictionless_gauss_seidel || kind == SolverKind::frictionless_lemke;
}

std::optional<SolverKind> solver_of(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<SolverKind>(found - names.begin());
}

std::unique_ptr<Solver> make_solver(SolverKind kind, int pyramid_sides) {
  switch (kind) {
    case SolverKind::gauss_seidel:
      return std::make_unique<GaussSeidel>();
    case SolverKind::block_gauss_seidel:
      return std::make_unique<BlockGaussSeidel>();
    case SolverKind::pyramid:
      return std::make_unique<Pyramid>(pyramid_sides);
    case SolverKind::frictionless_gauss_seidel:
      return std::make_unique<FrictionlessGaussSeidel>();
    case SolverKind::frictionless_lemke:
      return std::make_unique<FrictionlessLemke>();
    default:
      return std::make_unique<AutoSolver>();
  }
}

std::unique_ptr<Solver> make_solver(std::string_view name, int pyramid_sides) {
  if (const auto kind = solver_of(name)) return make_solver(*kind, pyramid_sides);
  throw InputError(
      fmt::format("solver '{}' is unknown; choose one of {}", name, fmt::join(names, ", ")));
}

}  // namespace stickslip
