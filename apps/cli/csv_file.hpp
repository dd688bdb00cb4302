#pragma once

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

namespace stickslip::cli {

/// A table that grows line by line. Whole lines go to the file, twice a second, so that a reader,
/// or whoever comes after a crash, finds no piece of one.
class CsvFile {
 public:
  /// `option` names the origin of the path in the InputError that an unwritable one causes.
  CsvFile(const std::string& option, const std::string& path, const std::string& header);

  /// Throws std::runtime_error when the disk takes no more.
  void add_line(const std::string& line);
  void close();

 private:
  void flush();

  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::string pending_;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace stickslip::cli
