// Values of `--set`, put into the document of a scene.

#include "stickslip/io/scene_keys.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

using enum KeyType;

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
  const SceneKey* key = find_scene_key(from.section, part);
  const bool is_section = key != nullptr && (key->type == KeyType::table || key->type == tables ||
                                             key->type == by_name);
  if (!is_section) {
    const std::vector<std::string> all = scene_keys_of(from.section);
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
  const std::string section = joined_key(from.section, part);
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
                                   path, scene_keys_of(place.section).front()));
    }
    TomlValue value = parse_toml_value(std::string_view(text).substr(equals + 1), where);
    if (TomlValue* old = place.table->find(parts.back())) {
      *old = std::move(value);
    } else {
      place.table->entries.push_back({parts.back(), std::move(value)});
    }
  }
}

}  // namespace stickslip
