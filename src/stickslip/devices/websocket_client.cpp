#include "stickslip/devices/websocket_client.hpp"

// asio of Boost 1.74 needs it first
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <optional>

namespace stickslip {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Stream = beast::websocket::stream<Tcp::socket>;

/// No message of a device service comes near it.
constexpr std::size_t largest_message = 1 << 20;

}  // namespace

struct WebSocketClient::Connection {
  asio::io_context context;
  std::string host;
  Tcp::resolver::results_type endpoints;
  std::optional<Stream> stream;

  /// Runs one operation to its end or to its time limit; `start` is given what to call at the end.
  template <class Start>
  ConnectionTrouble run(double seconds, const Start& start) {
    std::optional<boost::system::error_code> outcome;
    start([&](boost::system::error_code error, auto&&...) { outcome = error; });
    context.restart();
    context.run_for(std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(seconds)));
    if (outcome) return *outcome ? outcome->message() : ConnectionTrouble();
    // what is not over in time is broken off, and its end awaited: it refers to this frame
    drop();
    context.restart();
    context.run();
    return "no answer in time";
  }

  void drop() {
    boost::system::error_code ignored;
    if (stream) stream->next_layer().close(ignored);
  }
};

WebSocketClient::WebSocketClient() : connection_(std::make_unique<Connection>()) {}

WebSocketClient::~WebSocketClient() = default;

ConnectionTrouble WebSocketClient::resolve(const std::string& host, std::uint16_t port,
                                           double seconds) {
  close();
  connection_ = std::make_unique<Connection>();
  connection_->host = host + ":" + std::to_string(port);
  Tcp::resolver resolver(connection_->context);
  return connection_->run(seconds, [&](auto end) {
    resolver.async_resolve(host, std::to_string(port),
                           [this, end](boost::system::error_code error, auto endpoints) {
                             connection_->endpoints = endpoints;
                             end(error);
                           });
  });
}

ConnectionTrouble WebSocketClient::connect(double seconds) {
  connection_->stream.emplace(connection_->context);
  Stream& stream = *connection_->stream;
  const ConnectionTrouble trouble = connection_->run(seconds, [&](auto end) {
    asio::async_connect(stream.next_layer(), connection_->endpoints, end);
  });
  // forces are short and must not wait for company
  boost::system::error_code ignored;
  if (trouble.empty()) stream.next_layer().set_option(Tcp::no_delay(true), ignored);
  return trouble;
}

ConnectionTrouble WebSocketClient::shake_hands(double seconds) {
  Stream& stream = *connection_->stream;
  stream.read_message_max(largest_message);
  stream.text(true);
  return connection_->run(seconds,
                          [&](auto end) { stream.async_handshake(connection_->host, "/", end); });
}

ConnectionTrouble WebSocketClient::send(const std::string& text, double seconds) {
  Stream& stream = *connection_->stream;
  return connection_->run(seconds, [&](auto end) { stream.async_write(asio::buffer(text), end); });
}

ConnectionTrouble WebSocketClient::receive(std::string& text, double seconds) {
  Stream& stream = *connection_->stream;
  text.clear();
  auto buffer = asio::dynamic_buffer(text);
  return connection_->run(seconds, [&](auto end) { stream.async_read(buffer, end); });
}

void WebSocketClient::close() {
  connection_->drop();
  connection_->stream.reset();
}

}  // namespace stickslip
