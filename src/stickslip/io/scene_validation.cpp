// Keys and values of a scene file, held against the table of scene_keys.

#include "stickslip/io/scene_keys.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

using enum KeyType;

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
  const std::string section = joined_key(std::string(key.section), key.key);
  switch (key.type) {
    case table:
      validate_section(value, section, path);
      return;
    case tables:
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        const TomlValue* called = value.items[i].find("name");
        const bool has_name = called != nullptr && called->kind == TomlKind::text;
        validate_section(value.items[i], section,
                         joined_key(path, has_name ? called->text : std::to_string(i + 1)));
      }
      return;
    case by_name:
      for (const auto& [name, inner] : value.entries) {
        if (inner.kind != TomlKind::table) {
          refuse_value(inner, joined_key(path, name),
                       fmt::format("must be a section of its own{}", example));
        }
        validate_section(inner, section, joined_key(path, name));
      }
      return;
    case text: {
      const std::vector<std::string> words = words_in(key.words);
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
    const std::string inner_path = joined_key(path, key);
    if (const SceneKey* known = find_scene_key(section, key)) {
      validate_key(inner, *known, inner_path);
      continue;
    }
    const std::vector<std::string> all = scene_keys_of(section);
    const std::string near = nearest_name(key, all);
    throw InputError(fmt::format(
        "{}: {}: there is no such key; {}", inner.where, inner_path,
        near.empty()
            ? fmt::format("{} takes: {}", path.empty() ? "a scene" : path, fmt::join(all, ", "))
            : fmt::format("did you mean \"{}\"?", near)));
  }
  for (const SceneKey& key : scene_keys()) {
    if (key.section != section || !key.is_required || value.find(key.key) != nullptr) continue;
    throw InputError(fmt::format(
        "{}: {} lacks {}, {}; write it as {}", value.where, path.empty() ? "the scene" : path,
        key.key, key.words.empty() ? std::string(key.type_text()) : key.range_text(),
        key.type == tables ? std::string(key.example)
                           : fmt::format("{} = {}", key.key, key.example)));
  }
}

}  // namespace

std::string joined_key(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

void validate_scene_keys(const TomlValue& document) {
  validate_section(document, "", "");
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
