#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "stickslip/devices/haply_messages.hpp"
#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

/// What the driver knows of the device.
struct HaplySample {
  DeviceReading reading;
  double since = 0.0;  ///< the device was there no earlier than then [s]
  bool is_ready = false;
  std::uint64_t losses = 0;  ///< how often the driver has dropped a force by itself
};

/// What the haptic loop wants.
struct HaplyCommand {
  Vec3 force = Vec3::Zero();
  double at = -1.0;                ///< when it was written [s]; negative: never
  std::uint64_t known_losses = 0;  ///< those that the loop had heard of
};

/// The haptic loop's side of it, in the loop's own thread.
class HaplyView {
 public:
  explicit HaplyView(double timeout_s) : timeout_s_(timeout_s) {}

  /// The sample as a reading. False while the device is lost, and once after each loss: a force
  /// that the driver has dropped begins anew.
  bool read(const HaplySample& sample, double now, DeviceReading& reading);
  HaplyCommand command(const Vec3& force, double now) const { return {force, now, known_losses_}; }

 private:
  double timeout_s_;
  std::uint64_t known_losses_ = 0;
};

/// One message to the service.
struct HaplyWord {
  std::uint64_t number = 0;  ///< of the ping that goes before it
  std::string device_id;
  Vec3 force = Vec3::Zero();
  bool is_first = false;  ///< of its connection
};

/// The driver's side of what is said to Haply's Inverse Service, without socket and clock: messages
/// and times come in, messages go out.
///
/// The service greets and then answers each message with one state. A state is no older than the
/// message that it answers, as far as two witnesses tell: the n-th answer belongs to the n-th
/// message; and before each message goes a ping with its number, the echo of which (a pong) comes
/// before whatever the service says after reading it. A count is led astray by a service that says
/// more than it is asked, echoes are not. One message is under way at a time; where its answer is
/// late, the next follows after 20 ms, and a force that is to be dropped at once. Answers that are
/// missing for good are noticed within a second: then the driver is hushed for as long as a device
/// may be silent, and starts counting anew. A device is there from the first echo on; a service
/// that has echoed nothing within a second is believed by the count alone.
///
/// The force is zero while the loop is silent, the device is lost or the driver hushed. Whenever
/// the driver has dropped a force by itself it counts a loss, and sends no force before the loop
/// has heard of it.
class HaplyConversation {
 public:
  static constexpr double loop_silence_s = 0.02;  ///< without a write(), then the force is zero
  static constexpr double repeat_s = 0.02;        ///< after which something is said again
  static constexpr double doubt_s = 1.0;          ///< of missing answers or echoes
  static constexpr double give_up_s = 1.0;        ///< without any answer
  static constexpr double farthest = 10.0;        ///< no device reaches beyond [m]
  static constexpr double fastest = 100.0;        ///< [m/s]

  /// `device_id` empty: the first device there is. Without a state for `timeout_s` it is lost.
  HaplyConversation(const DeviceLimits& limits, std::string device_id, double timeout_s);

  /// A new connection.
  void begin(double now);
  /// So many messages have come, of which the newest says this; nothing: it is no JSON, or there
  /// are more still waiting behind it. It came after the echo of ping `echoed`; 0: before any.
  void take(std::uint64_t count, const std::optional<haply::Message>& newest, std::uint64_t echoed,
            double now);
  /// Pings have been echoed up to this one.
  void hear_echo(std::uint64_t number);
  /// What is to be said now, if anything.
  std::optional<HaplyWord> speak(const HaplyCommand& command, double now);
  /// At the end: no force, whatever was wanted.
  HaplyWord last_word(double now);
  bool is_greeted() const { return is_greeted_; }
  /// Whether a word has been answered that was said after the last force.
  bool is_heard_at_rest() const { return is_at_rest() && heard(echoed_) >= rest_from_; }

  /// How long nothing is to be said unless something comes. [s]
  double patience(double now) const;
  /// No answer for so long that another connection is better.
  bool is_given_up(double now) const { return now - heard_at_ > give_up_s; }

  const HaplySample& sample() const { return sample_; }
  /// Messages without a position of the device that makes sense.
  std::uint64_t garbled() const { return garbled_; }
  /// Messages that nobody asked for.
  std::uint64_t unasked() const { return unasked_; }

 private:
  bool is_lost(double now) const;
  bool is_at_rest() const { return last_force_.isZero(0.0); }
  /// The newest message that was heard for sure by who has echoed so much.
  std::uint64_t heard(std::uint64_t echoed) const;
  std::uint64_t pending() const { return said_ - heard(echoed_); }
  double said_at(std::uint64_t number) const;
  Vec3 force_for(const HaplyCommand& command, double now);
  void consider_hush(double now);
  void take_state(const haply::Message& message, double since);
  void take_grip(const haply::Grip& grip, double since);
  HaplyWord say(const Vec3& force, double now);

  static constexpr std::size_t remembered = 256;

  DeviceLimits limits_;
  std::string wanted_id_;
  double timeout_s_;
  // of the connection
  std::string device_id_;
  haply::Status status_;
  bool is_greeted_ = false;
  std::uint64_t said_ = 0;
  std::uint64_t answered_ = 0;  ///< by the count
  std::uint64_t echoed_ = 0;
  bool has_no_echo_ = false;
  double greeted_at_ = 0.0;
  std::uint64_t rest_from_ = 0;  ///< the first message without force since the last with one
  std::array<double, remembered> said_at_{};  ///< number 0: the connection began
  double heard_at_ = 0.0;
  double all_answered_at_ = 0.0;
  bool is_hushed_ = false;
  double hushed_at_ = 0.0;
  // what was wanted and sent last
  double command_at_ = -1.0;
  Vec3 last_force_ = Vec3::Zero();
  HaplySample sample_;
  Quat turned_from_ = Quat::Identity();
  double turned_at_ = 0.0;
  std::uint64_t garbled_ = 0;
  std::uint64_t unasked_ = 0;
};

}  // namespace stickslip
