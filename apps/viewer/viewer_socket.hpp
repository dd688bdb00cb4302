#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "apps/viewer/audience.hpp"
#include "apps/viewer/beast.hpp"

namespace stickslip::viewer {

/// One page, at the other end of a WebSocket.
class ViewerSocket : public Seat, public std::enable_shared_from_this<ViewerSocket> {
 public:
  ViewerSocket(beast::tcp_stream stream, Audience& audience);

  /// Answers the request, whose right to be here was checked, and joins the audience.
  void start(const Request& request);
  void close(websocket::close_code code);

  void send_text(std::string text) override;
  void send_binary(std::string bytes) override;

 private:
  struct Message {
    std::string bytes;
    bool is_text;
  };
  void send(Message message);
  void write_next();
  void read_next();
  bool may_speak();
  void end();

  websocket::stream<beast::tcp_stream> stream_;
  asio::steady_timer farewell_;
  Audience& audience_;
  beast::flat_buffer buffer_;
  std::deque<Message> outgoing_;
  std::size_t outgoing_bytes_ = 0;
  bool has_joined_ = false;
  bool is_open_ = false;  ///< the handshake is over
  bool is_closing_ = false;
  // how much it may still say
  double allowance_;
  std::chrono::steady_clock::time_point counted_;
};

}  // namespace stickslip::viewer
