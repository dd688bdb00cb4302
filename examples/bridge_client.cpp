// A bridge: a process that drives a device by its maker's SDK and speaks the datagrams of
// docs/device_bridge.md to stickslip. It depends on nothing but sockets, and emulates a device (a
// mass in a hand that draws a circle), so that it runs without hardware: replace Device by calls of
// an SDK.
//
//   bridge_client [--port 26160] [--seconds 10]

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

enum Kind : std::uint16_t { hello = 1, welcome = 2, state = 3, wrench = 4, goodbye = 5 };
enum Answer : std::uint32_t { accepted = 0, other_version, busy, senseless, say_hello_first };

constexpr double tick_s = 1e-3;
constexpr double watchdog_s = 0.05;

/// The emulated device: 0.1 kg in a hand of 4 N s/m and 300 N/m, whose aim draws a circle.
struct Device {
  std::array<double, 3> position{};
  std::array<double, 3> velocity{};

  void step(double time, const std::array<double, 6>& pull) {
    const double angle = 3.0 * time;
    const std::array<double, 3> aim = {0.02 * std::cos(angle), 0.02 * std::sin(angle), 0.0};
    for (std::size_t i = 0; i < 3; ++i) {
      const double force = pull[i] + 300.0 * (aim[i] - position[i]) - 4.0 * velocity[i];
      velocity[i] += tick_s * force / 0.1;
      position[i] += tick_s * velocity[i];
    }
  }
};

/// CRC-32 as zlib and Ethernet compute it.
std::uint32_t checksum(const std::uint8_t* bytes, std::size_t size) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/// A packet that grows, little-endian.
class Packet {
 public:
  Packet(Kind kind, std::uint32_t size, std::uint32_t session, std::uint64_t sequence) {
    text("SSDB", 4);
    number(1, 2);
    number(kind, 2);
    number(session, 4);
    number(size, 4);
    number(sequence, 8);
  }
  void number(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i) & 0xff));
    }
  }
  void real(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, 8);
    number(bits, 8);
  }
  void text(const std::string& value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes_.push_back(i < value.size() ? static_cast<std::uint8_t>(value[i]) : 0);
    }
  }
  void send(int socket) {
    number(checksum(bytes_.data(), bytes_.size()), 4);
    ::send(socket, bytes_.data(), bytes_.size(), MSG_DONTWAIT);
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

std::uint64_t number_at(const std::uint8_t* bytes, int size) {
  std::uint64_t value = 0;
  for (int i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

double real_at(const std::uint8_t* bytes) {
  const std::uint64_t bits = number_at(bytes, 8);
  double value = 0.0;
  std::memcpy(&value, &bits, 8);
  return value;
}

class Bridge {
 public:
  explicit Bridge(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_DGRAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  ~Bridge() {
    Packet(goodbye, 28, session_, ++sequence_).send(socket_);
    ::close(socket_);
    std::printf("sent %llu states, heard %llu wrenches, dropped the force %d times\n",
                static_cast<unsigned long long>(states_),
                static_cast<unsigned long long>(wrenches_), drops_);
  }

  /// One tick: listen, obey the watchdog, move, speak.
  void tick(double time) {
    listen();
    const std::chrono::duration<double> silence = Clock::now() - heard_at_;
    const bool is_pulling = pull_ != std::array<double, 6>{};
    if (is_pulling && silence.count() > watchdog_s) {
      pull_ = {};
      ++drops_;
    }
    device_.step(time, pull_);
    if (is_welcome_) {
      say_state();
    } else if (Clock::now() - greeted_at_ > std::chrono::milliseconds(200)) {
      say_hello();
    }
  }

 private:
  void listen() {
    std::array<std::uint8_t, 256> bytes{};
    while (true) {
      const ssize_t received = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
      if (received < 0) return;
      take(bytes.data(), static_cast<std::size_t>(received));
    }
  }

  void take(const std::uint8_t* bytes, std::size_t size) {
    const bool is_frame = size >= 28 && std::memcmp(bytes, "SSDB", 4) == 0 &&
                          number_at(bytes + size - 4, 4) == checksum(bytes, size - 4) &&
                          number_at(bytes + 8, 4) == session_;
    if (!is_frame) return;
    const std::uint64_t kind = number_at(bytes + 6, 2);
    const std::uint64_t sequence = number_at(bytes + 16, 8);
    if (kind == welcome && size == 36) take_welcome(number_at(bytes + 24, 4));
    if (kind == wrench && size == 84 && sequence > wrench_sequence_) {
      wrench_sequence_ = sequence;
      heard_at_ = Clock::now();
      ++wrenches_;
      for (std::size_t i = 0; i < 6; ++i) pull_[i] = real_at(bytes + 24 + 8 * i);
    }
    if (kind == goodbye) {
      pull_ = {};
      is_welcome_ = false;
    }
  }

  void take_welcome(std::uint64_t answer) {
    if (answer == other_version || answer == senseless) {
      std::fprintf(stderr, "the engine refuses this bridge: answer %d\n", static_cast<int>(answer));
      std::exit(1);
    }
    if (answer == accepted && !is_welcome_) wrench_sequence_ = 0;
    is_welcome_ = answer == accepted;
  }

  void say_hello() {
    greeted_at_ = Clock::now();
    Packet packet(hello, 140, session_, ++sequence_);
    packet.text("example", 32);
    packet.number(6, 4);  // sensed degrees of freedom
    packet.number(3, 4);  // actuated ones
    packet.real(5.0);     // peak force [N]
    packet.real(0.0);     // peak torque [N m]
    packet.real(1000.0);  // stiffness [N/m]
    packet.real(0.1);     // radius of the workspace [m]
    packet.real(0.1);     // mass [kg]
    packet.real(0.0);     // damping [N s/m], 0: unknown
    packet.real(0.0);     // resolution [m], 0: unknown
    packet.real(tick_s);
    packet.number(static_cast<std::uint64_t>(1e3 * watchdog_s), 4);
    packet.number(0, 4);
    packet.send(socket_);
  }

  void say_state() {
    ++states_;
    Packet packet(state, 148, session_, ++sequence_);
    for (const double x : device_.position) packet.real(x);
    for (const double q : {1.0, 0.0, 0.0, 0.0}) packet.real(q);  // w, x, y, z
    for (const double v : device_.velocity) packet.real(v);
    for (int i = 0; i < 3; ++i) packet.real(0.0);  // angular velocity
    packet.number(0, 4);                           // buttons
    packet.number(1, 4);                           // ready
    packet.number(wrench_sequence_, 8);
    packet.send(socket_);
  }

  int socket_;
  Device device_;
  std::uint32_t session_ = std::random_device()();
  std::uint64_t sequence_ = 0;
  bool is_welcome_ = false;
  Clock::time_point greeted_at_;
  Clock::time_point heard_at_;
  std::uint64_t wrench_sequence_ = 0;
  std::array<double, 6> pull_{};
  std::uint64_t states_ = 0;
  std::uint64_t wrenches_ = 0;
  int drops_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint16_t port = 26160;
  double seconds = 10.0;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc || (name != "--port" && name != "--seconds")) {
      const bool asks = name == "--help";
      std::fprintf(asks ? stdout : stderr, "bridge_client [--port 26160] [--seconds 10]\n");
      return asks ? 0 : 2;
    }
    if (name == "--port") port = static_cast<std::uint16_t>(std::atoi(argv[i + 1]));
    if (name == "--seconds") seconds = std::atof(argv[i + 1]);
  }
  Bridge bridge(port);
  const auto start = Clock::now();
  const auto ticks = static_cast<std::int64_t>(seconds / tick_s);
  for (std::int64_t i = 0; i < ticks; ++i) {
    const double time = static_cast<double>(i) * tick_s;
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time)));
    bridge.tick(time);
  }
  return 0;
}
