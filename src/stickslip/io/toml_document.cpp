#include "stickslip/io/toml_document.hpp"

#include <fmt/core.h>

// the parser asserts what some malformed keys violate, and goes on to refuse them; where NDEBUG is
// defined it lets the compiler rely on it
#undef NDEBUG
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <utility>

#include "stickslip/error.hpp"
#include "stickslip/mesh/file_cursor.hpp"

namespace stickslip {

namespace {

/// Copies a value with the line it stands in; `fixed_where` overrides that unless it is empty.
TomlValue copy(const toml::node& node, const std::string& file, const std::string& fixed_where) {
  TomlValue value;
  value.where =
      fixed_where.empty() ? fmt::format("{}:{}", file, node.source().begin.line) : fixed_where;
  if (const auto* table = node.as_table()) {
    value.kind = TomlKind::table;
    for (const auto& [key, entry] : *table) {
      TomlValue inner = copy(entry, file, fixed_where);
      // a header stands where its name is
      if (fixed_where.empty() && entry.is_table()) {
        inner.where = fmt::format("{}:{}", file, key.source().begin.line);
      }
      value.entries.push_back({std::string(key.str()), std::move(inner)});
    }
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlKind::array;
    for (const auto& item : *array) value.items.push_back(copy(item, file, fixed_where));
  } else if (const auto* text = node.as_string()) {
    value.kind = TomlKind::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlKind::integer;
    value.integer = integer->get();
    value.real = static_cast<double>(value.integer);
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = TomlKind::real;
    value.real = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = TomlKind::boolean;
    value.boolean = boolean->get();
  } else {
    value.kind = TomlKind::date;
  }
  return value;
}

/// What `parse` reads, or an InputError that names the line.
template <class Parse>
TomlValue with_lines(const std::string& file, const Parse& parse) {
  try {
    return copy(parse(), file, "");
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: not TOML: {}; correct the line", file,
                                 error.source().begin.line, on_one_line(error.description())));
  }
}

bool is_bare_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./").find(c) != std::string_view::npos;
  });
}

}  // namespace

const TomlValue* TomlValue::find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const TomlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

TomlValue* TomlValue::find(std::string_view key) {
  return const_cast<TomlValue*>(std::as_const(*this).find(key));
}

std::string TomlValue::shown() const {
  switch (kind) {
    case TomlKind::boolean:
      return boolean ? "true" : "false";
    case TomlKind::integer:
      return fmt::format("{}", integer);
    case TomlKind::real:
      return fmt::format("{}", real);
    case TomlKind::text:
      return fmt::format("\"{}\"", printable(text));
    case TomlKind::array: {
      std::string list;
      for (std::size_t i = 0; i < items.size() && i < 7; ++i) {
        list += (i > 0 ? ", " : "") + (i < 6 ? items[i].shown() : std::string("..."));
      }
      return "[" + list + "]";
    }
    case TomlKind::table:
      return "{...}";
    case TomlKind::date:
      break;
  }
  return "a date";
}

TomlValue read_toml(const std::filesystem::path& path) {
  require_file(path, "a scene");
  return with_lines(path.string(), [&] { return toml::parse_file(path.string()); });
}

TomlValue parse_toml(std::string_view text, const std::string& name) {
  return with_lines(name, [&] { return toml::parse(text, name); });
}

TomlValue parse_toml_value(std::string_view text, const std::string& where) {
  try {
    const toml::table table = toml::parse(fmt::format("value = {}", text));
    if (table.size() == 1) return copy(*table.get("value"), "", where);
  } catch (const toml::parse_error&) {
    if (is_bare_word(text)) {
      TomlValue value;
      value.kind = TomlKind::text;
      value.text = text;
      value.where = where;
      return value;
    }
  }
  throw InputError(
      fmt::format("{}: '{}' is no TOML value; write a number, true, [1, 2, 3] or '\"text\"'", where,
                  printable(text)));
}

std::string on_one_line(std::string_view text) {
  std::string line(text);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
  return line;
}

}  // namespace stickslip
