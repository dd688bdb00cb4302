#pragma once

#include <nlohmann/json.hpp>

#include "stickslip/math/time_histogram.hpp"
#include "stickslip/math/types.hpp"
#include "stickslip/studies/comparison.hpp"

namespace stickslip {

inline nlohmann::ordered_json vector_json(const Vec3& v) {
  return {v.x(), v.y(), v.z()};
}

inline nlohmann::ordered_json times_json(const TimeHistogram& times) {
  return {{"p50", times.quantile(0.5)}, {"p99", times.quantile(0.99)}, {"max", times.max()}};
}

inline nlohmann::ordered_json method_json(const ComparedMethod& method) {
  return {{"name", method.name},
          {"converged", method.is_converged},
          {"in_time", method.is_in_time},
          {"contacts", method.contacts},
          {"loaded_contacts", method.loaded_contacts},
          {"iterations", method.iterations},
          {"normal_force_N", method.normal_force_N},
          {"friction_force_N", method.friction_force_N},
          {"difference_percent", method.difference_percent},
          {"penetration_m", method.penetration_m},
          {"error", method.error},
          {"adhesion_N", method.laws.adhesion_N},
          {"force_across_gap_m", method.laws.force_across_gap_m},
          {"cone_excess_N", method.laws.cone_excess_N},
          {"unopposed_slip_m", method.laws.unopposed_slip_m},
          {"slip_angle_deg", method.slip_angle_deg},
          {"stick_drift_m", method.stick_drift_m},
          {"energy_gain_J", method.energy_gain_J},
          {"solve_us", method.solve_us},
          {"total_us", method.total_us}};
}

}  // namespace stickslip
