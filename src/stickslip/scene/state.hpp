#pragma once

#include <cstdint>
#include <vector>

#include "stickslip/body/body.hpp"
#include "stickslip/contact/contact_memory.hpp"
#include "stickslip/haptics/models/hand.hpp"

namespace stickslip {

/// What is needed to go on from here, and nothing else.
struct State {
  double time_s = 0.0;
  std::vector<BodyState> bodies;
  std::vector<VecX> load_displacements;  ///< of each body that deforms, for the book of energy
  ContactMemory contacts;
  std::vector<Vec6> inputs;                     ///< what each drive was told last
  std::vector<std::uint64_t> proximity_memory;  ///< of the method that finds contacts
  std::vector<HandState> hands;
};

}  // namespace stickslip
