#pragma once

#include <filesystem>
#include <string>

#include "stickslip/io/scene_description.hpp"
#include "stickslip/io/toml_document.hpp"

namespace stickslip {

/// The document as TOML; parsed again, it is equal but for the places where values stand. Keys of a
/// table come before the tables within it.
std::string to_toml(const TomlValue& document);

/// A scene as the text of a file in `folder`: relative paths of `files`, which its description
/// has, lead from there.
std::string scene_text(TomlValue document, const FilePlaces& files,
                       const std::filesystem::path& folder);

}  // namespace stickslip
