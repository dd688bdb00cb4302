#include "stickslip/mesh/file_cursor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

std::string load(const std::filesystem::path& path, std::string_view kind) {
  require_file(path, kind);
  const std::string name = path.string();
  std::ifstream stream(path, std::ios::binary);
  std::string contents{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) {
    throw InputError(fmt::format("{}: cannot be read; check its permissions", name));
  }
  if (contents.find_first_not_of(blanks) == std::string::npos) {
    throw InputError(fmt::format("{}: is empty; write or copy {} file again", name, kind));
  }
  return contents;
}

bool begins_with_ignoring_case(std::string_view text, std::string_view start) {
  return text.size() >= start.size() &&
         std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

}  // namespace

void require_file(const std::filesystem::path& path, std::string_view kind) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    throw InputError(fmt::format("{}: no such file; check the path", path.string()));
  }
  if (std::filesystem::is_directory(status)) {
    throw InputError(fmt::format("{}: is a directory; give {} file", path.string(), kind));
  }
}

FileCursor::FileCursor(std::filesystem::path path, std::string_view kind)
    : path_(std::move(path)), contents_(load(path_, kind)) {
  // the foreign files that people meet most often
  const std::string_view start =
      std::string_view(contents_).substr(contents_.find_first_not_of(blanks));
  const auto refuse = [&](std::string_view found, std::string_view remedy) {
    throw InputError(fmt::format("{}:1: is {}, not {}; {}", path_.string(), found, kind, remedy));
  };
  if (begins_with_ignoring_case(start, "<!doctype html") ||
      begins_with_ignoring_case(start, "<html")) {
    refuse("an HTML page", "download the file itself");
  }
  if (start.starts_with("\x1f\x8b")) refuse("compressed by gzip", "unpack it with gunzip first");
  if (start.starts_with("PK\x03\x04")) refuse("a zip archive", "unpack it with unzip first");
  if (start.starts_with("version https://git-lfs")) {
    refuse("a Git LFS pointer", "fetch the file with git lfs pull");
  }
}

void FileCursor::set_binary(bool swapped) {
  binary_ = true;
  swapped_ = swapped;
}

bool FileCursor::next_line(std::string_view& line) {
  if (position_ >= contents_.size()) return false;
  read_from_ = position_;
  std::size_t end = contents_.find('\n', position_);
  if (end == std::string::npos) end = contents_.size();
  line = std::string_view(contents_).substr(position_, end - position_);
  if (line.ends_with('\r')) line.remove_suffix(1);
  position_ = std::min(end + 1, contents_.size());
  return true;
}

std::string_view FileCursor::next_word() {
  const std::size_t begin = contents_.find_first_not_of(blanks, position_);
  if (begin == std::string::npos) {
    position_ = read_from_ = contents_.size();
    return {};
  }
  read_from_ = begin;
  position_ = std::min(contents_.find_first_of(blanks, begin), contents_.size());
  return std::string_view(contents_).substr(begin, position_ - begin);
}

bool FileCursor::skip_past(std::string_view text) {
  const std::size_t found = contents_.find(text, position_);
  if (found == std::string::npos) return false;
  read_from_ = found;
  position_ = found + text.size();
  return true;
}

void FileCursor::raw_bytes(void* target, std::size_t size, std::string_view what) {
  if (remaining() < size) fail_truncated(what);
  std::memcpy(target, contents_.data() + position_, size);
  if (swapped_) {
    auto* bytes = static_cast<unsigned char*>(target);
    std::reverse(bytes, bytes + size);
  }
  position_ += size;
}

int FileCursor::integer(std::string_view what) {
  if (binary_) {
    std::int32_t value = 0;
    raw_bytes(&value, sizeof value, what);
    return value;
  }
  const std::int64_t value = big_integer(what);
  if (value < std::numeric_limits<int>::min() || value > std::numeric_limits<int>::max()) {
    fail(fmt::format("{} is {}, more than 32 bits hold", what, value), "write the file again");
  }
  return static_cast<int>(value);
}

std::int64_t FileCursor::big_integer(std::string_view what) {
  std::int64_t value = 0;
  if (binary_) {
    raw_bytes(&value, sizeof value, what);
    return value;
  }
  const std::string_view word = next_word();
  if (word.empty()) fail_truncated(what);
  if (!parse_integer(word, value)) {
    fail(fmt::format("{} is '{}', not a whole number", what, printable(word)),
         "write the file again");
  }
  return value;
}

double FileCursor::real(std::string_view what) {
  double value = 0.0;
  if (binary_) {
    raw_bytes(&value, sizeof value, what);
    return value;
  }
  const std::string_view word = next_word();
  if (word.empty()) fail_truncated(what);
  if (!parse_real(word, value)) {
    fail(fmt::format("{} is '{}', not a number", what, printable(word)), "write the file again");
  }
  return value;
}

float FileCursor::short_real(std::string_view what) {
  if (!binary_) return static_cast<float>(real(what));
  float value = 0.0F;
  raw_bytes(&value, sizeof value, what);
  return value;
}

int FileCursor::count(std::string_view what, std::size_t numbers_each) {
  return checked_count(big_integer(what), what, numbers_each);
}

int FileCursor::checked_count(std::int64_t count, std::string_view what,
                              std::size_t numbers_each) const {
  // a number takes a digit and a blank, or at least four raw bytes
  const std::size_t bytes_each = std::max<std::size_t>(1, numbers_each) * (binary_ ? 4 : 2);
  const std::size_t possible =
      std::min((remaining() + 1) / bytes_each, std::size_t{std::numeric_limits<int>::max()});
  if (count < 0 || static_cast<std::uint64_t>(count) > possible) {
    fail(fmt::format("{} is {}, but only {} bytes follow", what, count, remaining()),
         "the file is cut off or damaged: write or copy it again");
  }
  return static_cast<int>(count);
}

void FileCursor::fail(std::string_view problem, std::string_view remedy) const {
  std::string place;
  if (!binary_) {
    const auto end = contents_.begin() + static_cast<std::ptrdiff_t>(read_from_);
    place = fmt::format(":{}", 1 + std::count(contents_.begin(), end, '\n'));
  }
  throw InputError(fmt::format("{}{}: {}; {}", path_.string(), place, problem, remedy));
}

void FileCursor::fail_truncated(std::string_view what) const {
  fail(fmt::format("the file ends before {}", what), "it is cut off: write or copy it again");
}

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string shown;
  for (const char c : text.substr(0, longest)) {
    shown += c >= ' ' && c <= '~' ? c : '?';
  }
  return text.size() > longest ? shown + "..." : shown;
}

bool parse_real(std::string_view text, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    // too small to hold is zero; too large stays a fault
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() &&
                      text[exponent + 1] == '-';
    value = 0.0;
    return tiny && stop == end;
  }
  return error == std::errc() && stop == end && !text.empty();
}

bool parse_integer(std::string_view text, std::int64_t& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end && !text.empty();
}

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace stickslip
