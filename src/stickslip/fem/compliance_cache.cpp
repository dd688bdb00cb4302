#define XXH_INLINE_ALL
#include "stickslip/fem/compliance_cache.hpp"

#include <fmt/core.h>
#include <unistd.h>
#include <xxhash.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace stickslip {

namespace {

/// At the head of each file.
struct Header {
  std::array<char, 8> magic = {'s', 't', 'i', 'c', 'k', 'C', '0', '1'};
  CacheKey key{};
  std::uint64_t bytes = 0;
  double float32_error = 0.0;
  std::uint64_t checksum = 0;

  bool operator==(const Header&) const = default;
};

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

std::filesystem::path file_of(const std::filesystem::path& folder, const CacheKey& key) {
  return folder / fmt::format("compliance-{:016x}{:016x}", key[0], key[1]);
}

}  // namespace

CacheKeyMaker::CacheKeyMaker() : state_(XXH3_createState()) {
  XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_));
}

CacheKeyMaker::~CacheKeyMaker() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}

void CacheKeyMaker::add(const void* data, std::size_t bytes) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), data, bytes);
}

CacheKey CacheKeyMaker::key() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {hash.high64, hash.low64};
}

std::filesystem::path default_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return std::filesystem::path(cache) / "stickslip";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return std::filesystem::path(home) / ".cache" / "stickslip";
  }
  return {};
}

bool load_cached(const std::filesystem::path& folder, const CacheKey& key,
                 std::span<std::byte> table, double& float32_error) {
  const File file(std::fopen(file_of(folder, key).c_str(), "rb"));
  if (!file) return false;
  Header found;
  if (std::fread(&found, sizeof found, 1, file.get()) != 1) return false;
  Header expected;
  expected.key = key;
  expected.bytes = table.size();
  expected.float32_error = found.float32_error;
  expected.checksum = found.checksum;
  if (found != expected) return false;
  if (std::fread(table.data(), 1, table.size(), file.get()) != table.size()) return false;
  if (std::fgetc(file.get()) != EOF) return false;
  if (XXH3_64bits(table.data(), table.size()) != found.checksum) return false;
  float32_error = found.float32_error;
  return true;
}

bool store_cached(const std::filesystem::path& folder, const CacheKey& key,
                  std::span<const std::byte> table, double float32_error) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path target = file_of(folder, key);
  std::filesystem::path draft = target;
  static std::atomic<int> serial{0};
  draft += fmt::format(".{}-{}.tmp", ::getpid(), serial++);
  Header header;
  header.key = key;
  header.bytes = table.size();
  header.float32_error = float32_error;
  header.checksum = XXH3_64bits(table.data(), table.size());

  File file(std::fopen(draft.c_str(), "wb"));
  if (!file) return false;
  const bool is_written = std::fwrite(&header, sizeof header, 1, file.get()) == 1 &&
                          std::fwrite(table.data(), 1, table.size(), file.get()) == table.size() &&
                          std::fflush(file.get()) == 0 && ::fsync(::fileno(file.get())) == 0;
  file.reset();
  if (is_written) std::filesystem::rename(draft, target, error);
  if (!is_written || error) {
    std::filesystem::remove(draft, error);
    return false;
  }
  return true;
}

}  // namespace stickslip
