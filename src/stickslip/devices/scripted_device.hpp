#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "stickslip/haptics/models/hand.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip {

/// Poses over time from a CSV file: a header of time_s and any of x_m, y_m, z_m, rx_rad, ry_rad,
/// rz_rad (a rotation vector) and buttons (a number whose bits are the buttons), and a row for each
/// time, from 0 on. Throws InputError, led by the file.
std::vector<Intention::Row> read_pose_csv(const std::filesystem::path& path);

/// The poses of a hand in a recording of a run, from its first step on, in the axes of a device
/// that lies in the scene by `map`. Where the hand took hold or let go, the first button is
/// pressed; the second is down while it was clutched. `hand` counts from 1. Throws InputError, led
/// by the file.
std::vector<Intention::Row> read_hand_recording(const std::filesystem::path& path, int hand,
                                                const WorkspaceMap& map);

/// Poses of FILE.csv, or of RUN.h5[#HAND], by the two above.
std::vector<Intention::Row> read_poses(const std::string& file, const WorkspaceMap& map);

/// A device that plays recorded poses, straight between the rows, whatever the force: a tick at
/// each write(). After the last row it rests there.
std::unique_ptr<SimulatedDevice> make_scripted_device(std::span<const Intention::Row> rows,
                                                      double tick_s = 1e-3);

}  // namespace stickslip
