#include "stickslip/simulation/probe_readings.hpp"

namespace stickslip {

namespace {

Vec3 position_of(const Scene& scene, const State& state, const Probe& probe) {
  const auto b = uz(probe.body);
  return probe.is_on_surface ? scene.bodies[b].body.position(state.bodies[b], probe.point)
                             : state.bodies[b].frame.position;
}

}  // namespace

std::vector<ProbeReading> initial_readings(const Scene& scene, const State& state) {
  std::vector<ProbeReading> readings;
  for (const Probe& probe : scene.probes) {
    const FrameState& frame = state.bodies[uz(probe.body)].frame;
    ProbeReading reading;
    reading.position = position_of(scene, state, probe);
    reading.velocity =
        frame.velocity + frame.angular_velocity.cross(reading.position - frame.position);
    reading.angular_velocity = frame.angular_velocity;
    readings.push_back(reading);
  }
  return readings;
}

void update_readings(const Scene& scene, const State& state, const StepData& data,
                     std::vector<ProbeReading>& readings) {
  for (std::size_t p = 0; p < scene.probes.size(); ++p) {
    const Probe& probe = scene.probes[p];
    ProbeReading& reading = readings[p];
    const FrameState& frame = state.bodies[uz(probe.body)].frame;
    const Vec3 before = reading.position;
    reading.position = position_of(scene, state, probe);
    reading.velocity = probe.is_on_surface ? Vec3((reading.position - before) / scene.simulation.dt)
                                           : frame.velocity;
    reading.angular_velocity = frame.angular_velocity;
    const Vec6& wrench = data.body_steps[uz(probe.body)].contact_wrench;
    reading.force = wrench.head<3>();
    reading.torque = wrench.tail<3>() + (frame.position - reading.position).cross(reading.force);
  }
}

}  // namespace stickslip
