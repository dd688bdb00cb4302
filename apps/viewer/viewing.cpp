#include "apps/viewer/viewing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "apps/viewer/scene_messages.hpp"
#include "stickslip/error.hpp"

namespace stickslip::viewer {

namespace {

constexpr auto look_every = std::chrono::milliseconds(4);
constexpr auto loading_every = std::chrono::milliseconds(100);

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// With a value in place of the one that the scene has, judged as the file's own are.
std::vector<std::string> overrides_with(const Stage& stage, const Command& command) {
  std::vector<std::string> overrides = stage.overrides();
  std::erase_if(overrides,
                [&](const std::string& text) { return text.starts_with(command.name + "="); });
  overrides.push_back(command.name + "=" + command.value);
  return overrides;
}

}  // namespace

Viewing::Viewing(ViewingOptions options, Exchange& exchange)
    : options_(std::move(options)), exchange_(exchange), runs_(!options_.starts_paused) {
  stage_ = std::make_unique<Stage>(options_.scene, options_.overrides, stage_options());
  tell({{"type", "scenes"}, {"names", names_in(folder_of(options_.scene), ".toml")}});
  tell_recordings();
  show_new_scene();
}

StageOptions Viewing::stage_options() {
  StageOptions options = options_.stage;
  const auto before = options.building.progress;
  options.building.progress = [this, before](const std::string& body, double share) {
    if (before) before(body, share);
    const std::lock_guard lock(telling_);
    if (share < 1.0 && Clock::now() < loading_due_) return;
    loading_due_ = Clock::now() + loading_every;
    tell({{"type", "loading"}, {"what", body}, {"share", share}});
  };
  return options;
}

// running

StageEvents Viewing::events() {
  return {[this](const StepReport& report) { note_step(report); },
          [this](std::span<const TickRecord> records, const TickTimes& times) {
            note_tick(records, times);
          }};
}

void Viewing::run_stage(const std::atomic<bool>& stop) {
  StageEvents running = events();
  running.on_step = [&](const StepReport& report) {
    note_step(report);
    // what cannot be done in between interrupts the run
    Command command;
    while (!waiting_ && exchange_.commands.take(command)) {
      if (!obey_at_once(command)) waiting_ = std::move(command);
    }
    if (waiting_ || stop.load(std::memory_order_relaxed)) interrupt_ = true;
  };
  interrupt_ = false;
  stage_->run(speed_, interrupt_, running);
  missed_before_ = static_cast<double>(missed_ticks_.load());
}

void Viewing::make_steps(std::int64_t count) {
  runs_ = false;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!playback_) {
      stage_->step(events());
    } else if (playback_->advance()) {
      note_played_step();
    }
  }
  show(true);
}

void Viewing::play_on() {
  const auto period = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(playback_->recording().dt() / speed_));
  Clock::time_point due = Clock::now() + period;
  // in pieces, so that commands are heard
  const Clock::time_point end = Clock::now() + 2 * look_every;
  do {
    if (!playback_->advance()) {
      runs_ = false;
      tell_recording();
      return show(true);
    }
    note_played_step();
    show(false);
    std::this_thread::sleep_until(due);
    due += period;
  } while (Clock::now() < end);
}

void Viewing::wait() {
  if (!is_shown_ || (exchange_.wants_delassus && !is_delassus_shown_)) show(true);
  std::this_thread::sleep_for(look_every);
}

void Viewing::run(const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
    take_commands();
    if (!runs_) {
      wait();
    } else if (playback_) {
      play_on();
    } else {
      run_stage(stop);
    }
  }
  stop_recording();
}

// commands

void Viewing::take_commands() {
  if (waiting_) {
    const Command command = *std::exchange(waiting_, std::nullopt);
    obey(command);
  }
  Command command;
  while (exchange_.commands.take(command)) obey(command);
}

/// What a running stage does in between two steps. False: it has to end its run for that.
bool Viewing::obey_at_once(const Command& command) {
  try {
    switch (command.kind) {
      case Command::Kind::grab:
        stage_->grab(command.hand, command.body);
        return true;
      case Command::Kind::release:
        stage_->release(command.hand);
        return true;
      case Command::Kind::hand:
        stage_->lead(command.hand, command.pose);
        return true;
      case Command::Kind::set:
        return set_at_once(command);
      case Command::Kind::run:
        return runs_;
      case Command::Kind::speed:
        if (command.speed < 1.0) stage_->refuse_without_clock();
        return command.speed == speed_;
      case Command::Kind::step:
        stage_->refuse_without_clock();
        return false;
      default:
        return false;
    }
  } catch (const InputError& error) {
    tell_error(error.what(), type_of(command.kind));
    return true;
  }
}

void Viewing::obey(const Command& command) {
  try {
    if (!playback_ && obey_at_once(command)) {
      is_shown_ = false;
      return;
    }
    switch (command.kind) {
      case Command::Kind::pause:
        runs_ = false;
        break;
      case Command::Kind::run:
        if (playback_ && playback_->replay().step() == playback_->last_step()) {
          playback_->go_to(playback_->first_step());
        }
        runs_ = true;
        break;
      case Command::Kind::step:
        make_steps(command.count);
        break;
      case Command::Kind::speed:
        speed_ = playback_ ? command.speed : std::min(1.0, command.speed);
        break;
      case Command::Kind::reset:
        if (playback_) return go_to(playback_->first_step());
        stop_recording();
        stage_->reset();
        show_new_scene();
        break;
      case Command::Kind::scene:
        open_scene(command.name);
        break;
      case Command::Kind::set:
        set(command);
        break;
      case Command::Kind::compare:
        compare();
        break;
      case Command::Kind::grab:
      case Command::Kind::release:
      case Command::Kind::hand:
        throw InputError("a recording cannot be touched; close it first");
      default:
        obey_recording(command);
    }
    if (playback_) tell_recording();
  } catch (const std::exception& error) {
    tell_error(error.what(), type_of(command.kind));
  }
  is_shown_ = false;
}

void Viewing::obey_recording(const Command& command) {
  switch (command.kind) {
    case Command::Kind::record_start:
      return start_recording();
    case Command::Kind::record_stop:
      return stop_recording();
    case Command::Kind::record_open:
      return open_recording(command.name);
    case Command::Kind::record_close:
      return close_recording();
    case Command::Kind::record_go:
      return go_to(command.count);
    default:
      break;
  }
  stop_recording();
  const std::uintmax_t bytes = write_table(recording_path(command.name));
  tell({{"type", "exported"},
        {"name", command.name},
        {"url", fmt::format("/recordings/{}.csv", command.name)},
        {"bytes", bytes}});
}

bool Viewing::set_at_once(const Command& command) {
  const std::vector<Parameter> parameters = parameters_of(stage_->description(), stage_->scene());
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const Parameter& parameter) { return parameter.path == command.name; });
  if (found == parameters.end()) {
    throw InputError(fmt::format("set: there is no parameter {}", command.name));
  }
  if (found->restarts || recorder_) return false;
  const std::vector<std::string> overrides = overrides_with(*stage_, command);
  stage_->adopt(read_scene_description(stage_->path(), overrides), overrides);
  tell_parameters();
  return true;
}

void Viewing::set(const Command& command) {
  if (playback_) throw InputError("a recording is as it was recorded; close it first");
  const std::vector<std::string> overrides = overrides_with(*stage_, command);
  read_scene_description(stage_->path(), overrides);
  if (recorder_) {
    tell({{"type", "log"}, {"text", "the recording ends where a value changes"}});
    stop_recording();
    if (set_at_once(command)) return;
  }
  stage_->rebuild(overrides);
  show_new_scene();
}

void Viewing::open_scene(const std::string& name) {
  const std::filesystem::path folder = folder_of(options_.scene);
  const std::vector<std::string> names = names_in(folder, ".toml");
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("scene: there is no {} beside the scene of the launch", name));
  }
  stop_recording();
  auto stage = std::make_unique<Stage>(folder / (name + ".toml"), std::vector<std::string>(),
                                       stage_options());
  playback_.reset();
  stage_ = std::move(stage);
  speed_ = 1.0;
  show_new_scene();
}

void Viewing::compare() {
  const bool ran = std::exchange(runs_, false);
  if (ran && playback_) tell_recording();
  show(true);
  const Scene& scene = playback_ ? playback_->scene() : stage_->scene();
  const State& state = playback_ ? playback_->replay().state() : stage_->state();
  const StepData& data = playback_ ? playback_->replay().data() : stage_->data();
  tell({{"type", "comparison"},
        {"time_s", state.time_s},
        {"step", playback_ ? playback_->replay().step() : stage_->steps()},
        {"methods", to_json(compare_methods(scene, freeze(state, data)))}});
}

// recordings

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
  note_played_step();
  show(true);
  tell_recording();
}

}  // namespace stickslip::viewer
