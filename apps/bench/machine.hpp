#pragma once

#include "apps/bench/figures.hpp"

namespace stickslip::bench {

Machine this_machine();

}  // namespace stickslip::bench
