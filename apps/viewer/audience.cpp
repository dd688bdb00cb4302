#include "apps/viewer/audience.hpp"

#include <algorithm>
#include <cmath>

#include "stickslip/version.hpp"

namespace stickslip::viewer {

namespace {

constexpr int protocol = 1;
constexpr std::size_t most_viewers = 8;
constexpr std::size_t most_unanswered = 2;
constexpr std::uint64_t ticks_looked_at = 1000;  // for their times

std::string text_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json bodies_json(const ViewedScene& scene) {
  Json bodies = Json::array();
  for (const ViewedBody& body : scene.bodies) {
    bodies.push_back({{"name", body.name},
                      {"kind", to_string(body.kind)},
                      {"vertices", body.surface.points.size()},
                      {"triangles", body.surface.triangles.size()},
                      {"deforms", body.deforms},
                      {"has_stress", body.deforms && body.young > 0.0},
                      {"mass_kg", body.mass}});
  }
  return bodies;
}

Json step_columns() {
  Json columns = {"time_s", "contacts", "iterations", "error"};
  for (const std::string_view phase : phase_names) columns.push_back(std::string(phase) + "_us");
  for (const char* name : {"energy_J", "work_in_J", "friction_J", "penetration_m", "flags",
                           "loaded_contacts", "slipping_contacts", "normal_force_N"}) {
    columns.push_back(name);
  }
  return columns;
}

}  // namespace

bool Audience::has_room() const {
  return viewers_.size() < most_viewers;
}

Audience::Viewer* Audience::find(Seat& seat) {
  const auto found = std::find_if(viewers_.begin(), viewers_.end(),
                                  [&](const Viewer& viewer) { return viewer.seat == &seat; });
  return found == viewers_.end() ? nullptr : &*found;
}

void Audience::note_viewers() {
  exchange_.viewers = static_cast<int>(viewers_.size());
  exchange_.wants_delassus = std::any_of(viewers_.begin(), viewers_.end(),
                                         [](const Viewer& v) { return v.wants_delassus; });
}

void Audience::join(Seat& seat) {
  viewers_.emplace_back().seat = &seat;
  note_viewers();
  if (scene_) greet(viewers_.back());
  tell_controls();
}

void Audience::leave(Seat& seat) {
  std::erase_if(viewers_, [&](const Viewer& viewer) { return viewer.seat == &seat; });
  note_viewers();
  tell_controls();
}

void Audience::tell_controls() {
  for (const Viewer& viewer : viewers_) {
    if (!viewer.is_greeted) continue;
    viewer.seat->send_text(text_of({{"type", "controls"},
                                    {"controls", &viewer == &viewers_.front()},
                                    {"viewers", viewers_.size()}}));
  }
}

void Audience::greet(Viewer& viewer) {
  Json hello = {{"type", "hello"},
                {"protocol", protocol},
                {"version", version},
                {"controls", &viewer == &viewers_.front()},
                {"scene", scene_->about},
                {"scenes", latest_["scenes"]["names"]},
                {"bodies", bodies_json(*scene_)},
                {"hands", scene_->hands},
                {"phases", phase_names},
                {"tick_columns",
                 {"force_x_N", "force_y_N", "force_z_N", "torque_x_N_m", "torque_y_N_m",
                  "torque_z_N_m", "position_x_m", "position_y_m", "position_z_m", "energy_J"}},
                {"step_columns", step_columns()},
                {"parameters", latest_["parameters"]["parameters"]},
                {"recordings", latest_["recordings"]["names"]},
                {"speeds", {0.05, 1}}};
  viewer.seat->send_text(text_of(hello));
  for (const char* type : {"recordings", "recording", "warning"}) {
    if (latest_.contains(type)) viewer.seat->send_text(text_of(latest_[type]));
  }
  for (std::size_t b = 0; b < scene_->bodies.size(); ++b) {
    viewer.seat->send_binary(mesh_message(*scene_, b));
  }
  viewer.is_greeted = true;
  viewer.snapshot = 0;
  viewer.delassus = 0;
  // of a recording everybody gets the whole course
  const bool is_recording = scene_->about["is_recording"];
  viewer.ticks_from = is_recording ? ticks_.first() : ticks_.end();
  viewer.steps_from = is_recording ? steps_.first() : steps_.end();
}

void Audience::send_all(const Json& message) {
  for (const Viewer& viewer : viewers_) {
    if (viewer.is_greeted) viewer.seat->send_text(text_of(message));
  }
}

void Audience::take_notices() {
  Notice notice;
  while (exchange_.notices.take(notice)) {
    if (notice.scene) {
      scene_ = notice.scene;
      ticks_.clear();
      steps_.clear();
      tick_count_ = 0;
      for (Viewer& viewer : viewers_) greet(viewer);
      continue;
    }
    const std::string type = notice.message["type"];
    if (type == "scenes" || type == "parameters" || type == "recordings" || type == "recording" ||
        type == "warning") {
      latest_[type] = notice.message;
    }
    if (type != "scenes") send_all(notice.message);
  }
}

void Audience::take_rows() {
  const auto is_current = [&] { return scene_ && row_[0] == scene_->number; };
  while (exchange_.ticks.pop(row_)) {
    if (!is_current()) continue;
    ticks_.add(row_);
    tick_count_ = static_cast<std::uint32_t>(std::lround(row_[1] / scene_->tick_s));
  }
  while (exchange_.steps.pop(row_)) {
    if (is_current()) steps_.add(row_);
  }

  // how long the last ticks took, now and then
  const auto now = std::chrono::steady_clock::now();
  if (now < tick_times_due_ || ticks_.is_empty()) return;
  tick_times_due_ = now + std::chrono::milliseconds(250);
  std::vector<float> times;
  const std::uint64_t last = ticks_.end();
  for (auto i = std::max(ticks_.first(), last - std::min(last, ticks_looked_at)); i < last; ++i) {
    times.push_back(static_cast<float>(ticks_.row(i)[2]));
  }
  std::sort(times.begin(), times.end());
  tick_median_us_ = times[times.size() / 2];
  tick_longest_us_ = times.back();
}

void Audience::send_snapshot(Viewer& viewer) {
  const Snapshot& snapshot = exchange_.snapshots.value();
  if (viewer.wants_delassus && viewer.delassus != delassus_) {
    viewer.delassus = delassus_;
    viewer.seat->send_binary(delassus_message_);
  }
  if (viewer.snapshot == snapshots_ || viewer.unanswered.size() >= most_unanswered) return;
  viewer.snapshot = snapshots_;
  viewer.unanswered.push_back(++viewer.sequence);
  const SnapshotTables tables{ticks_, steps_, viewer.ticks_from, viewer.steps_from};
  SnapshotCounts counts;
  counts.sequence = viewer.sequence;
  counts.viewers = static_cast<std::uint32_t>(viewers_.size());
  counts.ticks = tick_count_;
  counts.tick_median_us = tick_median_us_;
  counts.tick_longest_us = tick_longest_us_;
  viewer.seat->send_binary(snapshot_message(snapshot, viewer.field, tables, counts));
  viewer.ticks_from = ticks_.end();
  viewer.steps_from = steps_.end();
}

void Audience::pass_on() {
  take_notices();
  take_rows();
  const bool is_new = exchange_.snapshots.refresh();
  const Snapshot& snapshot = exchange_.snapshots.value();
  if (!scene_ || snapshot.scene != scene_) return;
  if (is_new) ++snapshots_;
  if (is_new && snapshot.has_delassus) {
    ++delassus_;
    delassus_message_ = delassus_message(snapshot);
  }
  if (snapshots_ == 0) return;
  for (Viewer& viewer : viewers_) send_snapshot(viewer);
}

void Audience::apply(Viewer& viewer, const Show& show) {
  if (show.has_field) viewer.field = show.field;
  if (show.has_delassus) viewer.wants_delassus = show.delassus;
  note_viewers();
  // what is shown is sent anew
  viewer.snapshot = 0;
}

void Audience::forward(Viewer& viewer, Command command) {
  const std::string about(type_of(command.kind));
  const auto refuse = [&](const char* why) {
    viewer.seat->send_text(text_of({{"type", "error"}, {"text", why}, {"about", about}}));
  };
  if (&viewer != &viewers_.front()) {
    refuse("another viewer holds the controls");
  } else if (!exchange_.commands.post(std::move(command))) {
    refuse("the simulation is busy; try again");
  }
}

void Audience::receive(Seat& seat, std::string_view text) {
  Viewer* viewer = find(seat);
  if (viewer == nullptr) return;
  PageMessage message = parse_message(text);
  if (const Ack* ack = std::get_if<Ack>(&message)) {
    if (std::erase(viewer->unanswered, ack->frame) > 0) exchange_.has_been_drawn = true;
  } else if (const Show* show = std::get_if<Show>(&message)) {
    apply(*viewer, *show);
  } else if (std::holds_alternative<TakeControls>(message)) {
    tell_controls();
  } else if (Command* command = std::get_if<Command>(&message)) {
    forward(*viewer, std::move(*command));
  } else if (const Refusal* refusal = std::get_if<Refusal>(&message)) {
    viewer->seat->send_text(
        text_of({{"type", "error"}, {"text", refusal->text}, {"about", refusal->about}}));
  }
}

}  // namespace stickslip::viewer
