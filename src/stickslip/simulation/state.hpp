#pragma once

#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/haptics/hand.hpp"

namespace stickslip {

/// What is needed to go on from here, and nothing else.
struct State {
  double time_s = 0.0;
  std::vector<BodyState> bodies;
  ContactMemory contacts;
  std::vector<HandState> hands;
};

}  // namespace stickslip
