#pragma once

#include <cstdint>

namespace stickslip {

/// Deflate packs no tighter than this: what claims to is damaged or hostile.
inline constexpr std::uint64_t tightest_packing = 1040;

}  // namespace stickslip
