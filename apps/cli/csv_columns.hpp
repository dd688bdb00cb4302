#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace stickslip::cli {

/// The three columns of a vector, each after a comma, as in ",tip.position_x_m".
inline std::string vector_columns(std::string_view what, std::string_view unit) {
  return fmt::format(",{0}_x_{1},{0}_y_{1},{0}_z_{1}", what, unit);
}

}  // namespace stickslip::cli
