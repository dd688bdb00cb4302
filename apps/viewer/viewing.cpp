#include "apps/viewer/viewing.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <thread>

#include "apps/viewer/scene_messages.hpp"
#include "stickslip/error.hpp"

namespace stickslip::viewer {

namespace {

constexpr auto look_every = std::chrono::milliseconds(4);
constexpr double method_limit_s = 2.0;
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

RunEvents Viewing::events() {
  return {[this](const StepReport& report) { note_step(report); },
          [this](std::span<const TickRecord> records, const TickTimes& times) {
            note_tick(records, times);
          }};
}

void Viewing::run_stage(const std::atomic<bool>& stop) {
  RunEvents running = events();
  running.after_step = [&](const StepReport& report) {
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
    } else {
      playback_->advance();
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
    show(false);
    std::this_thread::sleep_until(due);
    due += period;
  } while (Clock::now() < end);
}

void Viewing::wait() {
  hear_comparison();
  if (!is_shown_ || (exchange_.wants_delassus && !is_delassus_shown_)) show(true);
  std::this_thread::sleep_for(look_every);
}

void Viewing::run(const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
    take_commands();
    const bool is_watched = exchange_.has_been_drawn || was_spoken_to_ || stage_->is_felt();
    if (!runs_ || !is_watched) {
      wait();
    } else if (playback_) {
      play_on();
    } else {
      run_stage(stop);
    }
  }
  comparison_.reset();
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
  was_spoken_to_ = true;
  // a frame that is compared stays as it is
  if (command.kind != Command::Kind::pause) end_comparison();
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
      case Command::Kind::cancel:
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
  compared_ = {};
  comparison_ =
      playback_
          ? std::make_unique<BackgroundComparison>(
                playback_->scene(), freeze(playback_->replay().state(), playback_->replay().data()),
                method_limit_s)
          : std::make_unique<BackgroundComparison>(
                stage_->scene(), freeze(stage_->state(), stage_->data()), method_limit_s);
}

void Viewing::hear_comparison() {
  if (!comparison_) return;
  try {
    if (!comparison_->take_news(compared_)) return;
    tell_comparison();
    if (compared_.next.empty()) comparison_.reset();
  } catch (const std::exception& error) {
    comparison_.reset();
    tell_error(error.what(), type_of(Command::Kind::compare));
  }
}

void Viewing::end_comparison() {
  if (!comparison_) return;
  comparison_.reset();
  compared_.next.clear();
  tell_comparison();
}

}  // namespace stickslip::viewer
