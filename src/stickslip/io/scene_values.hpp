#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stickslip/io/scene_description.hpp"
#include "stickslip/io/toml_document.hpp"

namespace stickslip {

// Values of a scene file: of the right type, since validate_scene_keys has seen them.

/// Into `target`, which stays as it is where the key is absent.
void read(const TomlValue& table, std::string_view key, double& target);
void read(const TomlValue& table, std::string_view key, std::optional<double>& target);
void read(const TomlValue& table, std::string_view key, int& target);
void read(const TomlValue& table, std::string_view key, bool& target);
void read(const TomlValue& table, std::string_view key, std::string& target);
void read(const TomlValue& table, std::string_view key, Vec3& target);
void read(const TomlValue& table, std::string_view key, std::optional<Vec3>& target);
void read(const TomlValue& table, std::string_view key, std::vector<std::string>& target);

/// Up to six numbers from a place of a list on; those that are absent are zero.
Vec6 six_numbers(const TomlValue& list, std::size_t first = 0);

/// The tables of a list; none where the key is absent.
const std::vector<TomlValue>& list_of(const TomlValue& table, std::string_view key);

Places places_of(const TomlValue& table);

[[noreturn]] void refuse(const std::string& where, const std::string& problem);

std::string with_suggestion(std::string_view name, const std::vector<std::string>& known);

/// Refuses keys that mean nothing here.
void refuse_keys(const TomlValue& table, const std::string& path,
                 std::initializer_list<std::string_view> keys, std::string_view why);

/// Rows of a time and up to six numbers, the times ascending.
TimeTable read_rows(const TomlValue& table, const std::string& path);

}  // namespace stickslip
