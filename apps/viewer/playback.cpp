#include "apps/viewer/playback.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>

#include "stickslip/error.hpp"
#include "stickslip/io/recording_export.hpp"

namespace stickslip::viewer {

Playback::Playback(const std::filesystem::path& file, const SceneBuildOptions& building)
    : recording_(file),
      description_(describe_recorded_scene(recording_.scene())),
      scene_(recording_.build_scene(building)),
      replay_(recording_, scene_) {}

std::int64_t Playback::last_step() const {
  const std::size_t rows = recording_.row_count();
  return rows == 0 ? first_step() : recording_.step(rows - 1);
}

void Playback::go_to(std::int64_t step) {
  // a little further on is nearer than the last full state
  const std::int64_t wanted = std::clamp(step, first_step(), last_step());
  if (wanted <= replay_.step() || wanted > replay_.step() + 50) return replay_.go_to(wanted);
  while (replay_.step() < wanted && replay_.advance()) {
  }
}

void Playback::take(Snapshot& to) {
  take_state(scene_, replay_.state(), replay_.data(), to);
  to.step = replay_.step();
  to.was_repeated = replay_.is_equal();
  if (replay_.was_stepped()) {
    take_contacts(scene_, replay_.state(), replay_.data(), reports_, to);
    return;
  }

  // a state that was read has no step of its own: the contacts are those recorded
  to.contacts.clear();
  if (replay_.next_row() == 0) return;
  const Recording::Details details = recording_.details(replay_.next_row() - 1, 1);
  for (const ContactReport& report : contacts_of(details, 0)) {
    const double mu = scene_.friction(report.body_1, report.body_2);
    to.contacts.push_back({.report = report, .mu = mu});
  }
}

std::uintmax_t write_table(const std::filesystem::path& file) {
  const Recording recording(file);
  std::filesystem::path table = file;
  table.replace_extension(".csv");
  std::ofstream stream(table, std::ios::binary);
  stream << table_header(recording) << '\n';
  constexpr std::size_t at_once = 1024;
  for (std::size_t first = 0; first < recording.row_count(); first += at_once) {
    const std::size_t count = std::min(at_once, recording.row_count() - first);
    const Recording::Details details = recording.details(first, count);
    for (std::size_t row = 0; row < count; ++row) {
      stream << table_line(recording, details, first, row) << '\n';
    }
  }
  stream.close();
  if (!stream) {
    throw InputError(
        fmt::format("{}: cannot be written; is there room on the disk?", table.string()));
  }
  return std::filesystem::file_size(table);
}

}  // namespace stickslip::viewer
