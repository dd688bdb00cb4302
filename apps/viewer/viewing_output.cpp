// What a viewing tells and shows.

#include <algorithm>
#include <thread>

#include "apps/viewer/recorded_course.hpp"
#include "apps/viewer/scene_messages.hpp"
#include "apps/viewer/viewing.hpp"

namespace stickslip::viewer {

namespace {

constexpr auto show_every = std::chrono::microseconds(11'000);
constexpr auto delassus_every = std::chrono::milliseconds(200);
constexpr auto pace_window = std::chrono::milliseconds(500);
constexpr auto try_again_after = std::chrono::milliseconds(4);

}  // namespace

void Viewing::tell(Json message) {
  exchange_.notices.post({std::move(message), nullptr});
}

void Viewing::tell_error(const std::string& text, std::string_view about) {
  tell({{"type", "error"}, {"text", text}, {"about", about}});
}

void Viewing::tell_warning(const std::string& text) {
  tell({{"type", "warning"}, {"text", text}});
}

void Viewing::tell_parameters() {
  tell(
      {{"type", "parameters"},
       {"scene", scenes_shown_},
       {"parameters", playback_ ? Json::array()
                                : to_json(parameters_of(stage_->description(), stage_->scene()))}});
}

void Viewing::tell_recordings() {
  tell({{"type", "recordings"},
        {"names", names_in(options_.recordings, ".h5")},
        {"recording", recorder_ ? Json(recorder_name_) : Json(nullptr)}});
}

void Viewing::tell_recording() {
  if (!playback_) return tell({{"type", "recording"}, {"name", nullptr}});
  tell({{"type", "recording"},
        {"name", playback_name_},
        {"first_step", playback_->first_step()},
        {"last_step", playback_->last_step()},
        {"dt_s", playback_->recording().dt()},
        {"is_playing", runs_},
        {"speed", speed_}});
}

void Viewing::tell_comparison() {
  const State& state = playback_ ? playback_->replay().state() : stage_->state();
  tell({{"type", "comparison"},
        {"time_s", state.time_s},
        {"step", playback_ ? playback_->replay().step() : stage_->steps()},
        {"methods", to_json(compared_.methods)},
        {"next", compared_.next.empty() ? Json(nullptr) : Json(compared_.next)},
        {"of", compared_methods}});
}

void Viewing::show_new_scene() {
  const Scene& scene = playback_ ? playback_->scene() : stage_->scene();
  const SceneDescription& description =
      playback_ ? playback_->description() : stage_->description();
  viewed_ = std::make_shared<ViewedScene>();
  viewed_->number = ++scenes_shown_;
  viewed_->tick_s = options_.stage.tick_s;
  viewed_->about = about_scene(scene, viewed_->number, options_.stage.tick_s, playback_ != nullptr);
  viewed_->hands = hands_json(scene, playback_ ? nullptr : stage_.get());
  viewed_->bodies = viewed_bodies(description, scene);
  range_.emplace(scene, LinearRangeWatch::Pace::now_and_then);
  tell_warning("");
  tell_parameters();
  tell_recording();
  // a page that missed it would show nothing more
  for (int attempt = 0; attempt < 100 && !exchange_.notices.post({Json(), viewed_}); ++attempt) {
    std::this_thread::sleep_for(try_again_after);
  }
  tick_time_s_ = 0.0;
  missed_before_ = 0.0;
  late_steps_ = 0;
  is_shown_ = false;
  pace_since_ = {};
  // rows of ticks are written without growing
  tick_row_.reserve(4 + scene.hands.size() * tick_hand_numbers);
}

/// Over the last half second or so; the one asked for until there has been one. Time that stood
/// still or went back, by a pause or another place of a recording, begins anew.
void Viewing::measure_pace() {
  const double time_s = playback_ ? playback_->replay().state().time_s : stage_->state().time_s;
  const Clock::time_point now = Clock::now();
  if (!runs_ || pace_since_ == Clock::time_point() || time_s < pace_from_s_) {
    pace_since_ = runs_ ? now : Clock::time_point();
    pace_from_s_ = time_s;
    pace_ = speed_;
    return;
  }
  if (now - pace_since_ < pace_window) return;
  pace_ = (time_s - pace_from_s_) / std::chrono::duration<double>(now - pace_since_).count();
  pace_since_ = now;
  pace_from_s_ = time_s;
}

void Viewing::show(bool is_due) {
  measure_pace();
  const Clock::time_point now = Clock::now();
  if (exchange_.viewers == 0 || (!is_due && now < show_due_)) {
    is_shown_ = false;
    return;
  }
  show_due_ = now + show_every;
  Snapshot& to = exchange_.snapshots.draft();
  if (to.scene != viewed_) to.scene = viewed_;
  const StepData& data = playback_ ? playback_->replay().data() : stage_->data();
  to.was_repeated = true;
  if (playback_) {
    playback_->take(to);
    watch_linear_range(playback_->scene(), playback_->replay().state());
  } else {
    take_state(stage_->scene(), stage_->state(), data, to);
    take_contacts(stage_->scene(), stage_->state(), data, reports_, to);
    to.step = stage_->steps();
    for (std::size_t h = 0; h < to.hands.size(); ++h) to.hands[h].is_taken = stage_->is_taken(h);
  }
  to.runs = runs_;
  to.is_recorded = recorder_ != nullptr;
  to.is_recording_shown = playback_ != nullptr;
  to.is_converged = data.report.is_converged;
  to.was_restored = data.report.was_restored;
  to.speed = speed_;
  to.real_time_factor = runs_ ? pace_ : 0.0;
  to.late_steps = late_steps_;
  to.has_delassus = false;
  if (exchange_.wants_delassus && (is_due || now >= delassus_due_)) {
    delassus_due_ = now + delassus_every;
    take_delassus(data, to);
  }
  is_delassus_shown_ = to.has_delassus;
  exchange_.snapshots.publish();
  is_shown_ = true;
}

void Viewing::watch_linear_range(const Scene& scene, const State& state) {
  if (!range_) return;
  range_->add(scene, state);
  const std::vector<std::string> warnings = linear_range_warnings(scene, range_->worst());
  if (warnings.empty()) return;
  tell_warning(warnings.front());
  range_.reset();
}

void Viewing::note_step(const StepReport& report) {
  ++all_steps_;
  watch_linear_range(stage_->scene(), stage_->state());
  if (report.phase_us[static_cast<std::size_t>(Phase::total)] >
      1e6 * stage_->scene().simulation.dt) {
    ++late_steps_;
  }
  if (recorder_) recorder_->add(stage_->scene(), stage_->state(), stage_->data());
  if (exchange_.viewers > 0) {
    step_row_.assign({static_cast<double>(scenes_shown_), stage_->state().time_s});
    fill_step_row(report, load_of(stage_->data()), step_row_);
    exchange_.steps.push(step_row_);
  }
  show(false);
}

void Viewing::note_tick(std::span<const TickRecord> records, const TickTimes& times) {
  tick_time_s_ += options_.stage.tick_s;
  const double missed = missed_before_ + static_cast<double>(times.missed);
  missed_ticks_.store(static_cast<std::int64_t>(missed), std::memory_order_relaxed);
  if (exchange_.viewers.load(std::memory_order_relaxed) == 0) return;
  tick_row_.assign(
      {static_cast<double>(scenes_shown_), tick_time_s_, times.last_compute_us, missed});
  for (std::size_t h = 0; h < records.size(); ++h) {
    const TickRecord& record = records[h];
    const WorkspaceMap& map = stage_->hand_setup(h).map;
    const Vec3 force = map.turn * record.wrench.head<3>();
    const Vec3 torque = map.turn * record.wrench.tail<3>();
    const Vec3 position = map.to_world(record.device).position;
    for (const Vec3* vector : {&force, &torque, &position}) {
      tick_row_.insert(tick_row_.end(), vector->begin(), vector->end());
    }
    for (const double value : {record.energy, record.removed, record.is_controlled ? 1.0 : 0.0,
                               static_cast<double>(record.safety)}) {
      tick_row_.push_back(value);
    }
  }
  exchange_.ticks.push(tick_row_);
}

void Viewing::tell_course() {
  // the queues take that much at once
  constexpr std::size_t most = 2000;
  viewer::tell_course(playback_->recording(), playback_->scene(), most,
                      [&](const CourseMoment& moment) {
                        step_row_.assign({static_cast<double>(scenes_shown_)});
                        step_row_.insert(step_row_.end(), moment.step.begin(), moment.step.end());
                        exchange_.steps.push(step_row_);
                        tick_row_.assign({static_cast<double>(scenes_shown_)});
                        tick_row_.insert(tick_row_.end(), moment.tick.begin(), moment.tick.end());
                        exchange_.ticks.push(tick_row_);
                      });
}

}  // namespace stickslip::viewer
