#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/haptics/standing_tool.hpp"

namespace stickslip {
namespace {

using testing_support::ToldLoop;

// what the documentation promises
constexpr double pause_s = 0.02;
constexpr double silence_s = 0.05;
constexpr double stall_s = 0.05;
constexpr double fade_s = 0.02;
constexpr double recovery_s = 0.1;
constexpr double ramp_s = 0.25;
constexpr double slew_s = 0.015;
/// Which sample is the second to be believed is a matter of a tick.
constexpr double a_tick_s = 1.1e-3;

enum class Fault {
  none,
  late_ticks,
  one_late_tick,
  lost,
  not_finite,
  teleport,
  out_of_reach,
  repeated,
  reordered,
  dropped,
  old_samples,
  stopped_simulation,
  count,
};

/// A loop whose device and simulation fail at random, by a clock that is told: what it sends is
/// held against what the faults allow.
class FailingRun {
 public:
  explicit FailingRun(std::uint64_t seed)
      : random_(seed), told_({between(200.0, 5000.0), between(0.0, 5.0), 0.5, 0.001}) {
    for (int axis = 0; axis < 3; ++axis) {
      amplitude_[axis] = between(0.0, 0.02);
      rate_[axis] = between(1.0, 15.0);
    }
  }

  void run() {
    const int faults = 1 + static_cast<int>(random_() % 3);
    advance(Fault::none, between(0.1, 0.4));
    for (int k = 0; k < faults && !has_failed_; ++k) {
      const auto fault = static_cast<Fault>(1 + random_() % (static_cast<int>(Fault::count) - 1));
      advance(fault, between(0.0, 0.12));
      advance(Fault::none, between(0.0, 0.2));
    }
    // all is well in the end
    if (random_() % 4 != 0) return;
    advance(Fault::none, silence_s + recovery_s + ramp_s + 0.05);
    if (!has_failed_) {
      EXPECT_EQ(told_.record().safety, SafetyState::running);
    }
  }

  bool has_failed() const { return has_failed_; }
  int pushes() const { return pushes_; }
  int cuts() const { return cuts_; }

 private:
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11U) * 0x1p-53;
  }

  Vec3 hand() const {
    Vec3 position;
    for (int axis = 0; axis < 3; ++axis) {
      position[axis] = amplitude_[axis] * std::sin(rate_[axis] * time_);
    }
    return position;
  }

  void advance(Fault fault, double seconds) {
    const double until = time_ + seconds;
    const double far = std::pow(10.0, between(0.0, 300.0));
    const Vec3 elsewhere(0.1, between(-0.2, 0.2), 0.1);
    bool is_first = true;
    while (time_ < until && !has_failed_) {
      double elapsed = between(0.9e-3, 1.1e-3);
      if (fault == Fault::late_ticks) elapsed = between(0.2e-3, pause_s);
      if (fault == Fault::one_late_tick && is_first) elapsed = between(pause_s, 0.2);
      time_ += elapsed;
      tell(fault, far, elsewhere);
      told_.loop.tick(elapsed);
      judge(fault, elapsed);
      check(elapsed);
      if (fault == Fault::stopped_simulation) {
        since_step_ += elapsed;
      } else {
        told_.tool.step(told_.loop);
        since_step_ = 0.0;
      }
      is_first = false;
    }
  }

  /// What the device says at this tick.
  void tell(Fault fault, double far, const Vec3& elsewhere) {
    DeviceReading& reading = told_.device->reading;
    const DeviceReading before = reading;
    told_.device->is_there = fault != Fault::lost;
    reading.position = hand();
    reading.orientation = Quat::Identity();
    reading.age_s = 0.0;
    reading.sequence = ++newest_;
    switch (fault) {
      case Fault::not_finite:
        (random_() % 2 ? reading.position.y() : reading.orientation.y()) =
            random_() % 2 ? std::nan("") : -std::numeric_limits<double>::infinity();
        break;
      case Fault::teleport:
        reading.position += elsewhere;
        break;
      case Fault::out_of_reach:
        reading.position.x() += far;
        break;
      case Fault::repeated:
        reading = before;
        break;
      case Fault::reordered:
        // an older one than the last
        reading = before;
        reading.sequence = before.sequence - std::min<std::uint64_t>(before.sequence - 1, 3);
        reading.position = hand() + Vec3(0.01, 0.0, 0.0);
        break;
      case Fault::dropped:
        newest_ += random_() % 10;
        if (random_() % 10 != 0) reading = before;
        break;
      case Fault::old_samples:
        reading.age_s = between(0.0, 1.0) < 0.5 ? 0.06 : 1e9;
        break;
      default:
        break;
    }
  }

  /// Notes whether something is wrong at this tick, as the documentation has it.
  void judge(Fault fault, double elapsed) {
    const DeviceReading& reading = told_.device->reading;
    fault_ = fault;
    bool is_bad =
        fault == Fault::lost || fault == Fault::not_finite || fault == Fault::out_of_reach;
    const bool is_new = fault != Fault::repeated && fault != Fault::reordered &&
                        fault != Fault::old_samples && reading.sequence != sequence_;
    sequence_ = reading.sequence;
    silence_ = is_new ? 0.0 : silence_ + elapsed;
    since_known_ += elapsed;
    if (is_bad || silence_ > silence_s) {
      is_known_ = false;
      is_bad = true;
    } else if (is_new) {
      const double way = (reading.position - known_).norm();
      is_bad = has_begun_ && (!is_known_ || way > 5.0 * (since_known_ + 1e-3));
      has_begun_ = true;
      is_known_ = true;
      known_ = reading.position;
      since_known_ = 0.0;
    }
    const bool is_stalled = since_step_ + elapsed > stall_s + fade_s + a_tick_s;
    if (is_bad || is_stalled || elapsed > pause_s) failed_at_ = time_;
    if (since_step_ + elapsed > stall_s || failed_at_ == time_) well_since_ = time_;
  }

  void check(double elapsed) {
    const Vec6& sent = told_.device->sent;
    // finite, within the limits, no faster than the slew
    const double slack = 1.0 + 1e-9;
    const DeviceLimits& limits = told_.device->limits();
    expect(sent.allFinite(), "not finite");
    expect(sent.head<3>().norm() <= slack * limits.peak_force, "force beyond the limit");
    expect(sent.tail<3>().norm() <= slack * limits.peak_torque, "torque beyond the limit");
    const Vec6 before = elapsed > pause_s ? Vec6(Vec6::Zero()) : sent_;
    const bool is_cut = sent.isZero(0.0);
    expect(
        is_cut || (sent - before).head<3>().norm() <= slack * limits.peak_force * elapsed / slew_s,
        "force faster than the slew");
    expect(
        is_cut || (sent - before).tail<3>().norm() <= slack * limits.peak_torque * elapsed / slew_s,
        "torque faster than the slew");
    // zero while something is wrong and a while longer, and back from there by the ramp
    const bool must_be_zero = time_ - failed_at_ < recovery_s - a_tick_s;
    expect(!must_be_zero || is_cut, "force while something is wrong");
    const double since = std::max(0.0, time_ - failed_at_ - recovery_s + a_tick_s);
    expect(sent.head<3>().norm() <= slack * limits.peak_force * since / ramp_s + 1e-12,
           "force before the ramp");
    // nothing else is a fault
    const bool is_latched = told_.record().safety == SafetyState::latched;
    expect(!is_latched || time_ - well_since_ < recovery_s + silence_s, "latched without a fault");
    pushes_ += is_cut ? 0 : 1;
    cuts_ += is_cut && !sent_.isZero(0.0) ? 1 : 0;
    sent_ = sent;
  }

  void expect(bool holds, const char* what) {
    if (holds || has_failed_) return;
    has_failed_ = true;
    ADD_FAILURE() << what << " at " << time_ << " s, failed at " << failed_at_ << " s, fault "
                  << static_cast<int>(fault_);
  }

  std::mt19937_64 random_;
  ToldLoop told_;
  Vec3 amplitude_;
  Vec3 rate_;
  double time_ = 0.0;
  double since_step_ = 0.0;
  double silence_ = 0.0;
  double failed_at_ = -recovery_s;
  double well_since_ = 0.0;
  double since_known_ = 0.0;
  bool has_begun_ = false;
  bool is_known_ = false;
  Vec3 known_ = Vec3::Zero();
  std::uint64_t newest_ = 0;
  std::uint64_t sequence_ = 0;
  Vec6 sent_ = Vec6::Zero();
  Fault fault_ = Fault::none;
  int pushes_ = 0;
  int cuts_ = 0;
  bool has_failed_ = false;
};

TEST(HapticFaults, TenThousandRunsKeepWhatIsPromised) {
  std::int64_t pushes = 0;
  std::int64_t cuts = 0;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    FailingRun run(seed);
    run.run();
    ASSERT_FALSE(run.has_failed()) << "seed " << seed;
    pushes += run.pushes();
    cuts += run.cuts();
  }
  EXPECT_GT(pushes, 1'000'000);
  EXPECT_GT(cuts, 5'000);
}

}  // namespace
}  // namespace stickslip
