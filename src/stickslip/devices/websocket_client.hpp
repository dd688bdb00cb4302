#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace stickslip {

/// Where a connection ended up: empty is success, else what went wrong, in a few words.
using ConnectionTrouble = std::string;

/// A WebSocket connection for text messages, from the thread of a driver: everything has its time
/// limit, nothing throws.
class WebSocketClient {
 public:
  WebSocketClient();
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient();

  // the three steps of a connection, in this order
  ConnectionTrouble resolve(const std::string& host, std::uint16_t port, double seconds);
  ConnectionTrouble connect(double seconds);
  ConnectionTrouble shake_hands(double seconds);

  // messages that come are read meanwhile, in each of these
  ConnectionTrouble send(const std::string& text, double seconds);
  /// Until a message has come, or `descriptor` can be read, or the time is over.
  ConnectionTrouble wait(double seconds, int descriptor = -1);
  /// Sends a ping with a number, which comes back in a pong.
  ConnectionTrouble ping(std::uint64_t number, double seconds);
  /// The oldest message that has come; false where there is none.
  bool take(std::string& text);
  /// Of the last pong before the message taken last, and of the last that has come; 0: none.
  std::uint64_t echo_before() const;
  std::uint64_t last_echo() const;
  /// More came than the last wait() could take in.
  bool has_more() const;
  /// Both: the next message.
  ConnectionTrouble receive(std::string& text, double seconds);
  /// Drops the connection. Another may follow.
  void close();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace stickslip
