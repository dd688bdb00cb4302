#pragma once

#include <filesystem>
#include <string_view>

namespace stickslip {

/// Writes a whole file: to a temporary one in the same folder first, which then takes its name.
/// Whoever reads the path finds the old contents or the new, never a part. Throws InputError
/// when the file cannot be written; nothing is left behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view contents);

}  // namespace stickslip
