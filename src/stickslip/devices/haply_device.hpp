#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "stickslip/devices/doorbell.hpp"
#include "stickslip/devices/driver_clock.hpp"
#include "stickslip/devices/haply_conversation.hpp"
#include "stickslip/devices/link_meter.hpp"
#include "stickslip/devices/websocket_client.hpp"
#include "stickslip/haptics/loop/newest.hpp"
#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

struct HaplyOptions {
  std::string host = "localhost";
  std::uint16_t port = 10001;
  std::string device_id;             ///< empty: the first there is
  std::string force_key = "vector";  ///< "values" for services up to 3.4
  double timeout_s = 0.1;            ///< without a state, after which the device is lost
  DriverClock clock = steady_seconds;
};

/// Haply's Inverse3 by its Inverse Service, a program that speaks JSON over a WebSocket. A thread
/// holds the conversation: what is said and what answers mean is HaplyConversation's. After a lost
/// connection it tries again until there is one. Every connection that ends while the process lives
/// ends with zero force, said at least three times and until it is answered, for 0.25 s at most.
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
  LinkTimes link() const override { return link_.times(); }
  bool read(DeviceReading& reading) override;
  void write(const Vec6& wrench) override;
  void stop() override;

  /// Messages so far that were no JSON or had no position of the device that makes sense.
  std::uint64_t garbled() const { return garbled_.load(std::memory_order_relaxed); }
  /// Messages so far that were more than one to each of ours.
  std::uint64_t unasked() const { return unasked_.load(std::memory_order_relaxed); }

 private:
  // of the driver's thread
  void run();
  bool connect();
  void converse();
  void take_in();
  bool say(const HaplyWord& word);
  void say_last_words();

  HaplyOptions options_;
  DeviceLimits limits_;
  Newest<HaplySample> samples_;
  Newest<HaplyCommand> commands_;
  Doorbell doorbell_;
  std::atomic<std::uint64_t> garbled_ = 0;
  std::atomic<std::uint64_t> unasked_ = 0;
  std::atomic<bool> is_ending_ = false;
  // of the thread that reads and writes
  HaplyView view_;
  std::uint64_t known_sequence_ = 0;
  LinkMeter link_;
  // of the driver's thread alone
  WebSocketClient client_;
  HaplyConversation conversation_;
  std::string text_;
  std::thread thread_;
};

}  // namespace stickslip
