#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/haptics/models/hand.hpp"
#include "stickslip/io/hdf5_series.hpp"
#include "stickslip/io/recorded_scene.hpp"
#include "stickslip/io/recording_layout.hpp"

namespace stickslip {

/// A recording to be read, also while it is written or after its writer was killed: as many steps
/// count as all series have. Rows are numbered from 0; a row tells which step it holds the end of.
class Recording {
 public:
  /// Throws InputError.
  explicit Recording(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return file_.path(); }
  const RecordedScene& scene() const { return scene_; }
  /// Makes the scene as it was stepped; `more` are values of `--set` in place of its own.
  Scene build_scene(const SceneBuildOptions& options = {},
                    const std::vector<std::string>& more = {}) const;
  double dt() const { return dt_; }
  const std::vector<std::string>& body_names() const { return body_names_; }
  int drive_count() const { return drive_count_; }
  int hand_count() const { return hand_count_; }

  std::size_t row_count() const { return steps_.size(); }
  /// Ascending; where the disk was too slow, some are missing.
  std::int64_t step(std::size_t row) const { return static_cast<std::int64_t>(steps_[row]); }
  double time(std::size_t row) const { return times_[row]; }
  std::uint64_t hash(std::size_t row) const { return hashes_[row]; }
  /// Six numbers a drive.
  std::span<const double> inputs(std::size_t row) const;
  /// As many as numbers_per_hand a hand.
  std::span<const double> hand_inputs(std::size_t row) const;
  /// The same of one hand, from 0.
  HandInput hand_input(std::size_t row, int hand) const;
  /// Questions that the clock answered with no.
  std::span<const std::uint32_t> refused(std::size_t row) const;

  /// What else there is of some rows.
  struct Details {
    std::vector<double> frames;  ///< seven numbers a body and row: position, orientation x y z w
    std::vector<double> energy;  ///< three numbers a row: total, work in, friction [J]
    std::vector<double> error, penetration, total_us;
    std::vector<std::uint64_t> iterations, flags;
    std::vector<std::size_t> contact_start;  ///< of each row, and the end of the last
    std::vector<std::uint64_t> contact_bodies, contact_sticks;
    std::vector<double> P, Q, normal, gap, force;  ///< of the contacts
  };
  Details details(std::size_t first_row, std::size_t count) const;

  /// Full states: the step that each is the end of, and its numbers.
  std::size_t state_count() const { return state_steps_.size(); }
  std::int64_t state_step(std::size_t index) const {
    return static_cast<std::int64_t>(state_steps_[index]);
  }
  std::vector<double> state_numbers(std::size_t index) const;

 private:
  Hdf5Series open(RecordSeries series) const;
  std::vector<double> numbers(RecordSeries series, std::size_t first, std::size_t count) const;
  std::vector<std::uint64_t> integers(RecordSeries series, std::size_t first,
                                      std::size_t count) const;
  void count_rows();
  void count_states();
  [[noreturn]] void fail(const std::string& what) const;

  Hdf5File file_;
  RecordedScene scene_;
  double dt_ = 0.0;
  std::vector<double> hand_gains_;
  std::vector<std::string> body_names_;
  int drive_count_ = 0;
  int hand_count_ = 0;
  std::vector<std::uint64_t> steps_, hashes_, contact_ends_, refusal_ends_;
  std::vector<double> times_;
  std::vector<double> inputs_, hand_inputs_;
  std::vector<std::uint32_t> refused_;
  std::vector<std::uint64_t> state_steps_, state_ends_;
};

}  // namespace stickslip
