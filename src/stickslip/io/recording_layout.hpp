#pragma once

#include <array>
#include <cstdint>

#include "stickslip/io/hdf5_series.hpp"

namespace stickslip {

/// The series of a recording; docs/recordings.md says what is in them.
enum class RecordSeries : std::uint8_t {
  // a row a step
  step,
  time,
  hash,
  contact_end,
  refusal_end,
  iterations,
  error,
  penetration,
  energy,
  flags,
  total_us,
  inputs,
  hand_inputs,
  frames,
  // a row a contact, or a refusal of the clock
  contact_bodies,
  contact_P,
  contact_Q,
  contact_normal,
  contact_gap,
  contact_force,
  contact_sticks,
  refused,
  // a row a full state
  state_step,
  state_end,
  // a row a number of a state
  state_numbers,
};
inline constexpr std::size_t series_count = 25;

/// What each of them looks like for a scene of so many bodies, drives and hands. One whose rows are
/// empty is not in the file.
std::array<SeriesLayout, series_count> recording_layout(int bodies, int drives, int hands);

/// Bits of RecordSeries::flags.
enum StepFlag : std::uint8_t { not_converged = 1, missed_deadline = 2, restored = 4 };

/// Numbers of a hand: pose of seven, whether it wants to hold, is clutched, restarts; the wrench
/// that is rendered to it, of six, and the energy it has put in.
inline constexpr int numbers_per_hand = 17;

/// Rises when files of the old kind cannot be read any more.
inline constexpr int recording_format = 1;

}  // namespace stickslip
