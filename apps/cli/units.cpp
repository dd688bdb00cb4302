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
  double size;
};

constexpr std::array<Unit, 5> lengths = {
    {{"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"um", 1e-6}, {"in", 0.0254}}};

constexpr std::array<Unit, 4> memories = {{{"B", 1.0}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}}};

/// A bare number is in metres; one that large was most likely thought in millimetres.
constexpr double long_without_unit = 0.1;

/// A positive number and the unit behind it, or nothing.
struct Quantity {
  double value = 0.0;
  std::string_view unit;
};

Quantity parse_quantity(std::string_view text) {
  Quantity result;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result.value);
  if (error != std::errc() || !std::isfinite(result.value) || result.value <= 0.0) return {};
  result.unit = std::string_view(stop, static_cast<std::size_t>(end - stop));
  while (result.unit.starts_with(' ')) result.unit.remove_prefix(1);
  return result;
}

}  // namespace

double unit_in_metres(std::string_view unit) {
  for (const Unit& known : lengths) {
    if (known.name == unit) return known.size;
  }
  throw InputError(fmt::format("unit '{}' is not known; use m, cm, mm, um or in", unit));
}

double parse_length(std::string_view option, std::string_view text) {
  const Quantity length = parse_quantity(text);
  if (length.value <= 0.0) {
    throw InputError(fmt::format(
        "{} '{}' is not a positive length; write a number with its unit, as in 2mm", option, text));
  }
  if (!length.unit.empty()) return length.value * unit_in_metres(length.unit);
  if (length.value >= long_without_unit) {
    throw InputError(fmt::format(
        "{0} {1} has no unit and would be {1} m; write {1}mm, or {1}m where that is meant", option,
        text));
  }
  return length.value;
}

std::int64_t parse_bytes(std::string_view option, std::string_view text) {
  const Quantity memory = parse_quantity(text);
  for (const Unit& known : memories) {
    const bool is_meant = known.name == (memory.unit.empty() ? "B" : memory.unit);
    const double bytes = memory.value * known.size;
    if (is_meant && bytes >= 1.0 && bytes < 1e18) return static_cast<std::int64_t>(bytes);
  }
  throw InputError(fmt::format(
      "{} '{}' is not an amount of memory; write a number with its unit, as in 4GB", option, text));
}

}  // namespace stickslip::cli
