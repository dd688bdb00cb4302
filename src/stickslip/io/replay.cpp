#include "stickslip/io/replay.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/error.hpp"
#include "stickslip/simulation/state_numbers.hpp"

namespace stickslip {

Replay::Replay(const Recording& recording, const Scene& scene)
    : recording_(recording), scene_(scene), state_(initial_state(scene)), data_(scene) {
  if (scene.bodies.size() != recording.body_names().size() ||
      scene.drives.size() != uz(recording.drive_count()) ||
      scene.hands.size() != uz(recording.hand_count())) {
    throw InputError(fmt::format("{}: was made with another scene; replay it with its own",
                                 recording.path().string()));
  }
  load_state(0);
}

void Replay::load_state(std::size_t index) {
  const std::vector<double> numbers = recording_.state_numbers(index);
  if (!read_numbers(numbers, scene_, state_)) {
    throw InputError(fmt::format(
        "{}: the state of step {} does not fit the scene; the file is damaged, or was made by "
        "another version ({})",
        recording_.path().string(), recording_.state_step(index), recording_.scene().version));
  }
  step_ = recording_.state_step(index);
  row_ = 0;
  while (row_ < recording_.row_count() && recording_.step(row_) <= step_) ++row_;
  is_equal_ = row_ == 0 || recording_.step(row_ - 1) != step_ ||
              hash_of(numbers) == recording_.hash(row_ - 1);
  was_stepped_ = false;
}

void Replay::go_to(std::int64_t step) {
  std::size_t nearest = 0;
  while (nearest + 1 < recording_.state_count() && recording_.state_step(nearest + 1) <= step) {
    ++nearest;
  }
  load_state(nearest);
  while (row_ < recording_.row_count() && recording_.step(row_) <= step) advance();
}

bool Replay::advance() {
  if (row_ == recording_.row_count()) return false;
  if (recording_.step(row_) != step_ + 1) {
    for (std::size_t index = 0; index < recording_.state_count(); ++index) {
      if (recording_.state_step(index) != recording_.step(row_)) continue;
      load_state(index);
      return true;
    }
    throw InputError(
        fmt::format("{}: steps {} to {} are missing and no state stands after them; "
                    "the file is damaged",
                    recording_.path().string(), step_ + 1, recording_.step(row_) - 1));
  }
  const auto inputs = recording_.inputs(row_);
  for (std::size_t d = 0; d < data_.inputs.size(); ++d) {
    data_.inputs[d].value = Eigen::Map<const Vec6>(inputs.subspan(6 * d, 6).data());
    data_.inputs[d].is_given = true;
  }
  for (std::size_t h = 0; h < data_.hand_inputs.size(); ++h) {
    data_.hand_inputs[h] = recording_.hand_input(row_, static_cast<int>(h));
  }
  data_.clock_answers.repeat(recording_.refused(row_));
  stickslip::step(scene_, state_, data_);
  write_numbers(state_, numbers_);
  is_equal_ = hash_of(numbers_) == recording_.hash(row_);
  was_stepped_ = true;
  ++row_;
  ++step_;
  return true;
}

}  // namespace stickslip
