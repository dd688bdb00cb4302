#include "tests/support/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "tests/support/sanitizer.hpp"

namespace {
std::atomic<std::size_t> count{0};
std::atomic<std::size_t> bytes_asked{0};
}  // namespace

#if STICKSLIP_COUNTS
namespace {
void note(std::size_t bytes) {
  ++count;
  bytes_asked += bytes;
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT

void* malloc(std::size_t bytes) noexcept {
  note(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t items, std::size_t bytes) noexcept {
  note(items * bytes);
  return __libc_calloc(items, bytes);
}
void* realloc(void* old, std::size_t bytes) noexcept {
  note(bytes);
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  note(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) noexcept {
  note(bytes);
  *result = __libc_memalign(alignment, bytes);
  return *result == nullptr ? ENOMEM : 0;
}
}
#endif

namespace stickslip::testing_support {

std::size_t allocation_count() {
  return count;
}

std::size_t allocated_bytes() {
  return bytes_asked;
}

bool counts_allocations() {
  return STICKSLIP_COUNTS != 0;
}

}  // namespace stickslip::testing_support
