#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/io/toml_document.hpp"

namespace stickslip {

enum class KeyType : std::uint8_t {
  number,
  integer,
  flag,
  text,
  name,     ///< letters, digits, _ and -
  names,    ///< a list of strings
  pair,     ///< two names
  pairs,    ///< a list of such
  vector,   ///< three numbers
  size,     ///< two or three numbers
  counts,   ///< three integers
  values,   ///< three or six numbers
  rows,     ///< lists of a time and three or six numbers
  table,    ///< a section within the section
  tables,   ///< a list of such
  by_name,  ///< a table of sections with names of the user's choice
};

/// Which numbers a key takes. Never NaN.
struct KeyRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool is_low_allowed = true;
  bool is_high_allowed = true;

  bool contains(double value) const;
  /// "above 0", "from 1 to 100", "finite".
  std::string text() const;
};

/// One key that a scene file may have.
struct SceneKey {
  std::string_view section;  ///< "simulation", "body", "body.region"; "" for the file itself
  std::string_view key;
  KeyType type;
  std::string_view unit;     ///< "m/s", or empty
  KeyRange range;            ///< of each number
  std::string_view words;    ///< what a text may be, separated by blanks; empty: anything
  std::string_view example;  ///< "e.g. 0.001" of a message
  bool is_required = false;

  /// As the tables of docs/scene_format.md say it.
  std::string_view type_text() const;
  std::string range_text() const;
};

/// Every key there is.
std::span<const SceneKey> scene_keys();
/// The one of that name, or null.
const SceneKey* find_scene_key(std::string_view section, std::string_view key);
/// The names of those of a section.
std::vector<std::string> scene_keys_of(std::string_view section);
/// What stands between blanks.
std::vector<std::string> words_in(std::string_view list);
/// "body", "mass": "body.mass".
std::string joined_key(const std::string& path, std::string_view key);

/// Throws InputError for the first key that is unknown (with the nearest that is not), of the
/// wrong type, out of its range or missing.
void validate_scene_keys(const TomlValue& document);

/// Puts the values of `path=value` into the document; parts of a path are joined by dots, and an
/// element of a list goes by its name or its number, from 1 on. Throws InputError where the path
/// leads nowhere.
void apply_overrides(const std::vector<std::string>& overrides, TomlValue& document);

/// Throws "where: path = value: problem; remedy".
[[noreturn]] void refuse_value(const TomlValue& value, const std::string& path,
                               const std::string& problem);

/// The name most like the given one, or empty where none is.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

}  // namespace stickslip
