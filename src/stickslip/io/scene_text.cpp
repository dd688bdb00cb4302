#include "stickslip/io/scene_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace stickslip {

namespace {

bool is_bare(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

std::string quoted_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if ((c >= 0 && c < ' ') || c == '\x7f') {
      result += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string key_text(std::string_view key) {
  return is_bare(key) ? std::string(key) : quoted_text(key);
}

bool is_list_of_tables(const TomlValue& value) {
  return value.kind == TomlKind::array && !value.items.empty() &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const TomlValue& item) { return item.kind == TomlKind::table; });
}

/// As it stands behind a key.
std::string inline_text(const TomlValue& value) {
  switch (value.kind) {
    case TomlKind::boolean:
      return value.boolean ? "true" : "false";
    case TomlKind::integer:
      return fmt::format("{}", value.integer);
    case TomlKind::real: {
      // a real remains one
      std::string text = fmt::format("{}", value.real);
      return text.find_first_not_of("-0123456789") == text.npos ? text + ".0" : text;
    }
    case TomlKind::array: {
      std::string list;
      for (const TomlValue& item : value.items) {
        list += (list.empty() ? "" : ", ") + inline_text(item);
      }
      return "[" + list + "]";
    }
    case TomlKind::table: {
      std::string list;
      for (const auto& [key, entry] : value.entries) {
        list +=
            fmt::format("{}{} = {}", list.empty() ? "" : ", ", key_text(key), inline_text(entry));
      }
      return list.empty() ? "{}" : "{ " + list + " }";
    }
    case TomlKind::text:
    case TomlKind::date:
      break;
  }
  return quoted_text(value.text);
}

/// Whether a table needs a header: it has keys of its own, or nothing at all.
bool has_header(const TomlValue& table) {
  return table.entries.empty() ||
         std::any_of(table.entries.begin(), table.entries.end(), [](const TomlEntry& entry) {
           return entry.value.kind != TomlKind::table && !is_list_of_tables(entry.value);
         });
}

/// The keys of a table, then the tables within, under headers that begin with `path`.
void write_table(const TomlValue& table, const std::string& path, std::string& text) {
  for (const auto& [key, value] : table.entries) {
    if (value.kind == TomlKind::table || is_list_of_tables(value)) continue;
    text += fmt::format("{} = {}\n", key_text(key), inline_text(value));
  }
  for (const auto& [key, value] : table.entries) {
    const std::string inner = path.empty() ? key_text(key) : path + "." + key_text(key);
    if (value.kind == TomlKind::table) {
      if (has_header(value)) text += fmt::format("\n[{}]\n", inner);
      write_table(value, inner, text);
    } else if (is_list_of_tables(value)) {
      for (const TomlValue& item : value.items) {
        text += fmt::format("\n[[{}]]\n", inner);
        write_table(item, inner, text);
      }
    }
  }
}

/// Replaces the names of files under a key of the tables of a list.
void rename_files(TomlValue& document, std::string_view list, std::string_view key,
                  const FilePlaces& files, const std::filesystem::path& folder) {
  TomlValue* tables = document.find(list);
  if (tables == nullptr) return;
  for (TomlValue& table : tables->items) {
    TomlValue* value = table.find(key);
    if (value == nullptr || value->kind != TomlKind::text) continue;
    const auto file = files.find(value->text);
    if (file == files.end() || std::filesystem::path(value->text).is_absolute()) continue;
    value->text = std::filesystem::proximate(file->second, folder).string();
  }
}

}  // namespace

std::string to_toml(const TomlValue& document) {
  std::string text;
  write_table(document, "", text);
  return text;
}

std::string scene_text(TomlValue document, const FilePlaces& files,
                       const std::filesystem::path& folder) {
  rename_files(document, "body", "mesh", files, folder);
  rename_files(document, "body", "skin", files, folder);
  rename_files(document, "drive", "csv", files, folder);
  return to_toml(document);
}

}  // namespace stickslip
