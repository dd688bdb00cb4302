#include "stickslip/devices/websocket_client.hpp"

// asio of Boost 1.74 needs it first
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>

namespace stickslip {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Stream = beast::websocket::stream<Tcp::socket>;

using Clock = std::chrono::steady_clock;

/// No message of a device service comes near it.
constexpr std::size_t largest_message = 1 << 20;
/// Events that one call takes in, so that a flood ends.
constexpr int most_events = 256;

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

struct WebSocketClient::Connection {
  asio::io_context context;
  std::string host;
  Tcp::resolver::results_type endpoints;
  std::optional<Stream> stream;
  // what comes in, once hands are shaken
  struct Message {
    std::string text;
    std::uint64_t echo_before = 0;
  };
  beast::flat_buffer incoming;
  std::deque<Message> messages;
  std::uint64_t last_echo = 0;
  std::uint64_t echo_before = 0;
  bool has_more = false;
  ConnectionTrouble trouble;

  /// Runs one operation to its end or to its time limit; `start` is given what to call at the end.
  template <class Start>
  ConnectionTrouble run(double seconds, const Start& start) {
    std::optional<boost::system::error_code> outcome;
    start([&](boost::system::error_code error, auto&&...) { outcome = error; });
    const auto until = after(seconds);
    context.restart();
    while (!outcome && context.run_one_until(until) > 0) {
    }
    if (outcome) return *outcome ? outcome->message() : ConnectionTrouble();
    // what is not over in time is broken off, and its end awaited: it refers to this frame
    drop();
    context.restart();
    context.run();
    return "no answer in time";
  }

  /// Pongs come between messages.
  void listen_for_echoes() {
    stream->control_callback([this](beast::websocket::frame_type kind, beast::string_view payload) {
      if (kind != beast::websocket::frame_type::pong) return;
      std::uint64_t number = 0;
      const char* end = payload.data() + payload.size();
      if (std::from_chars(payload.data(), end, number).ptr == end) last_echo = number;
    });
  }

  /// Keeps reading, message after message.
  void read_on() {
    stream->async_read(incoming, [this](boost::system::error_code error, std::size_t) {
      if (error) {
        trouble = error.message();
        return;
      }
      messages.push_back({beast::buffers_to_string(incoming.data()), last_echo});
      incoming.clear();
      read_on();
    });
  }

  /// Takes in what there is, without waiting.
  void take_in() {
    context.restart();
    int events = 0;
    while (events < most_events && context.poll_one() > 0) ++events;
    has_more = events == most_events;
  }

  /// Has the system acknowledge what comes next at once. It forgets that again; and many a server
  /// holds back a message until the pong before it is acknowledged (Nagle's algorithm).
  void acknowledge_at_once() {
    const int yes = 1;
    ::setsockopt(stream->next_layer().native_handle(), IPPROTO_TCP, TCP_QUICKACK, &yes,
                 sizeof(yes));
  }

  void drop() {
    boost::system::error_code ignored;
    if (stream) stream->next_layer().close(ignored);
  }
};

WebSocketClient::WebSocketClient() : connection_(std::make_unique<Connection>()) {}

WebSocketClient::~WebSocketClient() {
  close();
}

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
  const ConnectionTrouble trouble = connection_->run(
      seconds, [&](auto end) { stream.async_handshake(connection_->host, "/", end); });
  connection_->listen_for_echoes();
  if (trouble.empty()) connection_->read_on();
  return trouble;
}

ConnectionTrouble WebSocketClient::send(const std::string& text, double seconds) {
  if (!connection_->trouble.empty()) return connection_->trouble;
  Stream& stream = *connection_->stream;
  return connection_->run(seconds, [&](auto end) { stream.async_write(asio::buffer(text), end); });
}

ConnectionTrouble WebSocketClient::ping(std::uint64_t number, double seconds) {
  if (!connection_->trouble.empty()) return connection_->trouble;
  Stream& stream = *connection_->stream;
  const std::string text = std::to_string(number);
  const beast::websocket::ping_data payload(text.data(), text.size());
  return connection_->run(seconds, [&](auto end) { stream.async_ping(payload, end); });
}

ConnectionTrouble WebSocketClient::wait(double seconds, int descriptor) {
  Connection& connection = *connection_;
  const auto until = after(seconds);
  bool is_over = false;
  while (true) {
    connection.take_in();
    if (is_over || !connection.trouble.empty() || !connection.messages.empty()) break;
    connection.acknowledge_at_once();
    const std::chrono::duration<double, std::milli> left = until - Clock::now();
    std::array<pollfd, 2> entries = {
        pollfd{connection.stream->next_layer().native_handle(), POLLIN, 0},
        pollfd{descriptor, POLLIN, 0}};
    ::poll(entries.data(), entries.size(),
           static_cast<int>(std::ceil(std::max(0.0, left.count()))));
    is_over = left.count() <= 0.0 || entries[1].revents != 0;
  }
  // what has come counts before what broke
  return connection.messages.empty() ? connection.trouble : ConnectionTrouble();
}

bool WebSocketClient::take(std::string& text) {
  auto& messages = connection_->messages;
  if (messages.empty()) return false;
  text = std::move(messages.front().text);
  connection_->echo_before = messages.front().echo_before;
  messages.pop_front();
  return true;
}

std::uint64_t WebSocketClient::echo_before() const {
  return connection_->echo_before;
}

std::uint64_t WebSocketClient::last_echo() const {
  return connection_->last_echo;
}

bool WebSocketClient::has_more() const {
  return connection_->has_more;
}

ConnectionTrouble WebSocketClient::receive(std::string& text, double seconds) {
  const ConnectionTrouble trouble = wait(seconds);
  if (!trouble.empty()) return trouble;
  return take(text) ? ConnectionTrouble() : "no answer in time";
}

void WebSocketClient::close() {
  // the end of what is still being read is awaited: it refers to the stream
  connection_->drop();
  connection_->context.restart();
  connection_->context.run();
  connection_->stream.reset();
}

}  // namespace stickslip
