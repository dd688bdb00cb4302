#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stickslip {

/// Reads a mesh file from its beginning to its end, as words or as raw bytes. Whatever is
/// missing or malformed is refused with an InputError that names the file and the line.
class FileCursor {
 public:
  /// Loads the file. Refuses what is missing, a directory, empty, compressed or a web page;
  /// `kind` is what the user meant to give, as in "a gmsh mesh".
  FileCursor(std::filesystem::path path, std::string_view kind);

  const std::filesystem::path& path() const { return path_; }
  std::string_view contents() const { return contents_; }
  std::size_t remaining() const { return contents_.size() - position_; }
  void jump_to(std::size_t position) { position_ = read_from_ = position; }

  /// From here on numbers are raw bytes; `swapped` when the file has the other byte order.
  void set_binary(bool swapped);
  void set_text() { binary_ = false; }

  /// The rest of the line, without its end; false at the end of the file.
  bool next_line(std::string_view& line);

  /// The next word between blanks; empty at the end of the file.
  std::string_view next_word();

  /// Moves behind the next occurrence of `text`; false, and stays, where there is none.
  bool skip_past(std::string_view text);

  /// Numbers, written as words or raw. `what` names the value for the message.
  int integer(std::string_view what);               ///< raw: 4 bytes
  std::int64_t big_integer(std::string_view what);  ///< raw: 8 bytes
  double real(std::string_view what);               ///< raw: 8 bytes; may be infinite or NaN
  float short_real(std::string_view what);          ///< raw: 4 bytes

  /// How many things follow, each of at least `numbers_each` numbers: refused when the rest
  /// of the file is too short for them.
  int count(std::string_view what, std::size_t numbers_each);
  /// The same for a count that was read already.
  int checked_count(std::int64_t count, std::string_view what, std::size_t numbers_each) const;

  /// Throws "path:line: problem; remedy", the line of what was read last; raw files have none.
  [[noreturn]] void fail(std::string_view problem, std::string_view remedy) const;
  [[noreturn]] void fail_truncated(std::string_view what) const;

 private:
  void raw_bytes(void* target, std::size_t size, std::string_view what);

  std::filesystem::path path_;
  std::string contents_;
  std::size_t position_ = 0;
  std::size_t read_from_ = 0;  ///< where what was read last begins
  bool binary_ = false;
  bool swapped_ = false;
};

/// Refuses a path where there is nothing, or a directory.
void require_file(const std::filesystem::path& path, std::string_view kind);

/// A piece of a file as an error message may show it: short, on one line, printable.
std::string printable(std::string_view text);

/// The whole text is a number of either kind; locale plays no part.
bool parse_real(std::string_view text, double& value);
bool parse_integer(std::string_view text, std::int64_t& value);

/// The extension in lower case, with its dot.
std::string extension_of(const std::filesystem::path& path);

}  // namespace stickslip
