#pragma once

#include <span>
#include <vector>

#include "stickslip/motion/exact_meetings.hpp"
#include "stickslip/motion/meeting_search.hpp"

namespace stickslip {

/// The gap of a contact at the end of a step, along its normal: as the solve sees it, and in
/// truth, in which features turn and slide along each other. [m]
struct EndGap {
  double linear;
  double real;
};

EndGap gap_at_end(const MeetingSearch& search, ExactMeetings& exact,
                  std::span<const MovingBody> moving, const std::vector<BodyState>& next,
                  const Proximity& where);

}  // namespace stickslip
