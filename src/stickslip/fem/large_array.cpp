#include "stickslip/fem/large_array.hpp"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace stickslip {

LargeArray::LargeArray(std::size_t bytes, Pages pages) : size_(bytes) {
  if (bytes == 0) return;
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // advice only: ordinary pages do as well
  if (pages == Pages::huge) ::madvise(memory, bytes, MADV_HUGEPAGE);
  data_ = static_cast<std::byte*>(memory);
}

LargeArray::~LargeArray() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

LargeArray::LargeArray(LargeArray&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

LargeArray& LargeArray::operator=(LargeArray&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace stickslip
