#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "apps/viewer/snapshot.hpp"
#include "apps/viewer/stage.hpp"
#include "stickslip/studies/comparison.hpp"

// Lists and parts of the messages that docs/viewer_protocol.md describes.

namespace stickslip::viewer {

/// Files with that ending in a folder, without it, in order.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view ending);

/// `scene` of `hello`.
Json about_scene(const Scene& scene, std::uint32_t number, double tick_s, bool is_recording);

/// `hands` of `hello`; without a stage nobody can take them.
Json hands_json(const Scene& scene, const Stage* stage);

/// `methods` of `comparison`.
Json to_json(const std::vector<ComparedMethod>& methods);

}  // namespace stickslip::viewer
