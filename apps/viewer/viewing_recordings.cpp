// Recordings: written, opened, looked at.

#include <fmt/core.h>

#include <algorithm>

#include "apps/viewer/scene_messages.hpp"
#include "apps/viewer/viewing.hpp"
#include "stickslip/error.hpp"

namespace stickslip::viewer {

std::filesystem::path Viewing::recording_path(const std::string& name) const {
  const std::vector<std::string> names = names_in(options_.recordings, ".h5");
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("record: there is no recording {}", name));
  }
  return options_.recordings / (name + ".h5");
}

void Viewing::start_recording() {
  if (playback_) throw InputError("record: a recording is open; close it first");
  if (recorder_) throw InputError(fmt::format("record: {} is being recorded", recorder_name_));
  std::error_code error;
  std::filesystem::create_directories(options_.recordings, error);
  const std::vector<std::string> names = names_in(options_.recordings, ".h5");
  int number = 1;
  do {
    recorder_name_ = fmt::format("{}-{}", stage_->scene().name, number++);
  } while (std::find(names.begin(), names.end(), recorder_name_) != names.end());
  RecorderOptions recording;
  recording.first_step = stage_->steps();
  recording.may_wait = false;
  recorder_ = std::make_unique<Recorder>(
      options_.recordings / (recorder_name_ + ".h5"),
      collect_scene(stage_->path(), stage_->overrides(), options_.stage.building.resolve_start),
      stage_->scene(), stage_->state(), recording);
  tell_recordings();
}

void Viewing::stop_recording() {
  if (!recorder_) return;
  recorder_->finish();
  const std::int64_t lost = recorder_->lost();
  recorder_.reset();
  if (lost > 0) {
    tell({{"type", "log"}, {"text", fmt::format("{} steps are missing in the recording", lost)}});
  }
  tell_recordings();
}

void Viewing::open_recording(const std::string& name) {
  stop_recording();
  const std::filesystem::path path = recording_path(name);
  auto opened = std::make_unique<Playback>(path, stage_options().building);
  playback_ = std::move(opened);
  playback_name_ = name;
  runs_ = false;
  speed_ = 1.0;
  show_new_scene();
  tell_course();
}

void Viewing::close_recording() {
  if (!playback_) throw InputError("record: no recording is open");
  playback_.reset();
  runs_ = false;
  speed_ = 1.0;
  stage_->reset();
  show_new_scene();
}

void Viewing::go_to(std::int64_t step) {
  if (!playback_) throw InputError("record: no recording is open");
  playback_->go_to(step);
  show(true);
  tell_recording();
}

}  // namespace stickslip::viewer
