#include "apps/cli/units.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>

#include "stickslip/error.hpp"

namespace stickslip::cli {

namespace {

struct Unit {
  std::string_view name;
  double metres;
};

constexpr std::array<Unit, 5> units = {
    {{"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"um", 1e-6}, {"in", 0.0254}}};

}  // namespace

double unit_in_metres(std::string_view unit) {
  for (const Unit& known : units) {
    if (known.name == unit) return known.metres;
  }
  throw InputError(fmt::format("unit '{}' is not known; use m, cm, mm, um or in", unit));
}

double parse_length(std::string_view option, std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value) || value <= 0.0) {
    throw InputError(fmt::format(
        "{} '{}' is not a positive length; write a number with its unit, as in 2mm", option, text));
  }
  std::string_view unit(stop, static_cast<std::size_t>(end - stop));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  return unit.empty() ? value : value * unit_in_metres(unit);
}

}  // namespace stickslip::cli
