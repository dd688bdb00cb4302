#pragma once

#include <filesystem>
#include <string>

#include "stickslip/scene/scene.hpp"

namespace stickslip {

/// Reads the course of a drive from a CSV file: a header `time_s,...` and a row for each time.
/// Columns of forces are fx_N, fy_N, fz_N, tx_Nm, ty_Nm, tz_Nm; of motions and springs x_m, y_m,
/// z_m, rx_rad, ry_rad, rz_rad; those that are absent are zero. Throws InputError, led by the
/// file and line.
TimeTable read_drive_csv(const std::filesystem::path& path, DriveKind kind);

}  // namespace stickslip
