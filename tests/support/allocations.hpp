#pragma once

#include <cstddef>

namespace stickslip::testing_support {

/// Calls of malloc and its kin by this program so far; 0 for ever where a sanitizer owns malloc.
std::size_t allocation_count();

/// What they have asked for, all together; what was given back meanwhile is not taken off.
std::size_t allocated_bytes();

/// Whether they are counted at all.
bool counts_allocations();

}  // namespace stickslip::testing_support
