#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace stickslip::cli {

/// A finite number that is at least, or above, zero; says so in one short line.
inline CLI::Validator finite_number(const std::string& range, bool may_be_zero) {
  return CLI::Validator(
      [range, may_be_zero](const std::string& text) -> std::string {
        double value = 0.0;
        const bool is_number = CLI::detail::lexical_cast(text, value) && std::isfinite(value);
        if (is_number && (value > 0.0 || (may_be_zero && value == 0.0))) return {};
        return text + " is not allowed; give a number " + range;
      },
      range);
}

inline CLI::Validator above_zero() {
  return finite_number("above 0", false);
}
inline CLI::Validator zero_or_more() {
  return finite_number("of 0 or more", true);
}

}  // namespace stickslip::cli
