#pragma once

#include <cstdint>

#include "stickslip/io/recording.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// Steps a recorded run again: with the inputs it had, and with the answers that the clock gave
/// then. The scene is that of the recording.
class Replay {
 public:
  /// At the first recorded state. Throws InputError where the scene is not that of the recording.
  Replay(const Recording& recording, const Scene& scene);

  /// Goes to the end of that step, or of the last one before it that is recorded: from the full
  /// state before it on.
  void go_to(std::int64_t step);

  /// Repeats the next recorded step. Where steps are missing before it, goes on from its full
  /// state instead. False at the end of the recording.
  bool advance();

  /// Whether the last step ended as recorded, bit by bit. A state that was read is.
  bool is_equal() const { return is_equal_; }
  /// The last step was stepped, not read.
  bool was_stepped() const { return was_stepped_; }

  std::int64_t step() const { return step_; }
  std::size_t next_row() const { return row_; }
  const State& state() const { return state_; }
  const StepData& data() const { return data_; }

 private:
  void load_state(std::size_t index);

  const Recording& recording_;
  const Scene& scene_;
  State state_;
  StepData data_;
  std::int64_t step_ = 0;
  std::size_t row_ = 0;
  bool is_equal_ = true;
  bool was_stepped_ = false;
  std::vector<double> numbers_;
};

}  // namespace stickslip
