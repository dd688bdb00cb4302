#include "apps/viewer/viewer_socket.hpp"

#include <algorithm>
#include <string_view>

namespace stickslip::viewer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_message = 4096;
constexpr double messages_per_second = 400.0;
constexpr double messages_at_once = 800.0;
/// Of what waits for a page that does not read.
constexpr std::size_t most_waiting = 1000;
constexpr std::size_t most_waiting_bytes = std::size_t{256} << 20;
constexpr auto time_for_farewell = std::chrono::milliseconds(200);

}  // namespace

ViewerSocket::ViewerSocket(beast::tcp_stream stream, Audience& audience)
    : stream_(std::move(stream)),
      farewell_(stream_.get_executor()),
      audience_(audience),
      buffer_(longest_message),
      allowance_(messages_at_once),
      counted_(Clock::now()) {}

void ViewerSocket::start(const Request& request) {
  beast::get_lowest_layer(stream_).expires_never();
  websocket::stream_base::timeout timeout{};
  timeout.handshake_timeout = std::chrono::seconds(5);
  timeout.idle_timeout = std::chrono::seconds(20);
  timeout.keep_alive_pings = true;
  stream_.set_option(timeout);
  stream_.read_message_max(longest_message);
  stream_.auto_fragment(false);
  stream_.control_callback([this](websocket::frame_type kind, beast::string_view) {
    if (kind == websocket::frame_type::ping && !may_speak()) {
      beast::get_lowest_layer(stream_).close();
    }
  });
  stream_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
    if (error || self->is_closing_) return;
    self->is_open_ = true;
    self->has_joined_ = true;
    self->audience_.join(*self);
    self->read_next();
  });
}

void ViewerSocket::end() {
  if (!has_joined_) return;
  has_joined_ = false;
  audience_.leave(*this);
}

void ViewerSocket::close(websocket::close_code code) {
  if (is_closing_) return;
  is_closing_ = true;
  end();
  // while the handshake is being written nothing else may be
  if (!is_open_) return beast::get_lowest_layer(stream_).close();
  stream_.async_close(code, [self = shared_from_this()](beast::error_code) {});
  // who goes on speaking instead of saying farewell is left
  farewell_.expires_after(time_for_farewell);
  farewell_.async_wait([self = shared_from_this()](beast::error_code) {
    beast::get_lowest_layer(self->stream_).close();
  });
}

/// A message is paid for from an allowance that time refills.
bool ViewerSocket::may_speak() {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - counted_).count();
  counted_ = now;
  allowance_ = std::min(messages_at_once, allowance_ + messages_per_second * seconds) - 1.0;
  return allowance_ >= 0.0;
}

void ViewerSocket::read_next() {
  stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
    if (error) {
      // a message that is too big was answered by Beast
      self->is_closing_ = true;
      self->end();
      return;
    }
    if (self->is_closing_) return;
    if (!self->may_speak()) return self->close(websocket::close_code::policy_error);
    if (!self->stream_.got_text()) return self->close(websocket::close_code::unknown_data);
    const auto data = self->buffer_.cdata();
    self->audience_.receive(*self,
                            std::string_view(static_cast<const char*>(data.data()), data.size()));
    self->buffer_.clear();
    if (!self->is_closing_) self->read_next();
  });
}

void ViewerSocket::send_text(std::string text) {
  send({std::move(text), true});
}

void ViewerSocket::send_binary(std::string bytes) {
  send({std::move(bytes), false});
}

void ViewerSocket::send(Message message) {
  if (is_closing_) return;
  outgoing_bytes_ += message.bytes.size();
  outgoing_.push_back(std::move(message));
  if (outgoing_.size() > most_waiting || outgoing_bytes_ > most_waiting_bytes) {
    // the audience may be going through its viewers: it is told later
    is_closing_ = true;
    asio::post(stream_.get_executor(), [self = shared_from_this()] {
      self->end();
      beast::get_lowest_layer(self->stream_).close();
    });
    return;
  }
  if (outgoing_.size() == 1) write_next();
}

void ViewerSocket::write_next() {
  stream_.text(outgoing_.front().is_text);
  stream_.async_write(asio::buffer(outgoing_.front().bytes),
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        self->outgoing_bytes_ -= self->outgoing_.front().bytes.size();
                        self->outgoing_.pop_front();
                        if (error || self->is_closing_) {
                          self->outgoing_.clear();
                          return;
                        }
                        if (!self->outgoing_.empty()) self->write_next();
                      });
}

}  // namespace stickslip::viewer
