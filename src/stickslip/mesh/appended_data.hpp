#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace stickslip {

// What files of VTK share.

/// Values that stand as raw bytes behind the XML, each array after its own size.
class AppendedData {
 public:
  /// The XML element of an array that begins here; its values follow through add().
  std::string begin(std::string_view type, std::string_view name, int components) {
    close();
    open_ = bytes_.size();
    std::string xml = fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
        "format=\"appended\" offset=\"{}\"/>\n",
        type, name, components, bytes_.size());
    bytes_.append(sizeof(std::uint64_t), '\0');
    return xml;
  }

  void add(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  /// The end of the file, once everything was added.
  std::string text() {
    close();
    return "<AppendedData encoding=\"raw\">\n_" + bytes_ + "\n</AppendedData>\n</VTKFile>\n";
  }

 private:
  /// Fills in the size of the array that was begun last.
  void close() {
    if (bytes_.empty()) return;
    const std::uint64_t size = bytes_.size() - open_ - sizeof(std::uint64_t);
    bytes_.replace(open_, sizeof size, reinterpret_cast<const char*>(&size), sizeof size);
  }

  std::string bytes_;
  std::size_t open_ = 0;
};

inline std::string xml_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace stickslip
