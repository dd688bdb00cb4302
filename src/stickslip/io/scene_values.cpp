#include "stickslip/io/scene_values.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "stickslip/error.hpp"
#include "stickslip/io/scene_keys.hpp"

namespace stickslip {

void read(const TomlValue& table, std::string_view key, double& target) {
  if (const TomlValue* value = table.find(key)) target = value->real;
}

void read(const TomlValue& table, std::string_view key, std::optional<double>& target) {
  if (const TomlValue* value = table.find(key)) target = value->real;
}

void read(const TomlValue& table, std::string_view key, int& target) {
  if (const TomlValue* value = table.find(key)) target = static_cast<int>(value->integer);
}

void read(const TomlValue& table, std::string_view key, bool& target) {
  if (const TomlValue* value = table.find(key)) target = value->boolean;
}

void read(const TomlValue& table, std::string_view key, std::string& target) {
  if (const TomlValue* value = table.find(key)) target = value->text;
}

void read(const TomlValue& table, std::string_view key, Vec3& target) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return;
  for (int d = 0; d < 3; ++d) target[d] = value->items[uz(d)].real;
}

void read(const TomlValue& table, std::string_view key, std::optional<Vec3>& target) {
  if (table.find(key) != nullptr) read(table, key, target.emplace());
}

void read(const TomlValue& table, std::string_view key, std::vector<std::string>& target) {
  const TomlValue* value = table.find(key);
  if (value == nullptr) return;
  target.clear();
  for (const TomlValue& item : value->items) target.push_back(item.text);
}

Vec6 six_numbers(const TomlValue& list, std::size_t first) {
  Vec6 value = Vec6::Zero();
  for (std::size_t i = first; i < list.items.size(); ++i) {
    value[static_cast<int>(i - first)] = list.items[i].real;
  }
  return value;
}

const std::vector<TomlValue>& list_of(const TomlValue& table, std::string_view key) {
  static const std::vector<TomlValue> none;
  const TomlValue* value = table.find(key);
  return value == nullptr ? none : value->items;
}

Places places_of(const TomlValue& table) {
  Places places{table.where, {}};
  for (const auto& [key, value] : table.entries) places.keys[key] = value.where;
  return places;
}

void refuse(const std::string& where, const std::string& problem) {
  throw InputError(fmt::format("{}: {}", where, problem));
}

std::string with_suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  const std::string all =
      known.empty() ? "there are none" : fmt::format("there are: {}", fmt::join(known, ", "));
  return near.empty() ? all : fmt::format("did you mean \"{}\"? {}", near, all);
}

void refuse_keys(const TomlValue& table, const std::string& path,
                 std::initializer_list<std::string_view> keys, std::string_view why) {
  for (const std::string_view key : keys) {
    if (const TomlValue* value = table.find(key)) {
      refuse_value(*value, fmt::format("{}.{}", path, key), fmt::format("{}; remove it", why));
    }
  }
}

TimeTable read_rows(const TomlValue& table, const std::string& path) {
  std::vector<TimeTable::Row> rows;
  for (const TomlValue& row : table.items) {
    const double time_s = row.items[0].real;
    if (!rows.empty() && time_s <= rows.back().time_s) {
      refuse_value(row, path,
                   fmt::format("time {} does not come after {}; let times ascend", time_s,
                               rows.back().time_s));
    }
    rows.push_back({time_s, six_numbers(row, 1)});
  }
  return TimeTable(std::move(rows));
}

}  // namespace stickslip
