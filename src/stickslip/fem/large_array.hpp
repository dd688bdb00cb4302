#pragma once

#include <cstddef>
#include <span>

namespace stickslip {

/// Raw zeroed memory for tables of hundreds of megabytes, on huge pages where the system has
/// them: they load several times faster, and reads at random places miss the address cache less.
class LargeArray {
 public:
  LargeArray() = default;
  /// Throws std::bad_alloc.
  explicit LargeArray(std::size_t bytes);
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
