#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace stickslip {

struct TimeCsvRow {
  double time_s = 0.0;
  std::vector<double> values;  ///< one for each known column, 0 where the file lacks it
};

/// Reads a CSV file of numbers over time: a header of time_s and any of the known columns, in any
/// order, and at least one row; times ascend. Throws InputError, led by the file and line.
std::vector<TimeCsvRow> read_time_csv(const std::filesystem::path& path,
                                      std::span<const std::string_view> known);

}  // namespace stickslip
