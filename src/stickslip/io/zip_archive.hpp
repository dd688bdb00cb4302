#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stickslip {

/// A ZIP archive, read-only, its files stored or deflated; large ones (ZIP64) as well. Whatever is
/// wrong with it becomes one InputError.
class ZipArchive {
 public:
  /// Reads the whole archive into memory.
  explicit ZipArchive(const std::filesystem::path& path);

  bool has(const std::string& name) const;

  /// The names of the files, in the order of the directory.
  std::vector<std::string> names() const;

  /// The contents of a file that is there, unpacked, its checksum verified. A file that claims to
  /// be larger than what the archive can hold is refused before memory is taken.
  std::vector<std::uint8_t> read(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    int method = 0;
    bool is_encrypted = false;
    std::uint32_t checksum = 0;
    std::uint64_t packed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t header = 0;  ///< where its local header stands
  };

  const Entry* find(const std::string& name) const;
  std::uint64_t number(std::uint64_t at, int bytes) const;
  void read_directory();

  std::filesystem::path path_;
  std::vector<std::uint8_t> data_;
  std::vector<Entry> entries_;
};

}  // namespace stickslip
