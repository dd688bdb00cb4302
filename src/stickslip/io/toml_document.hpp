#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

enum class TomlKind : std::uint8_t { boolean, integer, real, text, array, table, date };

struct TomlEntry;

/// A value of a TOML file that knows where it stands.
struct TomlValue {
  TomlKind kind = TomlKind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0.0;  ///< integers have theirs, too
  std::string text;
  std::vector<TomlValue> items;    ///< of an array
  std::vector<TomlEntry> entries;  ///< of a table
  std::string where;               ///< "file:line", or the option it came from

  bool is_number() const { return kind == TomlKind::integer || kind == TomlKind::real; }

  /// The value of a key of a table, or null.
  const TomlValue* find(std::string_view key) const;
  TomlValue* find(std::string_view key);

  /// As a message may show it: short and on one line.
  std::string shown() const;
};

struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// Throws InputError, with the line, when the file is not there or not TOML.
TomlValue read_toml(const std::filesystem::path& path);

/// The same of a text; `name` stands for its file in messages.
TomlValue parse_toml(std::string_view text, const std::string& name);

/// A value as it may stand behind `key =`; a bare word is taken for a string. `where` becomes
/// that of the value. Throws InputError.
TomlValue parse_toml_value(std::string_view text, const std::string& where);

/// What a message may show of a text: control characters become blanks.
std::string on_one_line(std::string_view text);

}  // namespace stickslip
