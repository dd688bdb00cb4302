#pragma once

#include <cstddef>

namespace stickslip::testing_support {

/// How often the calling thread has asked for a mutex, a read-write or spin lock or a semaphore
/// since it started, in our code and in libraries; what the C library does inside itself is not
/// seen.
std::size_t lock_count();

/// False where a sanitizer has those functions for itself.
bool counts_locks();

}  // namespace stickslip::testing_support
