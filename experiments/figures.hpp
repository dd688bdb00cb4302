#pragma once

#include "experiments/finding.hpp"

namespace stickslip::experiments {

// One function a figure, in the file of its name. Each may throw InputError.

Finding section_2_methods(const Settings& settings);
Finding figure_03_triangles(const Settings& settings);
Finding figure_04_friction_law(const Settings& settings);
Finding figure_05_pyramid(const Settings& settings);
Finding figure_06_legs(const Settings& settings);
Finding figure_07_gap(const Settings& settings);
Finding figure_08_time(const Settings& settings);
Finding figure_09_delassus(const Settings& settings);
Finding figure_10_reinforcements(const Settings& settings);
Finding figure_11_delassus_reinforced(const Settings& settings);
Finding figure_12_two_motions(const Settings& settings);
Finding figure_13_block(const Settings& settings);
Finding figure_14_snap_in(const Settings& settings);
Finding figure_15_two_hands(const Settings& settings);
Finding figure_16_deformable_pipes(const Settings& settings);
Finding figure_17_frictionless(const Settings& settings);
Finding figure_18_friction(const Settings& settings);
Finding section_5_tolerance(const Settings& settings);
Finding section_6_time_step(const Settings& settings);
Finding section_6_corotational(const Settings& settings);

}  // namespace stickslip::experiments
