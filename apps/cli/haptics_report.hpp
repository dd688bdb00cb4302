#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "stickslip/studies/haptics_bench.hpp"

namespace stickslip::cli {

/// The figures of a bench as tables for people.
std::string bench_text(const HapticsBench& bench);

nlohmann::ordered_json bench_json(const HapticsBench& bench);

/// Writes tables (asked, hands, fidelity, springs, endurance .csv) and pictures (stiffness and
/// force steps of each device, .svg) into a folder, which is made where there is none. Throws
/// InputError.
void write_bench(const std::filesystem::path& folder, const HapticsBench& bench);

}  // namespace stickslip::cli
