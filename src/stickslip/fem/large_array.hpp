#pragma once

#include <cstddef>
#include <span>

namespace stickslip {

/// Huge pages are filled faster, but where memory is fragmented the system may take seconds to
/// find some: for arrays of up to some hundred megabytes.
enum class Pages { ordinary, huge };

/// Raw zeroed memory for large tables.
class LargeArray {
 public:
  LargeArray() = default;
  /// Throws std::bad_alloc.
  explicit LargeArray(std::size_t bytes, Pages pages = Pages::ordinary);
  ~LargeArray();
  LargeArray(LargeArray&& other) noexcept;
  LargeArray& operator=(LargeArray&& other) noexcept;
  LargeArray(const LargeArray&) = delete;
  LargeArray& operator=(const LargeArray&) = delete;

  std::span<std::byte> bytes() { return {data_, size_}; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace stickslip
