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

  ConnectionTrouble send(const std::string& text, double seconds);
  ConnectionTrouble receive(std::string& text, double seconds);
  /// Drops the connection. Another may follow.
  void close();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace stickslip
