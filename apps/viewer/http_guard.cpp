#include "apps/viewer/http_guard.hpp"

#include <fmt/core.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace stickslip::viewer {

namespace {

constexpr std::size_t longest_target = 512;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_path_character(char c) {
  return is_alphanumeric(c) || c == '/' || c == '.' || c == '-' || c == '_';
}

}  // namespace

AllowedHosts::AllowedHosts(const std::string& address, std::uint16_t port) {
  std::vector<std::string> names = {"127.0.0.1", "[::1]", "localhost"};
  if (!address.empty()) {
    names = {address.find(':') == std::string::npos ? address : "[" + address + "]"};
  }
  for (const std::string& name : names) hosts_.push_back(fmt::format("{}:{}", name, port));
}

bool AllowedHosts::allows_host(std::string_view field) const {
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [&](const std::string& host) { return is_same_name(host, field); });
}

bool AllowedHosts::allows_origin(std::string_view field) const {
  constexpr std::string_view scheme = "http://";
  return field.starts_with(scheme) && allows_host(field.substr(scheme.size()));
}

std::optional<Target> parse_target(std::string_view text) {
  if (text.size() > longest_target || !text.starts_with('/')) return std::nullopt;
  const std::size_t question = std::min(text.find('?'), text.size());
  Target target;
  target.path = text.substr(0, question);
  if (!std::all_of(target.path.begin(), target.path.end(), is_path_character) ||
      target.path.find("..") != std::string::npos || target.path.find("//") != std::string::npos) {
    return std::nullopt;
  }
  std::string_view query = question < text.size() ? text.substr(question + 1) : "";
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    constexpr std::string_view key = "token=";
    if (query.substr(0, end).starts_with(key)) {
      target.token = query.substr(key.size(), end - key.size());
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return target;
}

std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the system gives no random numbers for the viewer's token");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool is_good_token(std::string_view token) {
  return token.size() >= 16 && token.size() <= 64 &&
         std::all_of(token.begin(), token.end(), is_alphanumeric);
}

bool is_same_token(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const char c = given.empty() ? '\0' : given[i % given.size()];
    difference |= static_cast<unsigned char>(c) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

}  // namespace stickslip::viewer
