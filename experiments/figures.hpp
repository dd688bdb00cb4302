#pragma once

#include "experiments/finding.hpp"

namespace stickslip::experiments {

// One function a figure, in the file of its name. Each may throw InputError.

Finding figure_07_gap(const Settings& settings);
Finding figure_08_time(const Settings& settings);
Finding section_5_tolerance(const Settings& settings);

}  // namespace stickslip::experiments
