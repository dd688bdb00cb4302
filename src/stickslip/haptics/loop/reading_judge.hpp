#pragma once

#include <cstdint>

#include "stickslip/haptics/models/device.hpp"
#include "stickslip/math/types.hpp"

namespace stickslip {

/// What a device in a hand can do.
struct ReadingLimits {
  double fastest = 5.0;        ///< motion beyond this is no hand's [m/s]
  double fastest_turn = 60.0;  ///< [rad/s]
  double silence_s = 0.05;     ///< without a new sample for so long, it is lost
  double reach_share = 5.0;    ///< of the stated radius of its workspace, about its origin
  double reach = 10.0;         ///< the same of a device that states none [m]
};

/// Tells readings that can be true from those that cannot, before anything else looks at them.
class ReadingJudge {
 public:
  enum class Verdict {
    fresh,     ///< a new sample
    repeated,  ///< nothing new came, which is no harm yet
    bad,       ///< lost, silent, not finite, out of reach, or jumped
  };

  ReadingJudge(const ReadingLimits& limits, const DeviceLimits& device, double tick_s);

  /// Of what a device said, so long after the last call. After anything bad, a jump among it, a
  /// device is believed from its second new sample on.
  Verdict judge(bool is_there, const DeviceReading& reading, double elapsed_s);

  /// From the last fresh sample but one to the last, by their ages; above 0. [s]
  double interval_s() const { return interval_s_; }

 private:
  bool is_sensible(const DeviceReading& reading) const;
  bool is_old(const DeviceReading& reading) const;
  bool has_jumped(const DeviceReading& reading) const;

  ReadingLimits limits_;
  double reach_;
  double tick_s_;
  bool has_begun_ = false;  ///< something was read at all
  bool is_known_ = false;   ///< where the device was
  bool is_believed_ = false;
  Vec3 position_ = Vec3::Zero();
  Quat orientation_ = Quat::Identity();
  std::uint64_t sequence_ = 0;
  double age_s_ = 0.0;         ///< of the sample known last, when it came
  double since_sample_ = 0.0;  ///< since it came [s]
  double interval_s_;
};

}  // namespace stickslip
