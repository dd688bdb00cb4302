#pragma once

#include "apps/bench/figures.hpp"

namespace stickslip::bench {

Machine this_machine();

/// Memory that nobody needs. [bytes]
double available_bytes();

}  // namespace stickslip::bench
