#include "stickslip/io/recording_layout.hpp"

#include <algorithm>

namespace stickslip {

namespace {

// a piece of the file that is not full is written again with every flush, and one that is packed
// to another place: small enough not to be written often, large enough to pack
int frames_at_once(int bodies) {
  return std::clamp(2048 / (7 * bodies), 16, 128);
}

}  // namespace

std::array<SeriesLayout, series_count> recording_layout(int bodies, int drives, int hands) {
  using enum Stored;
  constexpr int many = 1024;
  constexpr bool packed = true;
  return {{
      {"/steps/step", uint64},
      {"/steps/time_s"},
      {"/steps/hash", uint64},
      {"/steps/contact_end", uint64},
      {"/steps/refusal_end", uint64},
      {"/steps/iterations", uint32},
      {"/steps/error", float32},
      {"/steps/penetration_m", float32},
      {"/steps/energy_J", float64, {3}, 512},
      {"/steps/flags", uint8},
      {"/steps/total_us", float32},
      {"/steps/inputs", float64, {drives, 6}, 256},
      {"/steps/hand_inputs", float64, {hands, numbers_per_hand}, 256},
      {"/steps/frames", float64, {bodies, 7}, frames_at_once(bodies), packed},
      {"/contacts/bodies", uint32, {2}, many, packed},
      {"/contacts/P_m", float32, {3}, many, packed},
      {"/contacts/Q_m", float32, {3}, many, packed},
      {"/contacts/normal", float32, {3}, many, packed},
      {"/contacts/gap_m", float32, {}, many, packed},
      {"/contacts/force_N", float32, {3}, many, packed},
      {"/contacts/sticks", uint8, {}, many, packed},
      {"/clock/refused", uint32},
      {"/states/step", uint64, {}, 128},
      {"/states/end", uint64, {}, 128},
      {"/states/numbers", float64, {}, 4 * many, packed},
  }};
}

}  // namespace stickslip
