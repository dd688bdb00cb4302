#pragma once

#include <fmt/core.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace stickslip::testing_support {

// Archives of NumPy byte by byte, sound and otherwise.

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  std::string text(sizeof(Number) * numbers.size(), '\0');
  std::memcpy(text.data(), numbers.data(), text.size());
  return text;
}

/// A .npy file, its header padded as NumPy does.
inline std::string npy(const std::string& type, const std::string& shape,
                       const std::string& numbers, bool is_fortran = false, int version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                                   is_fortran ? "True" : "False", shape);
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  return std::string("\x93NUMPY", 6) + little(static_cast<std::uint64_t>(version), 1) + '\0' +
         little(header.size(), version == 1 ? 2 : 4) + header + numbers;
}

inline std::string deflate_raw(const std::string& text) {
  std::string packed(text.size() + 100, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

struct File {
  std::string name;
  std::string contents;
};

enum class Packing { stored, deflated, large };

/// An archive as zipfile writes it for NumPy; `large` says every size in its 64-bit form.
inline std::string zip(const std::vector<File>& files, Packing packing) {
  const bool is_large = packing == Packing::large;
  std::string archive;
  std::string directory;
  for (const File& file : files) {
    const std::string packed =
        packing == Packing::deflated ? deflate_raw(file.contents) : file.contents;
    const std::string method = little(packing == Packing::deflated ? 8 : 0, 2);
    const auto* bytes = reinterpret_cast<const Bytef*>(file.contents.data());
    const std::string checksum = little(crc32_z(0, bytes, file.contents.size()), 4);
    const std::string unknown = little(0xffffffff, 4);
    const std::string sizes = little(packed.size(), 4) + little(file.contents.size(), 4);
    // NumPy always adds the 64-bit sizes to the local header
    const std::string local_extra =
        little(1, 2) + little(16, 2) + little(file.contents.size(), 8) + little(packed.size(), 8);
    const std::string extra = is_large ? little(0x5455, 2) + little(1, 2) + "x" + little(1, 2) +
                                             little(24, 2) + little(file.contents.size(), 8) +
                                             little(packed.size(), 8) + little(archive.size(), 8)
                                       : "";
    directory += little(0x02014b50, 4) + little(45, 2) + little(45, 2) + little(0, 2) + method +
                 little(0, 4) + checksum + (is_large ? unknown + unknown : sizes) +
                 little(file.name.size(), 2) + little(extra.size(), 2) + little(0, 8) +
                 little(0, 2) + (is_large ? unknown : little(archive.size(), 4)) + file.name +
                 extra;
    archive += little(0x04034b50, 4) + little(45, 2) + little(0, 2) + method + little(0, 4) +
               checksum + unknown + unknown + little(file.name.size(), 2) +
               little(local_extra.size(), 2) + file.name + local_extra + packed;
  }
  const std::uint64_t start = archive.size();
  archive += directory;
  if (is_large) {
    const std::uint64_t end_64 = archive.size();
    archive += little(0x06064b50, 4) + little(44, 8) + little(45, 2) + little(45, 2) +
               little(0, 8) + little(files.size(), 8) + little(files.size(), 8) +
               little(directory.size(), 8) + little(start, 8);
    archive += little(0x07064b50, 4) + little(0, 4) + little(end_64, 8) + little(1, 4);
  }
  return archive + little(0x06054b50, 4) + little(0, 4) +
         little(is_large ? 0xffff : files.size(), 2) + little(is_large ? 0xffff : files.size(), 2) +
         little(directory.size(), 4) + little(is_large ? 0xffffffff : start, 4) + little(7, 2) +
         "comment";
}

}  // namespace stickslip::testing_support
