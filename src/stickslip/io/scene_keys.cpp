#include "stickslip/io/scene_keys.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stickslip {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr KeyRange any = {};
constexpr KeyRange positive = {.low = 0.0, .is_low_allowed = false};
constexpr KeyRange not_negative = {.low = 0.0};
constexpr KeyRange stable = {-1.0, 0.5, false, false};
constexpr KeyRange share = {.low = 0.0, .high = 1.0, .is_low_allowed = false};

constexpr KeyRange from(double low, double high) {
  return {.low = low, .high = high};
}

using enum KeyType;

constexpr SceneKey keys[] = {
    {"", "name", text, "", any, "", "\"a block on a slope\""},
    {"", "simulation", table, "", any, "", ""},
    {"", "material", by_name, "", any, "", "[material.rubber]"},
    {"", "contact", table, "", any, "", ""},
    {"", "friction", tables, "", any, "", "[[friction]]"},
    {"", "body", tables, "", any, "", "[[body]]", true},
    {"", "drive", tables, "", any, "", "[[drive]]"},
    {"", "probe", tables, "", any, "", "[[probe]]"},
    {"", "hand", tables, "", any, "", "[[hand]]"},

    {"simulation", "dt", number, "s", share, "", "0.001"},
    {"simulation", "duration", number, "s", positive, "", "2.0"},
    {"simulation", "gravity", vector, "m/s^2", any, "", "[0, 0, -9.81]"},
    {"simulation", "solver", text, "", any, "", "\"auto\""},
    {"simulation", "pyramid_sides", integer, "", from(4, 1000), "", "8"},
    {"simulation", "contact_method", text, "", any,
     "exact penalty-explicit penalty-implicit imposed-motion explicit-friction", "\"exact\""},
    {"simulation", "penalty_stiffness", number, "N/m", positive, "", "10000"},
    {"simulation", "penalty_damping", number, "N s/m", not_negative, "", "5"},
    {"simulation", "friction_velocity", number, "m/s", positive, "", "0.001"},
    {"simulation", "tolerance", number, "", {0.0, 1.0, false, false}, "", "1e-7"},
    {"simulation", "max_iterations", integer, "", from(1, 1'000'000'000), "", "10000"},
    {"simulation", "deadline_us", number, "us", positive, "", "800"},
    {"simulation", "contact_budget", integer, "", from(1, 10'000), "", "300"},
    {"simulation", "alarm_distance", number, "m", positive, "", "0.001"},
    {"simulation", "delassus", text, "", any, "automatic built unbuilt", "\"automatic\""},
    {"simulation", "passes", integer, "", from(1, 100), "", "1"},
    {"simulation", "interpolate_normals", flag, "", any, "", "true"},
    {"simulation", "recovery_per_step", number, "", share, "", "0.25"},
    {"simulation", "fast_motion", flag, "", any, "", "true"},
    {"simulation", "all_contacts", flag, "", any, "", "false"},
    {"simulation", "proximity", text, "", any, "exact stochastic", "\"exact\""},
    {"simulation", "proximity_distances", integer, "", from(1, 10'000), "", "30"},
    {"simulation", "proximity_samples", integer, "", from(0, 100'000), "", "20"},
    {"simulation", "proximity_seed", integer, "", from(0, 1'000'000'000), "", "1"},

    {"material", "young", number, "Pa", positive, "", "700e6 for polyethylene"},
    {"material", "poisson", number, "", stable, "", "0.35; 0.49 is nearly incompressible"},
    {"material", "density", number, "kg/m^3", positive, "", "950 for polyethylene"},
    {"material", "law", text, "", any, "neo-hooke corotated st-venant-kirchhoff",
     "\"neo-hooke\" for rubber, gels and tissue"},

    {"contact", "friction", number, "", not_negative, "", "0.3; 0 for none"},
    {"contact", "excluded", pairs, "", any, "", "[[\"ring\", \"axle\"]]"},

    {"friction", "between", pair, "", any, "", "[\"rubber\", \"steel\"]", true},
    {"friction", "mu", number, "", not_negative, "", "0.3; 0 for none", true},

    {"body", "name", name, "", any, "", "\"block\"", true},
    {"body", "kind", text, "", any, "fixed rigid deformable corotational quasi-rigid nonlinear",
     "\"rigid\"", true},
    {"body", "mesh", text, "", any, "", "\"models/block_500.msh\""},
    {"body", "scale", number, "", positive, "", "0.001 for a mesh in millimetres"},
    {"body", "shape", text, "", any, "box plane sphere cylinder capsule", "\"box\""},
    {"body", "size", KeyType::size, "m", positive, "", "[0.1, 0.06, 0.04]"},
    {"body", "cells", counts, "", from(1, 200), "", "[4, 3, 2]"},
    {"body", "radius", number, "m", positive, "", "0.02"},
    {"body", "length", number, "m", positive, "", "0.1"},
    {"body", "segments", integer, "", from(6, 600), "", "36"},
    {"body", "element", text, "", any, "tet4 tet10", "\"tet10\""},
    {"body", "skin", text, "", any, "", "\"clip_skin.stl\""},
    {"body", "skin_chord", number, "m", positive, "", "0.00005"},
    {"body", "material", text, "", any, "", "\"rubber\""},
    {"body", "mass", number, "kg", positive, "", "0.015"},
    {"body", "position", vector, "m", any, "", "[0, 0, 0.1]"},
    {"body", "rotation", table, "", any, "", "{ axis = [0, 0, 1], angle_deg = 30 }"},
    {"body", "velocity", vector, "m/s", any, "", "[0.1, 0, 0]"},
    {"body", "angular_velocity", vector, "rad/s", any, "", "[0, 0, 1]"},
    {"body", "held", names, "", any, "", "[\"handle\"]"},
    {"body", "contact_regions", names, "", any, "", "[\"inside\"]"},
    {"body", "dynamic", flag, "", any, "", "true"},
    {"body", "integration", text, "", any, "euler trapezoidal", "\"euler\""},
    {"body", "damping", table, "", any, "", "{ alpha = 1.0, beta = 1e-4 }"},
    {"body", "newton_steps", integer, "", from(1, 100), "", "1"},
    {"body", "young_ratio", number, "", share, "", "0.01"},
    {"body", "precompute", flag, "", any, "", "true"},
    {"body", "float32", flag, "", any, "", "false"},
    {"body", "cache", flag, "", any, "", "true"},
    {"body", "region", tables, "", any, "", "[[body.region]]"},

    {"body.rotation", "axis", vector, "", any, "", "[0, 0, 1]", true},
    {"body.rotation", "angle_deg", number, "deg", any, "", "30", true},

    {"body.damping", "alpha", number, "1/s", not_negative, "", "1.0"},
    {"body.damping", "beta", number, "s", not_negative, "", "1e-4"},

    {"body.region", "name", name, "", any, "", "\"grip\"", true},
    {"body.region", "low", vector, "m", any, "", "[-0.01, -0.01, 0]", true},
    {"body.region", "high", vector, "m", any, "", "[0.01, 0.01, 0]", true},

    {"drive", "name", name, "", any, "", "\"push\""},
    {"drive", "body", text, "", any, "", "\"block\"", true},
    {"drive", "kind", text, "", any, "motion force spring", "\"force\"", true},
    {"drive", "region", text, "", any, "", "\"handle\""},
    {"drive", "value", values, "", any, "", "[0, 0, -5]"},
    {"drive", "ramp", table, "", any, "", "{ to = [0, 0, -5], duration = 0.5 }"},
    {"drive", "table", rows, "", any, "", "[[0.0, 0, 0, 0], [1.0, 0, 0, 0.02]]"},
    {"drive", "csv", text, "", any, "", "\"push.csv\""},
    {"drive", "pivot", vector, "m", any, "", "[0, 0, 0]"},
    {"drive", "stiffness", number, "N/m", not_negative, "", "1000"},
    {"drive", "damping", number, "N s/m", not_negative, "", "5"},
    {"drive", "rotational_stiffness", number, "N m/rad", not_negative, "", "1"},
    {"drive", "rotational_damping", number, "N m s/rad", not_negative, "", "0.01"},

    {"drive.ramp", "from", values, "", any, "", "[0, 0, 0]"},
    {"drive.ramp", "to", values, "", any, "", "[0, 0, -5]", true},
    {"drive.ramp", "start", number, "s", not_negative, "", "0.2"},
    {"drive.ramp", "duration", number, "s", positive, "", "0.5", true},

    {"probe", "name", name, "", any, "", "\"tip\"", true},
    {"probe", "body", text, "", any, "", "\"block\"", true},
    {"probe", "point", vector, "m", any, "", "[0, 0, 0.02]"},
    {"probe", "region", text, "", any, "", "\"handle\""},

    {"hand", "name", name, "", any, "", "\"right\""},
    {"hand", "body", text, "", any, "", "\"clip\""},
    {"hand", "region", text, "", any, "", "\"handle\""},
    {"hand", "point", vector, "m", any, "", "[0, 0, 0.02]"},
    {"hand", "reach", number, "m", positive, "", "0.02"},
    {"hand", "device", text, "", any, "", "\"simulated:phantom:medium\""},
    {"hand", "starts_holding", flag, "", any, "", "true"},
    {"hand", "grab_at", number, "s", not_negative, "", "0.5"},
    {"hand", "release_at", number, "s", positive, "", "4.0"},
    {"hand", "path", rows, "", any, "", "[[0, 0, 0, 0.05], [1.5, 0, 0, 0.01]]"},
    {"hand", "path_kind", text, "", any, "minimum-jerk straight", "\"minimum-jerk\""},
    {"hand", "centre", vector, "m", any, "", "[0, 0, 0.1]"},
    {"hand", "turn", vector, "rad", any, "", "[0, 0, 1.5708]"},
    {"hand", "motion_scale", number, "", positive, "", "2"},
    {"hand", "force_scale", number, "", positive, "", "1"},
    {"hand", "stiffness", number, "N/m", positive, "", "1000"},
    {"hand", "damping", number, "N s/m", not_negative, "", "1"},
    {"hand", "rotational_stiffness", number, "N m/rad", positive, "", "1"},
    {"hand", "rotational_damping", number, "N m s/rad", not_negative, "", "0.001"},
    {"hand", "max_force", number, "N", positive, "", "10"},
    {"hand", "max_torque", number, "N m", positive, "", "0.5"},
};

}  // namespace

std::vector<std::string> words_in(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

const SceneKey* find_scene_key(std::string_view section, std::string_view key) {
  const auto* found = std::find_if(std::begin(keys), std::end(keys), [&](const SceneKey& k) {
    return k.section == section && k.key == key;
  });
  return found == std::end(keys) ? nullptr : found;
}

std::vector<std::string> scene_keys_of(std::string_view section) {
  std::vector<std::string> names;
  for (const SceneKey& key : keys) {
    if (key.section == section) names.emplace_back(key.key);
  }
  return names;
}

bool KeyRange::contains(double value) const {
  if (!std::isfinite(value)) return false;
  return (is_low_allowed ? value >= low : value > low) &&
         (is_high_allowed ? value <= high : value < high);
}

std::string KeyRange::text() const {
  const bool has_low = low != -infinite;
  const bool has_high = high != infinite;
  if (has_low && has_high && is_low_allowed && is_high_allowed) {
    return fmt::format("from {} to {}", low, high);
  }
  const std::string above = fmt::format("{} {}", is_low_allowed ? "at least" : "above", low);
  const std::string below = fmt::format("{} {}", is_high_allowed ? "at most" : "below", high);
  if (has_low && has_high) return above + " and " + below;
  if (has_low) return above;
  if (has_high) return below;
  return "finite";
}

std::string_view SceneKey::type_text() const {
  switch (type) {
    case KeyType::number:
      return "a number";
    case KeyType::integer:
      return "an integer";
    case KeyType::flag:
      return "true or false";
    case KeyType::text:
      return "a string";
    case KeyType::name:
      return "a name of letters, digits, _ and -";
    case KeyType::names:
      return "a list of names";
    case KeyType::pair:
      return "a list of two names";
    case KeyType::pairs:
      return "a list of pairs of names";
    case KeyType::vector:
      return "three numbers";
    case KeyType::size:
      return "two or three numbers";
    case KeyType::counts:
      return "three integers";
    case KeyType::values:
      return "three or six numbers";
    case KeyType::rows:
      return "rows of a time and three or six numbers";
    case KeyType::table:
      return "a section";
    case KeyType::tables:
      return "a list of sections";
    case KeyType::by_name:
      return "sections by name";
  }
  return "";
}

std::string SceneKey::range_text() const {
  if (!words.empty()) return fmt::format("one of {}", fmt::join(words_in(words), ", "));
  const bool has_numbers = type == KeyType::number || type == KeyType::integer ||
                           type == KeyType::vector || type == KeyType::size ||
                           type == KeyType::counts || type == KeyType::values ||
                           type == KeyType::rows;
  return has_numbers ? range.text() : "";
}

std::span<const SceneKey> scene_keys() {
  return keys;
}

}  // namespace stickslip
