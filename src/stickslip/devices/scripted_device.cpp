#include "stickslip/devices/scripted_device.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "stickslip/error.hpp"
#include "stickslip/io/time_csv.hpp"
#include "stickslip/math/rotation.hpp"

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

std::unique_ptr<SimulatedDevice> make_scripted_device(std::span<const Intention::Row> rows,
                                                      double tick_s) {
  DeviceModel model = find_device_model("ideal");
  model.limits.name = "scripted";
  model.limits.tick_s = tick_s;
  return std::make_unique<SimulatedDevice>(
      model, Operator{*find_hand_model("clamped"), Intention::from_rows(rows)});
}

}  // namespace stickslip
