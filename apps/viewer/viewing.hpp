#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/viewer/background_comparison.hpp"
#include "apps/viewer/exchange.hpp"
#include "apps/viewer/parameters.hpp"
#include "apps/viewer/playback.hpp"
#include "apps/viewer/stage.hpp"
#include "stickslip/io/recorder.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/linear_range.hpp"

namespace stickslip::viewer {

struct ViewingOptions {
  std::filesystem::path scene;
  std::vector<std::string> overrides;
  StageOptions stage;
  std::filesystem::path recordings = "recordings";
  bool starts_paused = false;
};

/// A scene, live or recorded, shown to an audience and obeying it. Everything here happens in the
/// thread that calls run(), but for the ticks of the haptic loop.
class Viewing {
 public:
  /// Loads the scene. Throws as Stage does.
  Viewing(ViewingOptions options, Exchange& exchange);

  /// Until `stop`. Time begins when a page has drawn the scene or said something, so that nobody
  /// misses what the operator does; at once where somebody feels a device.
  void run(const std::atomic<bool>& stop);

  std::int64_t steps() const { return all_steps_; }  ///< since the launch
  /// Of the last time that the haptic loop ran by the clock.
  const LiveReport& last_run() const { return stage_->last_run(); }

 private:
  using Clock = std::chrono::steady_clock;

  // commands
  void take_commands();
  void obey(const Command& command);
  bool obey_at_once(const Command& command);
  void obey_recording(const Command& command);
  bool set_at_once(const Command& command);
  void set(const Command& command);
  void open_scene(const std::string& name);
  void compare();
  void hear_comparison();
  void end_comparison();
  void start_recording();
  void stop_recording();
  void open_recording(const std::string& name);
  void close_recording();
  void go_to(std::int64_t step);
  std::filesystem::path recording_path(const std::string& name) const;

  // running
  void run_stage(const std::atomic<bool>& stop);
  void play_on();
  void make_steps(std::int64_t count);
  void wait();
  void note_step(const StepReport& report);
  void note_tick(std::span<const TickRecord> records, const TickTimes& times);
  RunEvents events();

  // telling
  void tell(Json message);
  void tell_error(const std::string& text, std::string_view about);
  void tell_warning(const std::string& text);  ///< about the scene; empty: there is none
  void tell_parameters();
  void tell_recordings();
  void tell_recording();
  void tell_comparison();
  void show_new_scene();
  void show(bool is_due);
  void measure_pace();
  void watch_linear_range(const Scene& scene, const State& state);
  void tell_course();
  StageOptions stage_options();

  ViewingOptions options_;
  Exchange& exchange_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Playback> playback_;  ///< in place of the stage
  std::string playback_name_;
  std::unique_ptr<Recorder> recorder_;
  std::string recorder_name_;
  std::unique_ptr<BackgroundComparison> comparison_;  ///< of a scene that stands still
  BackgroundComparison::Standing compared_;
  std::shared_ptr<ViewedScene> viewed_;
  std::uint32_t scenes_shown_ = 0;
  std::optional<LinearRangeWatch> range_;  ///< until it has warned

  bool runs_;
  bool was_spoken_to_ = false;
  double speed_ = 1.0;
  std::optional<Command> waiting_;  ///< that a running stage was interrupted for
  std::atomic<bool> interrupt_ = false;

  bool is_shown_ = false;           ///< the newest snapshot shows what is there now
  bool is_delassus_shown_ = false;  ///< and its W
  Clock::time_point show_due_;
  Clock::time_point delassus_due_;
  std::vector<ContactReport> reports_;
  std::vector<double> step_row_;
  std::vector<double> tick_row_;  ///< of whoever ticks
  double tick_time_s_ = 0.0;
  double missed_before_ = 0.0;  ///< by loops of the same scene that have ended
  std::atomic<std::int64_t> missed_ticks_ = 0;
  std::int64_t all_steps_ = 0;
  std::int64_t late_steps_ = 0;
  // of the last half second or so
  Clock::time_point pace_since_;
  double pace_from_s_ = 0.0;
  double pace_ = 0.0;
  // threads that build a scene tell how far they are
  std::mutex telling_;
  Clock::time_point loading_due_;
};

}  // namespace stickslip::viewer
