#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "stickslip/devices/doorbell.hpp"
#include "stickslip/devices/haply_messages.hpp"
#include "stickslip/devices/websocket_client.hpp"
#include "stickslip/haptics/device.hpp"
#include "stickslip/haptics/newest.hpp"

namespace stickslip {

struct HaplyOptions {
  std::string host = "localhost";
  std::uint16_t port = 10001;
  std::string device_id;             ///< empty: the first there is
  std::string force_key = "vector";  ///< "values" for services up to 3.4
  double timeout_s = 0.1;            ///< without a state, after which the device is lost
};

/// Haply's Inverse3 by its Inverse Service, a program that speaks JSON over a WebSocket. The
/// service answers each message with one state, so a thread sends the force of each write() at once
/// and takes in the answer. Where the haptic loop falls silent it sends zero force, every 20 ms,
/// which keeps states coming. After a lost connection it tries again until there is one.
///
/// Orientation and buttons are those of the first grip, if any; angular velocity is the change of
/// orientation, smoothed over 10 ms.
class HaplyDevice : public Device {
 public:
  explicit HaplyDevice(const HaplyOptions& options = {});
  ~HaplyDevice() override;

  /// Until there is a state; false after `seconds`.
  bool wait_for_device(double seconds);

  const DeviceLimits& limits() const override { return limits_; }
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;

  /// Messages so far that were no JSON or had no position of the device.
  std::uint64_t garbled() const { return garbled_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Sample {
    DeviceReading reading;
    Clock::time_point at;
    bool is_ready = false;
  };
  struct Command {
    Vec3 force = Vec3::Zero();
    Clock::time_point at;
  };

  // of the driver's thread
  void run();
  void converse();
  void take(const std::string& text);
  void take_grip(const haply::Grip& grip, double elapsed_s);
  Vec3 force_to_send();

  HaplyOptions options_;
  DeviceLimits limits_;
  Newest<Sample> samples_;
  Newest<Command> commands_;
  Doorbell doorbell_;
  std::atomic<std::uint64_t> garbled_ = 0;
  std::atomic<bool> is_ending_ = false;
  // of the driver's thread alone
  WebSocketClient client_;
  std::string device_id_;
  haply::Status status_;
  Sample sample_;
  std::thread thread_;
};

}  // namespace stickslip
