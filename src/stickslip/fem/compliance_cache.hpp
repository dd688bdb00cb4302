#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

namespace stickslip {

/// What a cached table depends on, by content.
using CacheKey = std::array<std::uint64_t, 2>;

/// Gathers bytes into a key.
class CacheKeyMaker {
 public:
  CacheKeyMaker();
  ~CacheKeyMaker();
  CacheKeyMaker(const CacheKeyMaker&) = delete;
  CacheKeyMaker& operator=(const CacheKeyMaker&) = delete;

  void add(const void* data, std::size_t bytes);
  CacheKey key() const;

 private:
  void* state_;
};

/// Where tables are kept unless told otherwise: $XDG_CACHE_HOME/stickslip, or
/// ~/.cache/stickslip; empty when there is no home.
std::filesystem::path default_cache_folder();

/// Reads the table of that key, and the error noted with it, into `table`. False when there is
/// none, or when the file is damaged or of another size: it is then as if it did not exist.
bool load_cached(const std::filesystem::path& folder, const CacheKey& key,
                 std::span<std::byte> table, double& float32_error);

/// Writes it atomically: other processes see the whole file or none. Failure to write is no
/// error; false then.
bool store_cached(const std::filesystem::path& folder, const CacheKey& key,
                  std::span<const std::byte> table, double float32_error);

}  // namespace stickslip
