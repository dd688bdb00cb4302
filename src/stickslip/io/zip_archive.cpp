#include "stickslip/io/zip_archive.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/io/deflate_limit.hpp"

namespace stickslip {

namespace {

// signatures and lengths of the records, without what varies
constexpr std::uint64_t local_signature = 0x04034b50;
constexpr std::uint64_t entry_signature = 0x02014b50;
constexpr std::uint64_t end_signature = 0x06054b50;
constexpr std::uint64_t end_64_locator_signature = 0x07064b50;
constexpr std::uint64_t end_64_signature = 0x06064b50;
constexpr std::uint64_t local_length = 30;
constexpr std::uint64_t entry_length = 46;
constexpr std::uint64_t end_length = 22;
constexpr std::uint64_t end_64_locator_length = 20;
constexpr std::uint64_t end_64_length = 56;
constexpr std::uint64_t longest_comment = 0xffff;

constexpr int stored = 0;
constexpr int deflated = 8;
[[noreturn]] void refuse_damaged(const std::filesystem::path& path) {
  throw InputError(path, "is a damaged or cut ZIP archive; write it again");
}

/// What deflate packed, unpacked to exactly `size` bytes; empty when it does not.
std::vector<std::uint8_t> inflate(const std::uint8_t* packed, std::uint64_t packed_size,
                                  std::uint64_t size) {
  std::vector<std::uint8_t> result(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
  // zlib counts in 32 bits: bit by bit
  constexpr std::uint64_t most = std::numeric_limits<uInt>::max();
  std::uint64_t taken = 0;
  std::uint64_t given = 0;
  int status = Z_OK;
  std::uint8_t nothing = 0;
  while (status == Z_OK) {
    const std::uint64_t offered = std::min(most, packed_size - taken);
    const std::uint64_t room = std::min(most, size - given);
    stream.next_in = const_cast<Bytef*>(packed + taken);
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = size > 0 ? result.data() + given : &nothing;
    stream.avail_out = static_cast<uInt>(room);
    status = ::inflate(&stream, Z_NO_FLUSH);
    taken += offered - stream.avail_in;
    given += room - stream.avail_out;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || given != size) return {};
  return result;
}

}  // namespace

ZipArchive::ZipArchive(const std::filesystem::path& path) : path_(path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw InputError(path, "cannot be read; does it exist, and is it a file?");
  data_.resize(size);
  file.read(reinterpret_cast<char*>(data_.data()), static_cast<std::streamsize>(size));
  if (file.gcount() != static_cast<std::streamsize>(size))
    throw InputError(path, "cannot be read whole");
  read_directory();
}

std::uint64_t ZipArchive::number(std::uint64_t at, int bytes) const {
  const auto count = static_cast<std::uint64_t>(bytes);
  if (at > data_.size() || data_.size() - at < count) refuse_damaged(path_);
  std::uint64_t value = 0;
  for (std::uint64_t i = count; i-- > 0;) value = value << 8 | data_[at + i];
  return value;
}

void ZipArchive::read_directory() {
  // the record at the end, behind which only a comment may stand
  std::uint64_t end = data_.size();
  bool is_found = false;
  if (data_.size() >= end_length) {
    const std::uint64_t last = data_.size() - end_length;
    for (std::uint64_t back = 0; back <= std::min(last, longest_comment) && !is_found; ++back) {
      end = last - back;
      is_found = number(end, 4) == end_signature && number(end + 20, 2) == back;
    }
  }
  if (!is_found) {
    const bool is_zip = data_.size() >= 4 && number(0, 4) == local_signature;
    if (is_zip) refuse_damaged(path_);
    throw InputError(path_, "is not a ZIP archive; write it with numpy.savez");
  }
  std::uint64_t count = number(end + 10, 2);
  std::uint64_t at = number(end + 16, 4);
  if (end >= end_64_locator_length &&
      number(end - end_64_locator_length, 4) == end_64_locator_signature) {
    const std::uint64_t end_64 = number(end - end_64_locator_length + 8, 8);
    if (end_64 > data_.size() - end_64_length || number(end_64, 4) != end_64_signature) {
      refuse_damaged(path_);
    }
    count = number(end_64 + 32, 8);
    at = number(end_64 + 48, 8);
  }

  for (std::uint64_t k = 0; k < count; ++k) {
    if (at > data_.size() || data_.size() - at < entry_length || number(at, 4) != entry_signature) {
      refuse_damaged(path_);
    }
    Entry entry;
    entry.is_encrypted = (number(at + 8, 2) & 1U) != 0;
    entry.method = static_cast<int>(number(at + 10, 2));
    entry.checksum = static_cast<std::uint32_t>(number(at + 16, 4));
    entry.packed_size = number(at + 20, 4);
    entry.size = number(at + 24, 4);
    const std::uint64_t name_length = number(at + 28, 2);
    const std::uint64_t extra_length = number(at + 30, 2);
    const std::uint64_t comment_length = number(at + 32, 2);
    entry.header = number(at + 42, 4);
    const std::uint64_t name = at + entry_length;
    const std::uint64_t next = name + name_length + extra_length + comment_length;
    if (next > data_.size()) refuse_damaged(path_);
    entry.name.assign(reinterpret_cast<const char*>(data_.data() + name), name_length);

    // sizes beyond 32 bits stand in an extra field, those that need it in this order
    std::uint64_t extra = name + name_length;
    const std::uint64_t extra_end = extra + extra_length;
    while (extra + 4 <= extra_end) {
      std::uint64_t value = extra + 4;
      const bool is_zip_64 = number(extra, 2) == 1;
      extra = value + number(extra + 2, 2);
      if (!is_zip_64) continue;
      for (std::uint64_t* field : {&entry.size, &entry.packed_size, &entry.header}) {
        if (*field != 0xffffffff) continue;
        if (value + 8 > std::min(extra, extra_end)) refuse_damaged(path_);
        *field = number(value, 8);
        value += 8;
      }
    }
    entries_.push_back(std::move(entry));
    at = next;
  }
}

const ZipArchive::Entry* ZipArchive::find(const std::string& name) const {
  for (const Entry& entry : entries_) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

bool ZipArchive::has(const std::string& name) const {
  return find(name) != nullptr;
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> result;
  for (const Entry& entry : entries_) result.push_back(entry.name);
  return result;
}

std::vector<std::uint8_t> ZipArchive::read(const std::string& name) const {
  const Entry* entry = find(name);
  if (entry == nullptr) throw InputError(path_, fmt::format("{} is missing", name));
  if (entry->is_encrypted)
    throw InputError(path_, fmt::format("{} is encrypted; write it plainly", name));
  if (entry->method != stored && entry->method != deflated) {
    throw InputError(
        path_, fmt::format("{} is packed by method {}; store or deflate it", name, entry->method));
  }

  // the local header says again how long name and extra field are, with other lengths
  const auto damaged = [&]() {
    throw InputError(path_, fmt::format("{} is damaged or cut; write the archive again", name));
  };
  if (entry->header > data_.size() || data_.size() - entry->header < local_length ||
      number(entry->header, 4) != local_signature) {
    damaged();
  }
  const std::uint64_t start =
      entry->header + local_length + number(entry->header + 26, 2) + number(entry->header + 28, 2);
  if (start > data_.size() || entry->packed_size > data_.size() - start) damaged();
  const std::uint8_t* packed = data_.data() + start;

  std::vector<std::uint8_t> contents;
  if (entry->method == stored) {
    if (entry->size != entry->packed_size) damaged();
    contents.assign(packed, packed + entry->size);
  } else {
    if (entry->size / tightest_packing > entry->packed_size) damaged();
    contents = inflate(packed, entry->packed_size, entry->size);
    if (contents.size() != entry->size) damaged();
  }
  if (crc32_z(0, contents.data(), contents.size()) != entry->checksum) damaged();
  return contents;
}

}  // namespace stickslip
