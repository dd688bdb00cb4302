#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/viewer/viewing.hpp"

namespace stickslip::cli {

struct ViewerOptions {
  viewer::ViewingOptions viewing;
  std::string address;
  std::optional<std::uint16_t> port;
  bool opens_browser = false;
};

/// Serves a scene to the browser until the program is told to end. The address is the first line
/// of standard output. Throws InputError.
void run_viewer(const ViewerOptions& options);

}  // namespace stickslip::cli
