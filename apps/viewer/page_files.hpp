#pragma once

#include <span>
#include <string_view>

namespace stickslip::viewer {

/// A file of the page, as it was built into the program.
struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view contents;
};
std::span<const PageFile> page_files();

/// By the ending of a name.
std::string_view content_type(std::string_view name);

}  // namespace stickslip::viewer
