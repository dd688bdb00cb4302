#pragma once

#include <filesystem>
#include <vector>

#include "apps/viewer/snapshot.hpp"
#include "stickslip/io/replay.hpp"
#include "stickslip/simulation/contact_report.hpp"

namespace stickslip::viewer {

/// A recording that is looked at: its steps are stepped again.
class Playback {
 public:
  /// Throws InputError.
  Playback(const std::filesystem::path& file, const SceneBuildOptions& building);

  const SceneDescription& description() const { return description_; }
  const Recording& recording() const { return recording_; }
  const Scene& scene() const { return scene_; }
  const Replay& replay() const { return replay_; }
  std::int64_t first_step() const { return recording_.state_step(0); }
  std::int64_t last_step() const;

  bool advance() { return replay_.advance(); }
  void go_to(std::int64_t step);

  /// State and contacts of the step that is shown.
  void take(Snapshot& to);

 private:
  Recording recording_;
  SceneDescription description_;
  Scene scene_;
  Replay replay_;
  std::vector<ContactReport> reports_;
};

/// Writes the table of a recording beside it, as NAME.csv. Throws InputError. The size in bytes.
std::uintmax_t write_table(const std::filesystem::path& recording);

}  // namespace stickslip::viewer
