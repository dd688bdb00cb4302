#include "stickslip/solver/solvers.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

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

std::unique_ptr<Solver> make_solver(std::string_view name, int pyramid_sides) {
  if (name == names[0]) return std::make_unique<AutoSolver>();
  if (name == names[1]) return std::make_unique<GaussSeidel>();
  if (name == names[2]) return std::make_unique<BlockGaussSeidel>();
  if (name == names[3]) return std::make_unique<Pyramid>(pyramid_sides);
  if (name == names[4]) return std::make_unique<FrictionlessGaussSeidel>();
  if (name == names[5]) return std::make_unique<FrictionlessLemke>();
  throw InputError(
      fmt::format("solver '{}' is unknown; choose one of {}", name, fmt::join(names, ", ")));
}

}  // namespace stickslip
