#pragma once

#include <string>

namespace stickslip::testing_support {

/// A rigid block on a slope of 30 degrees, steeper than its friction bears.
inline std::string slope_scene(const std::string& duration_s) {
  return "[simulation]\ndt = 0.002\nduration = " + duration_s + R"(
[contact]
friction = 0.3
[[body]]
name = "slope"
kind = "fixed"
shape = "plane"
size = [10, 1]
rotation = { axis = [0, 1, 0], angle_deg = 30 }
[[body]]
name = "block"
kind = "rigid"
mass = 2
shape = "box"
size = [0.1, 0.06, 0.02]
rotation = { axis = [0, 1, 0], angle_deg = 30 }
)";
}

}  // namespace stickslip::testing_support
