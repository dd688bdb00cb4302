#include "stickslip/devices/scripted_device.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "stickslip/error.hpp"
#include "stickslip/haptics/loop/haptic_loop.hpp"
#include "stickslip/io/recording.hpp"
#include "stickslip/io/time_csv.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/file_cursor.hpp"

namespace stickslip {

std::vector<Intention::Row> read_pose_csv(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 7> columns = {"x_m",    "y_m",    "z_m",    "rx_rad",
                                                       "ry_rad", "rz_rad", "buttons"};
  std::vector<Intention::Row> rows;
  for (const TimeCsvRow& row : read_time_csv(path, columns)) {
    if (row.time_s < 0.0) {
      throw InputError(fmt::format("{}: time_s = {} is before the start; let times begin at 0",
                                   path.string(), row.time_s));
    }
    const double buttons = row.values[6];
    if (buttons < 0.0 || buttons >= 4294967296.0 || buttons != std::floor(buttons)) {
      throw InputError(fmt::format(
          "{}: buttons = {} at {} s is no set of bits; give a whole number of 0 or more",
          path.string(), buttons, row.time_s));
    }
    const Vec3 position(row.values.data());
    const Vec3 turn(row.values.data() + 3);
    rows.push_back(
        {row.time_s, {position, rotation_exp(turn)}, static_cast<std::uint32_t>(buttons)});
  }
  return rows;
}

std::vector<Intention::Row> read_hand_recording(const std::filesystem::path& path, int hand,
                                                const WorkspaceMap& map) {
  const Recording recording(path);
  if (hand < 1 || hand > recording.hand_count()) {
    throw InputError(
        fmt::format("{}: hand {} is not there; it has {} (record a scene with [[hand]])",
                    path.string(), hand, recording.hand_count()));
  }
  if (recording.row_count() == 0) {
    throw InputError(fmt::format("{}: no step was recorded; record a longer run", path.string()));
  }
  std::vector<Intention::Row> rows;
  bool held = false;
  for (std::size_t r = 0; r < recording.row_count(); ++r) {
    const HandInput input = recording.hand_input(r, hand - 1);
    // told at the beginning of a step
    Intention::Row row{recording.time(r) - recording.time(0), map.to_device(input.pose), 0};
    if (r > 0 && input.wants_hold != held) row.buttons |= default_grab_button;
    if (input.is_clutched) row.buttons |= default_clutch_button;
    held = input.wants_hold;
    rows.push_back(row);
  }
  return rows;
}

std::vector<Intention::Row> read_poses(const std::string& file, const WorkspaceMap& map) {
  const std::size_t mark = std::min(file.rfind('#'), file.size());
  const std::filesystem::path path = file.substr(0, mark);
  const std::string kind = path.extension().string();
  if (kind != ".h5" && kind != ".hdf5") return read_pose_csv(file);
  std::int64_t hand = 1;
  if (mark < file.size() &&
      (!parse_integer(file.substr(mark + 1), hand) || hand < 1 || hand > 99)) {
    throw InputError(fmt::format("{}: '{}' is not the number of a hand; give 1, 2, ...",
                                 path.string(), printable(file.substr(mark + 1))));
  }
  return read_hand_recording(path, static_cast<int>(hand), map);
}

std::unique_ptr<SimulatedDevice> make_scripted_device(std::span<const Intention::Row> rows,
                                                      double tick_s) {
  DeviceModel model = find_device_model("ideal");
  model.limits.name = "scripted";
  model.limits.tick_s = tick_s;
  return std::make_unique<SimulatedDevice>(
      model, Operator{*find_hand_model("clamped"), Intention::from_rows(rows)});
}

}  // namespace stickslip
