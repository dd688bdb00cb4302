#include "stickslip/io/scene_keys.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "stickslip/error.hpp"

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
    {"simulation", "proximity", text, "", any, "exact stochastic", "\"exact\""},
    {"simulation", "proximity_distances", integer, "", from(1, 10'000), "", "30"},
    {"simulation", "proximity_samples", integer, "", from(0, 100'000), "", "20"},
    {"simulation", "proximity_seed", integer, "", from(0, 1'000'000'000), "", "1"},

    {"material", "young", number, "Pa", positive, "", "700e6 for polyethylene"},
    {"material", "poisson", number, "", stable, "", "0.35; 0.49 is nearly incompressible"},
    {"material", "density", number, "kg/m^3", positive, "", "950 for polyethylene"},

    {"contact", "friction", number, "", not_negative, "", "0.3; 0 for none"},
    {"contact", "excluded", pairs, "", any, "", "[[\"ring\", \"axle\"]]"},

    {"friction", "between", pair, "", any, "", "[\"rubber\", \"steel\"]", true},
    {"friction", "mu", number, "", not_negative, "", "0.3; 0 for none", true},

    {"body", "name", name, "", any, "", "\"block\"", true},
    {"body", "kind", text, "", any, "fixed rigid deformable corotational quasi-rigid", "\"rigid\"",
     true},
    {"body", "mesh", text, "", any, "", "\"models/block_500.msh\""},
    {"body", "scale", number, "", positive, "", "0.001 for a mesh in millimetres"},
    {"body", "shape", text, "", any, "box plane", "\"box\""},
    {"body", "size", KeyType::size, "m", positive, "", "[0.1, 0.06, 0.04]"},
    {"body", "cells", counts, "", from(1, 200), "", "[4, 3, 2]"},
    {"body", "element", text, "", any, "tet4 tet10", "\"tet10\""},
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

std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

const SceneKey* find_key(std::string_view section, std::string_view key) {
  const auto* found = std::find_if(std::begin(keys), std::end(keys), [&](const SceneKey& k) {
    return k.section == section && k.key == key;
  });
  return found == std::end(keys) ? nullptr : found;
}

std::vector<std::string> keys_of(std::string_view section) {
  std::vector<std::string> names;
  for (const SceneKey& key : keys) {
    if (key.section == section) names.emplace_back(key.key);
  }
  return names;
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

bool are_numbers(const TomlValue& value) {
  return value.kind == TomlKind::array &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const TomlValue& item) { return item.is_number(); });
}

bool is_text_list(const TomlValue& value) {
  return value.kind == TomlKind::array &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const TomlValue& item) { return item.kind == TomlKind::text; });
}

bool has_type(const TomlValue& value, KeyType type) {
  const std::size_t count = value.items.size();
  switch (type) {
    case number:
      return value.is_number();
    case integer:
      return value.kind == TomlKind::integer;
    case flag:
      return value.kind == TomlKind::boolean;
    case text:
      return value.kind == TomlKind::text;
    case name:
      return value.kind == TomlKind::text && is_name(value.text);
    case names:
      return is_text_list(value);
    case pair:
      return is_text_list(value) && count == 2;
    case pairs:
      return value.kind == TomlKind::array &&
             std::all_of(value.items.begin(), value.items.end(),
                         [](const TomlValue& item) { return has_type(item, pair); });
    case vector:
      return are_numbers(value) && count == 3;
    case size:
      return are_numbers(value) && (count == 2 || count == 3);
    case counts:
      return are_numbers(value) && count == 3 &&
             std::all_of(value.items.begin(), value.items.end(),
                         [](const TomlValue& item) { return item.kind == TomlKind::integer; });
    case values:
      return are_numbers(value) && (count == 3 || count == 6);
    case rows:
      return value.kind == TomlKind::array && count > 0 &&
             std::all_of(value.items.begin(), value.items.end(), [](const TomlValue& row) {
               return are_numbers(row) && (row.items.size() == 4 || row.items.size() == 7);
             });
    case table:
    case by_name:
      return value.kind == TomlKind::table;
    case tables:
      return value.kind == TomlKind::array &&
             std::all_of(value.items.begin(), value.items.end(),
                         [](const TomlValue& item) { return item.kind == TomlKind::table; });
  }
  return false;
}

/// The first number within a value that is out of range.
const TomlValue* out_of_range(const TomlValue& value, const KeyRange& range) {
  if (value.is_number()) return range.contains(value.real) ? nullptr : &value;
  for (const TomlValue& item : value.items) {
    if (const TomlValue* found = out_of_range(item, range)) return found;
  }
  return nullptr;
}

void validate_section(const TomlValue& value, std::string_view section, const std::string& path);

void validate_key(const TomlValue& value, const SceneKey& key, const std::string& path) {
  const std::string example =
      key.example.empty() ? std::string() : fmt::format(", e.g. {}", key.example);
  if (!has_type(value, key.type)) {
    refuse_value(value, path, fmt::format("must be {}{}", key.type_text(), example));
  }
  const std::string section = joined(std::string(key.section), key.key);
  switch (key.type) {
    case table:
      validate_section(value, section, path);
      return;
    case tables:
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const TomlValue* called = value.items[i].find("name");
        const bool has_name = called != nullptr && called->kind == TomlKind::text;
        validate_section(value.items[i], section,
                         joined(path, has_name ? called->text : std::to_string(i + 1)));
      }
      return;
    case by_name:
      for (const auto& [name, inner] : value.entries) {
        if (inner.kind != TomlKind::table) {
          refuse_value(inner, joined(path, name),
                       fmt::format("must be a section of its own{}", example));
        }
        validate_section(inner, section, joined(path, name));
      }
      return;
    case text: {
      const std::vector<std::string> words = words_of(key.words);
      if (words.empty() || std::find(words.begin(), words.end(), value.text) != words.end()) {
        return;
      }
      const std::string near = nearest_name(value.text, words);
      refuse_value(
          value, path,
          fmt::format("must be {}{}", key.range_text(),
                      near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near)));
    }
    default:
      break;
  }
  if (const TomlValue* bad = out_of_range(value, key.range)) {
    const std::string unit = key.unit.empty() ? "" : fmt::format(" [{}]", key.unit);
    refuse_value(value, path,
                 fmt::format("{}must be {}{}{}", bad == &value ? "" : "each number ",
                             key.range_text(), unit, example));
  }
}

void validate_section(const TomlValue& value, std::string_view section, const std::string& path) {
  for (const auto& [key, inner] : value.entries) {
    const std::string inner_path = joined(path, key);
    if (const SceneKey* known = find_key(section, key)) {
      validate_key(inner, *known, inner_path);
      continue;
    }
    const std::vector<std::string> all = keys_of(section);
    const std::string near = nearest_name(key, all);
    throw InputError(fmt::format(
        "{}: {}: there is no such key; {}", inner.where, inner_path,
        near.empty()
            ? fmt::format("{} takes: {}", path.empty() ? "a scene" : path, fmt::join(all, ", "))
            : fmt::format("did you mean \"{}\"?", near)));
  }
  for (const SceneKey& key : keys) {
    if (key.section != section || !key.is_required || value.find(key.key) != nullptr) continue;
    throw InputError(fmt::format(
        "{}: {} lacks {}, {}; write it as {}", value.where, path.empty() ? "the scene" : path,
        key.key, key.words.empty() ? std::string(key.type_text()) : key.range_text(),
        key.type == tables ? std::string(key.example)
                           : fmt::format("{} = {}", key.key, key.example)));
  }
}

/// The element of a list of tables by its name or number, or null.
TomlValue* find_element(TomlValue& list, std::string_view name) {
  for (TomlValue& item : list.items) {
    const TomlValue* called = item.find("name");
    if (called != nullptr && called->text == name) return &item;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    if (std::to_string(i + 1) == name) return &list.items[i];
  }
  return nullptr;
}

std::vector<std::string> element_names(const TomlValue& list) {
  std::vector<std::string> names;
  for (const auto& [name, value] : list.entries) names.push_back(name);
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const TomlValue* called = list.items[i].find("name");
    names.push_back(called != nullptr ? called->text : std::to_string(i + 1));
  }
  return names;
}

/// Where the path of an override leads: a table, the section it stands for, and how many parts of
/// the path led there.
struct Place {
  TomlValue* table;
  std::string section;
  std::size_t depth = 0;
};

/// One table down, by a key, or by a key and the name or number of an element.
Place descend(const Place& from, const std::vector<std::string>& parts, const std::string& where) {
  const std::string& part = parts[from.depth];
  const std::string& next = parts[from.depth + 1];
  const SceneKey* key = find_key(from.section, part);
  const bool is_section = key != nullptr && (key->type == KeyType::table || key->type == tables ||
                                             key->type == by_name);
  if (!is_section) {
    const std::vector<std::string> all = keys_of(from.section);
    const std::string near = nearest_name(part, all);
    throw InputError(fmt::format("{}: there is no section {}; {}", where, part,
                                 near.empty() ? fmt::format("there are: {}", fmt::join(all, ", "))
                                              : fmt::format("did you mean \"{}\"?", near)));
  }
  TomlValue* inner = from.table->find(part);
  if (inner == nullptr) {
    TomlValue created;
    created.kind = key->type == tables ? TomlKind::array : TomlKind::table;
    created.where = where;
    from.table->entries.push_back({part, std::move(created)});
    inner = &from.table->entries.back().value;
  }
  const std::string section = joined(from.section, part);
  if (key->type == KeyType::table) return {inner, section, from.depth + 1};
  TomlValue* element = key->type == by_name ? inner->find(next) : find_element(*inner, next);
  if (element == nullptr || element->kind != TomlKind::table) {
    const std::vector<std::string> all = element_names(*inner);
    throw InputError(fmt::format("{}: there is no {} \"{}\"; there are: {}", where, part, next,
                                 all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "))));
  }
  return {element, section, from.depth + 2};
}

}  // namespace

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
  if (!words.empty()) return fmt::format("one of {}", fmt::join(words_of(words), ", "));
  const bool has_numbers = type == KeyType::number || type == KeyType::integer ||
                           type == KeyType::vector || type == KeyType::size ||
                           type == KeyType::counts || type == KeyType::values ||
                           type == KeyType::rows;
  return has_numbers ? range.text() : "";
}

std::span<const SceneKey> scene_keys() {
  return keys;
}

void validate_scene_keys(const TomlValue& document) {
  validate_section(document, "", "");
}

void apply_overrides(const std::vector<std::string>& overrides, TomlValue& document) {
  for (const std::string& text : overrides) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError(fmt::format(
          "--set {}: write it as path=value, e.g. simulation.dt=0.002 or body.block.mass=0.1",
          on_one_line(text)));
    }
    std::string path = text.substr(0, equals);
    while (path.ends_with(' ')) path.pop_back();
    const std::string where = fmt::format("--set {}", on_one_line(text));

    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= path.size();) {
      const std::size_t dot = std::min(path.find('.', at), path.size());
      parts.push_back(path.substr(at, dot - at));
      at = dot + 1;
    }
    Place place{&document, ""};
    while (place.depth + 1 < parts.size()) place = descend(place, parts, where);
    if (place.depth == parts.size()) {
      throw InputError(fmt::format("{}: names a whole section; add the key, as in {}.{}=...", where,
                                   path, keys_of(place.section).front()));
    }
    TomlValue value = parse_toml_value(std::string_view(text).substr(equals + 1), where);
    if (TomlValue* old = place.table->find(parts.back())) {
      *old = std::move(value);
    } else {
      place.table->entries.push_back({parts.back(), std::move(value)});
    }
  }
}

void refuse_value(const TomlValue& value, const std::string& path, const std::string& problem) {
  throw InputError(fmt::format("{}: {} = {}: {}", value.where, path, value.shown(), problem));
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  std::string best;
  // a third of the letters may be wrong
  std::size_t least = name.size() / 3 + 2;
  for (const std::string& candidate : known) {
    // edit distance, a row at a time
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({row[j + 1] + 1, row[j] + 1, replaced});
      }
    }
    if (row.back() < least) {
      least = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace stickslip
