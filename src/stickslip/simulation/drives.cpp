#include "stickslip/simulation/drives.hpp"

#include <algorithm>

#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

/// Where a frame that starts at `initial` is after moving by the six numbers about a pivot.
FrameState moved(const FrameState& initial, const Vec6& motion, const Vec3& pivot) {
  FrameState frame = initial;
  const Quat turn = rotation_exp(motion.tail<3>());
  frame.position = pivot + motion.head<3>() + turn * (initial.position - pivot);
  frame.orientation = turn * initial.orientation;
  return frame;
}

}  // namespace

void apply_drives(const Scene& scene, State& state, StepData& data) {
  const double dt = scene.simulation.dt;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    data.loads[b].frame = FrameLoad{};
    data.loads[b].frame.gravity = scene.simulation.gravity;
    const VecX& gone = state.load_displacements[b];
    data.loads[b].sag = gone.size() < 3 ? Vec3::Zero() : Vec3(gone.head<3>());
    std::fill(data.load_cases[b].begin(), data.load_cases[b].end(), 0.0);
  }
  for (std::size_t d = 0; d < scene.drives.size(); ++d) {
    const Drive& drive = scene.drives[d];
    DriveInput& input = data.inputs[d];
    if (!input.is_given) input.value = drive.table.at(state.time_s + dt);
    const Vec6& value = input.value;
    const auto b = uz(drive.body);
    FrameState& frame = state.bodies[b].frame;
    FrameLoad& load = data.loads[b].frame;
    switch (drive.kind) {
      case DriveKind::motion: {
        const FrameState target = moved(data.initial_frames[b], value, drive.pivot);
        frame.velocity = (target.position - frame.position) / dt;
        frame.angular_velocity = turn_between(frame.orientation, target.orientation) / dt;
        break;
      }
      case DriveKind::force:
        if (drive.load_case >= 0) {
          const Vec3 local = frame.orientation.conjugate() * Vec3(value.head<3>());
          for (int d = 0; d < 3; ++d) data.load_cases[b][uz(drive.load_case + d)] += local[d];
        } else {
          load.wrench += value;
        }
        break;
      case DriveKind::spring: {
        const FrameState target = moved(data.initial_frames[b], value, drive.pivot);
        const FrameState before = moved(data.initial_frames[b], state.inputs[d], drive.pivot);
        const Vec3 velocity = (target.position - before.position) / dt;
        const Vec3 turning = turn_between(before.orientation, target.orientation) / dt;
        load.K_c.diagonal().head<3>().array() += drive.stiffness;
        load.K_c.diagonal().tail<3>().array() += drive.rotational_stiffness;
        load.B_c.diagonal().head<3>().array() += drive.damping;
        load.B_c.diagonal().tail<3>().array() += drive.rotational_damping;
        load.spring_wrench.head<3>() +=
            drive.stiffness * (target.position - frame.position) + drive.damping * velocity;
        load.spring_wrench.tail<3>() +=
            drive.rotational_stiffness * turn_between(frame.orientation, target.orientation) +
            drive.rotational_damping * turning;
        break;
      }
    }
  }
}

}  // namespace stickslip
