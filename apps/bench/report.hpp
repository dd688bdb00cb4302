#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/bench/figures.hpp"

namespace stickslip::bench {

nlohmann::ordered_json report_json(const Report& report);

/// Tables that read well both in a terminal and as Markdown.
std::string report_text(const Report& report);

}  // namespace stickslip::bench
