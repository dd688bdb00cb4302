#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip::viewer {

/// By which names the server may be asked, and from which pages.
class AllowedHosts {
 public:
  /// An address, or nothing: this machine's own names for itself.
  AllowedHosts(const std::string& address, std::uint16_t port);

  /// The whole of a Host field: one of the names and the port.
  bool allows_host(std::string_view field) const;
  /// The whole of an Origin field: that of a page that this server gave.
  bool allows_origin(std::string_view field) const;

 private:
  std::vector<std::string> hosts_;
};

/// What a request asks for.
struct Target {
  std::string path;   ///< as it was written, "/" at least
  std::string token;  ///< of the query, or empty
};

/// Nothing where it is no path on this server: nothing is decoded, so that a path has one spelling.
std::optional<Target> parse_target(std::string_view text);

/// 128 bits of the system's randomness, in hexadecimal digits.
std::string make_token();

/// 16 to 64 letters and digits.
bool is_good_token(std::string_view token);

/// Takes as long wherever they differ.
bool is_same_token(std::string_view given, std::string_view expected);

}  // namespace stickslip::viewer
