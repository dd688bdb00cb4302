#include "stickslip/io/drive_table.hpp"

#include <array>
#include <string_view>

#include "stickslip/io/time_csv.hpp"

namespace stickslip {

namespace {

using Columns = std::array<std::string_view, 6>;
constexpr Columns force_columns = {"fx_N", "fy_N", "fz_N", "tx_Nm", "ty_Nm", "tz_Nm"};
constexpr Columns motion_columns = {"x_m", "y_m", "z_m", "rx_rad", "ry_rad", "rz_rad"};

}  // namespace

TimeTable read_drive_csv(const std::filesystem::path& path, DriveKind kind) {
  const Columns& columns = kind == DriveKind::force ? force_columns : motion_columns;
  std::vector<TimeTable::Row> rows;
  for (const TimeCsvRow& row : read_time_csv(path, columns)) {
    rows.push_back({row.time_s, Vec6(row.values.data())});
  }
  return TimeTable(std::move(rows));
}

}  // namespace stickslip
