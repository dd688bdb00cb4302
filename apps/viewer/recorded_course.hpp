#pragma once

#include <functional>
#include <vector>

#include "stickslip/io/recording.hpp"

namespace stickslip::viewer {

/// One moment of a recording, as the tables of frames have it: after the number of the scene.
struct CourseMoment {
  std::vector<double> step;  ///< time, then step_row_numbers
  std::vector<double> tick;  ///< time, two times of ticks (0), then tick_hand_numbers a hand
};

/// The whole of a recording in at most so many moments, in order: of each piece that in which the
/// hands, or without any the contacts, push most, so that peaks stay; work and friction are those
/// of the piece. It has what the hands felt at each step, as if that were a tick.
void tell_course(const Recording& recording, const Scene& scene, std::size_t most,
                 const std::function<void(const CourseMoment&)>& tell);

}  // namespace stickslip::viewer
