#include "stickslip/io/recording.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

namespace {

constexpr int most_bodies = 1'000'000;

/// How many of ascending ends lie within a list of so many.
std::size_t ends_within(const std::vector<std::uint64_t>& ends, std::uint64_t count) {
  std::size_t k = 0;
  std::uint64_t before = 0;
  while (k < ends.size() && ends[k] >= before && ends[k] <= count) before = ends[k++];
  return k;
}

}  // namespace

Recording::Recording(const std::filesystem::path& path)
    : file_(Hdf5File::open_growing(path, "a recording of `stickslip run --record`")) {
  if (!file_.has("/format")) fail("is no recording; make one by `stickslip run --record`");
  const int format = file_.read_integer("/format");
  if (format != recording_format) {
    fail(fmt::format("has format {}, this program reads {}; use the version that wrote it", format,
                     recording_format));
  }
  scene_ = read_recorded_scene(file_);
  const std::vector<double> dt = file_.read_numbers("/scene/dt_s");
  const std::vector<int> sizes = file_.read_integers("/scene/sizes");
  if (dt.size() != 1 || !(dt[0] > 0.0) || sizes.size() != 3 || sizes[0] < 1 ||
      sizes[0] > most_bodies || sizes[1] < 0 || sizes[1] > most_bodies || sizes[2] < 0 ||
      sizes[2] > most_bodies) {
    fail("says nothing sensible of its scene; the file is damaged");
  }
  dt_ = dt[0];
  drive_count_ = sizes[1];
  hand_count_ = sizes[2];
  hand_gains_ = file_.read_numbers("/scene/hand_gains");
  if (hand_gains_.size() != 4 * uz(hand_count_)) {
    fail("/scene/hand_gains must hold 4 numbers a hand; the file is damaged");
  }
  for (int b = 0; b < sizes[0]; ++b) {
    const std::string name = fmt::format("/scene/body_names/{}", b);
    if (!file_.has(name)) fail(name + " is missing; the file is damaged");
    body_names_.push_back(file_.read_text(name));
  }
  count_rows();
  count_states();
}

Scene Recording::build_scene(const SceneBuildOptions& options,
                             const std::vector<std::string>& more) const {
  RecordedScene source = scene_;
  source.overrides.insert(source.overrides.end(), more.begin(), more.end());
  Scene scene = build_recorded_scene(source, options);
  for (std::size_t h = 0; h < std::min(scene.hands.size(), uz(hand_count_)); ++h) {
    const double* gains = hand_gains_.data() + 4 * h;
    scene.hands[h].gains = {gains[0], gains[1], gains[2], gains[3]};
  }
  return scene;
}

void Recording::fail(const std::string& what) const {
  throw InputError(path(), what);
}

Hdf5Series Recording::open(RecordSeries series) const {
  const auto layout =
      recording_layout(static_cast<int>(body_names_.size()), drive_count_, hand_count_);
  return Hdf5Series::open(file_, layout[static_cast<std::size_t>(series)]);
}

std::vector<double> Recording::numbers(RecordSeries series, std::size_t first,
                                       std::size_t count) const {
  return open(series).read_numbers(first, count);
}

std::vector<std::uint64_t> Recording::integers(RecordSeries series, std::size_t first,
                                               std::size_t count) const {
  return open(series).read_integers(first, count);
}

void Recording::count_rows() {
  using enum RecordSeries;
  // what all series have
  std::uint64_t rows = std::numeric_limits<std::uint64_t>::max();
  for (const RecordSeries series :
       {step, time, hash, contact_end, refusal_end, iterations, error, penetration, energy, flags,
        total_us, inputs, hand_inputs, frames}) {
    if (series == inputs && drive_count_ == 0) continue;
    if (series == hand_inputs && hand_count_ == 0) continue;
    rows = std::min(rows, open(series).row_count());
  }
  std::uint64_t contacts = std::numeric_limits<std::uint64_t>::max();
  for (const RecordSeries series : {contact_bodies, contact_P, contact_Q, contact_normal,
                                    contact_gap, contact_force, contact_sticks}) {
    contacts = std::min(contacts, open(series).row_count());
  }
  contact_ends_ = integers(contact_end, 0, rows);
  refusal_ends_ = integers(refusal_end, 0, rows);
  steps_ = integers(step, 0, rows);
  const std::uint64_t refusals = open(refused).row_count();
  rows = std::min(ends_within(contact_ends_, contacts), ends_within(refusal_ends_, refusals));

  // steps ascend from 1
  std::uint64_t last = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    if (steps_[r] <= last || steps_[r] > std::numeric_limits<std::int64_t>::max()) rows = r;
    last = steps_[r];
  }
  for (auto* list : {&steps_, &contact_ends_, &refusal_ends_}) list->resize(rows);
  times_ = numbers(time, 0, rows);
  hashes_ = integers(hash, 0, rows);
  if (drive_count_ > 0) inputs_ = numbers(inputs, 0, rows);
  if (hand_count_ > 0) hand_inputs_ = numbers(hand_inputs, 0, rows);
  const auto questions = integers(refused, 0, rows == 0 ? 0 : refusal_ends_.back());
  refused_.assign(questions.begin(), questions.end());
}

void Recording::count_states() {
  using enum RecordSeries;
  const std::uint64_t rows = std::min(open(state_step).row_count(), open(state_end).row_count());
  state_steps_ = integers(state_step, 0, rows);
  state_ends_ = integers(state_end, 0, rows);
  std::size_t count = ends_within(state_ends_, open(RecordSeries::state_numbers).row_count());
  // those whose step is not there are of no use
  const std::uint64_t last =
      steps_.empty() ? std::numeric_limits<std::uint64_t>::max() : steps_.back();
  while (count > 1 && state_steps_[count - 1] > last) --count;
  state_steps_.resize(count);
  state_ends_.resize(count);
  if (count == 0) fail("holds no state to start from; the file is damaged");
}

std::span<const double> Recording::inputs(std::size_t row) const {
  const std::size_t size = 6 * uz(drive_count_);
  return std::span(inputs_).subspan(row * size, size);
}

std::span<const double> Recording::hand_inputs(std::size_t row) const {
  const std::size_t size = uz(numbers_per_hand * hand_count_);
  return std::span(hand_inputs_).subspan(row * size, size);
}

HandInput Recording::hand_input(std::size_t row, int hand) const {
  const double* numbers = hand_inputs(row).data() + numbers_per_hand * hand;
  HandInput input;
  input.pose.position = Eigen::Map<const Vec3>(numbers);
  input.pose.orientation.coeffs() = Eigen::Map<const Eigen::Vector4d>(numbers + 3);
  input.wants_hold = numbers[7] != 0.0;
  input.is_clutched = numbers[8] != 0.0;
  input.restarts = numbers[9] != 0.0;
  input.rendered = Eigen::Map<const Vec6>(numbers + 10);
  input.energy = numbers[16];
  return input;
}

std::span<const std::uint32_t> Recording::refused(std::size_t row) const {
  const std::size_t start = row == 0 ? 0 : refusal_ends_[row - 1];
  return std::span(refused_).subspan(start, refusal_ends_[row] - start);
}

Recording::Details Recording::details(std::size_t first_row, std::size_t count) const {
  using enum RecordSeries;
  Details details;
  details.frames = numbers(frames, first_row, count);
  details.energy = numbers(energy, first_row, count);
  details.error = numbers(error, first_row, count);
  details.penetration = numbers(penetration, first_row, count);
  details.total_us = numbers(total_us, first_row, count);
  details.iterations = integers(iterations, first_row, count);
  details.flags = integers(flags, first_row, count);

  // contacts of these rows
  const std::size_t start = first_row == 0 ? 0 : contact_ends_[first_row - 1];
  const std::size_t end = count == 0 ? start : contact_ends_[first_row + count - 1];
  details.contact_start = {0};
  for (std::size_t r = 0; r < count; ++r) {
    details.contact_start.push_back(contact_ends_[first_row + r] - start);
  }
  details.contact_bodies = integers(contact_bodies, start, end - start);
  for (const std::uint64_t body : details.contact_bodies) {
    if (body >= body_names_.size()) fail("/contacts/bodies names no body; the file is damaged");
  }
  details.contact_sticks = integers(contact_sticks, start, end - start);
  details.P = numbers(contact_P, start, end - start);
  details.Q = numbers(contact_Q, start, end - start);
  details.normal = numbers(contact_normal, start, end - start);
  details.gap = numbers(contact_gap, start, end - start);
  details.force = numbers(contact_force, start, end - start);
  return details;
}

std::vector<double> Recording::state_numbers(std::size_t index) const {
  const std::size_t start = index == 0 ? 0 : state_ends_[index - 1];
  return numbers(RecordSeries::state_numbers, start, state_ends_[index] - start);
}

}  // namespace stickslip
