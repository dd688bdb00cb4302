#pragma once

#include <cstdint>
#include <string_view>

namespace stickslip::cli {

/// How long one `unit` (m, cm, mm, um, in) is. Throws InputError. [m]
double unit_in_metres(std::string_view unit);

/// A positive length such as "2mm", "0.5 in" or "0.002", which is in metres; 0.1 and more want
/// their unit. `option` names its origin in the InputError that anything else causes. [m]
double parse_length(std::string_view option, std::string_view text);

/// A positive amount of memory such as "4GB", "800 MB" or "1e9". [B]
std::int64_t parse_bytes(std::string_view option, std::string_view text);

}  // namespace stickslip::cli
