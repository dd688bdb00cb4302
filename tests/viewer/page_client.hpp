#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace stickslip::test {

/// A connection to a server of this machine that says whatever it is told to, right or wrong.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) drop();
  }
  ~RawClient() { drop(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), received_(std::move(other.received_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;

  bool is_open() const { return socket_ >= 0; }
  void drop() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  /// False once the other side has closed.
  bool send(const std::string& bytes) {
    std::size_t sent = 0;
    while (socket_ >= 0 && sent < bytes.size()) {
      const ssize_t n =
          ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0) {
        sent += static_cast<std::size_t>(n);
        continue;
      }
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      pollfd writable{socket_, POLLOUT, 0};
      if (::poll(&writable, 1, 1000) <= 0) return false;
    }
    return socket_ >= 0;
  }

  /// What has come within a time, kept until it is taken. False: nothing came, or it was closed.
  bool receive(int timeout_ms) {
    pollfd readable{socket_, POLLIN, 0};
    if (socket_ < 0 || ::poll(&readable, 1, timeout_ms) <= 0) return false;
    char buffer[65536];
    const ssize_t n = ::recv(socket_, buffer, sizeof buffer, 0);
    if (n <= 0) {
      is_closed_ = true;
      return false;
    }
    received_.append(buffer, static_cast<std::size_t>(n));
    return true;
  }
  bool is_closed() const { return is_closed_ || socket_ < 0; }
  std::string& received() { return received_; }

  /// Everything until the other side closes.
  std::string read_all(int timeout_ms = 3000) {
    while (receive(timeout_ms)) {
    }
    return std::exchange(received_, "");
  }

 private:
  int socket_;
  bool is_closed_ = false;
  std::string received_;
};

/// One request and the whole answer.
inline std::string ask(std::uint16_t port, const std::string& request) {
  RawClient client(port);
  client.send(request);
  return client.read_all();
}

inline int status_of(const std::string& answer) {
  return answer.size() > 12 && answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

inline std::string upgrade_request(const std::string& target, const std::string& host,
                                   const std::string& origin) {
  return "GET " + target + " HTTP/1.1\r\nHost: " + host +
         "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" +
         (origin.empty() ? "" : "Origin: " + origin + "\r\n") + "\r\n";
}

/// A page, as far as the server can tell.
class PageClient {
 public:
  enum Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9 };
  struct Message {
    std::uint8_t opcode = 0;
    std::string bytes;
  };

  PageClient(std::uint16_t port, const std::string& token) : client_(port) {
    const std::string host = "127.0.0.1:" + std::to_string(port);
    client_.send(upgrade_request("/socket?token=" + token, host, "http://" + host));
    while (client_.received().find("\r\n\r\n") == std::string::npos) {
      if (!client_.receive(3000)) break;
    }
    const std::size_t end = client_.received().find("\r\n\r\n");
    status_ = status_of(client_.received());
    if (end != std::string::npos) client_.received().erase(0, end + 4);
  }

  int status() const { return status_; }
  RawClient& raw() { return client_; }

  static std::string frame(std::uint8_t opcode, const std::string& bytes, bool is_last = true) {
    std::string frame(1, static_cast<char>((is_last ? 0x80 : 0) | opcode));
    if (bytes.size() < 126) {
      frame += static_cast<char>(0x80 | bytes.size());
    } else if (bytes.size() < 65536) {
      frame += static_cast<char>(0x80 | 126);
      frame += static_cast<char>(bytes.size() >> 8);
      frame += static_cast<char>(bytes.size() & 0xff);
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (int k = 7; k >= 0; --k) {
        frame += static_cast<char>((static_cast<std::uint64_t>(bytes.size()) >> (8 * k)) & 0xff);
      }
    }
    // a mask of zeros is one, too
    return frame + std::string(4, '\0') + bytes;
  }
  bool say(const std::string& message) { return client_.send(frame(text, message)); }

  /// The next message, of the server's; nothing: none came in time, or it was closed.
  std::optional<Message> next(int timeout_ms = 3000) {
    while (true) {
      if (std::optional<Message> message = take()) return message;
      if (!client_.receive(timeout_ms)) return std::nullopt;
    }
  }

  /// The next text that contains something, answering frames on the way.
  std::string wait_for(const std::string& part, double seconds = 5.0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      const std::optional<Message> message = next(200);
      if (!message) {
        if (client_.is_closed()) return "";
        continue;
      }
      if (message->opcode == binary) acknowledge(*message);
      if (message->opcode == text && message->bytes.find(part) != std::string::npos) {
        return message->bytes;
      }
    }
    return "";
  }

  /// The next frame, answered.
  std::optional<Message> next_frame(double seconds = 5.0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end && !client_.is_closed()) {
      const std::optional<Message> message = next(200);
      if (message && message->opcode == binary && acknowledge(*message)) return message;
    }
    return std::nullopt;
  }

  /// The code with which the server closed, or 0.
  int close_code(double seconds = 5.0) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      const std::optional<Message> message = next(200);
      if (message && message->opcode == close && message->bytes.size() >= 2) {
        return (static_cast<unsigned char>(message->bytes[0]) << 8) |
               static_cast<unsigned char>(message->bytes[1]);
      }
      if (!message && client_.is_closed()) return 0;
    }
    return 0;
  }

  /// False where it is no frame.
  bool acknowledge(const Message& message) {
    if (number<std::uint32_t>(message, 0) != 2) return false;
    return say("{\"type\":\"ack\",\"frame\":" + std::to_string(number<std::uint32_t>(message, 8)) +
               "}");
  }

  template <class T>
  static T number(const Message& message, std::size_t offset) {
    T value{};
    if (offset + sizeof value <= message.bytes.size()) {
      message.bytes.copy(reinterpret_cast<char*>(&value), sizeof value, offset);
    }
    return value;
  }

 private:
  std::optional<Message> take() {
    std::string& in = client_.received();
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(in[i]); };
    if (in.size() < 2) return std::nullopt;
    std::size_t length = byte(1) & 0x7f;
    std::size_t header = 2;
    const std::size_t more = length == 126 ? 2 : length == 127 ? 8 : 0;
    if (in.size() < header + more) return std::nullopt;
    if (more > 0) length = 0;
    for (std::size_t k = 0; k < more; ++k) length = (length << 8) | byte(header + k);
    header += more;
    if (in.size() < header + length) return std::nullopt;
    Message message{static_cast<std::uint8_t>(byte(0) & 0x0f), in.substr(header, length)};
    in.erase(0, header + length);
    return message;
  }

  RawClient client_;
  int status_ = 0;
};

}  // namespace stickslip::test
