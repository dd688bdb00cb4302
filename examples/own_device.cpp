// A device of one's own and the smallest loop around it: docs/devices.md walks through it.

#include <cmath>
#include <cstdio>
#include <stickslip/haptics/models/device.hpp>

namespace {

using stickslip::DeviceLimits;
using stickslip::DeviceReading;
using stickslip::Vec3;
using stickslip::Vec6;

/// A handle on a spring, in place of hardware: 0.1 kg, 2 N s/m, held to 10 mm below the origin by
/// 200 N/m.
class SpringHandle : public stickslip::Device {
 public:
  SpringHandle() {
    limits_.name = "spring handle";
    limits_.sensed_dofs = 3;
    limits_.actuated_dofs = 3;
    limits_.peak_force = 4.0;
    limits_.workspace_radius = 0.05;
  }

  const DeviceLimits& limits() const override { return limits_; }

  // real hardware: fetch its newest sample, without waiting; false when it has gone
  bool read(DeviceReading& reading) override {
    reading = reading_;
    return true;
  }

  // real hardware: send the force, without waiting
  void write(const Vec6& wrench) override {
    const Vec3 force = stickslip::within_limits(wrench, limits_).head<3>();
    const Vec3 rest(0.0, 0.0, -0.01);
    const Vec3 pull = force + 200.0 * (rest - reading_.position) - 2.0 * reading_.velocity;
    reading_.velocity += limits_.tick_s * pull / 0.1;
    reading_.position += limits_.tick_s * reading_.velocity;
    ++reading_.sequence;
  }

  void stop() override { write(Vec6::Zero()); }

 private:
  DeviceLimits limits_;
  DeviceReading reading_;
};

/// A wall at z = 0 of 1000 N/m, above which nothing is felt.
Vec6 wall(const DeviceReading& reading) {
  Vec6 wrench = Vec6::Zero();
  if (reading.position.z() < 0.0) wrench[2] = -1000.0 * reading.position.z();
  return wrench;
}

}  // namespace

int main() {
  SpringHandle device;
  DeviceReading reading;
  for (int tick = 0; tick < 2000 && device.read(reading); ++tick) device.write(wall(reading));
  device.stop();
  // springs of 200 and 1000 N/m share 10 mm
  std::printf("the handle rests %.4f mm inside the wall\n", -1e3 * reading.position.z());
  return std::abs(reading.position.z() + 0.01 * 200.0 / 1200.0) < 1e-6 ? 0 : 1;
}
