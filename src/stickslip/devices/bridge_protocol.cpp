#include "stickslip/devices/bridge_protocol.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <string_view>

namespace stickslip::bridge {

namespace {

constexpr std::uint32_t magic = 0x42445353;  // "SSDB"
constexpr std::size_t header_size = 24;
constexpr std::size_t checksum_size = 4;
constexpr std::size_t name_size = 32;
constexpr std::uint32_t ready_flag = 1;

/// By kind, which counts from 1: hello, welcome, state, wrench, goodbye.
constexpr std::array<std::size_t, 5> packet_sizes = {140, 36, 148, 84, 28};

/// Little-endian numbers one after the other.
class Writer {
 public:
  explicit Writer(Buffer& buffer) : buffer_(buffer) {}

  template <std::unsigned_integral Number>
  void put(Number number) {
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      buffer_[size_++] = static_cast<std::byte>(number >> (8 * i) & 0xff);
    }
  }
  void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  template <class Vector>
  void put_all(const Vector& vector) {
    for (const double number : vector) put(number);
  }
  void put_text(std::string_view text, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      buffer_[size_++] = static_cast<std::byte>(i < text.size() ? text[i] : '\0');
    }
  }
  std::span<const std::byte> bytes() const { return {buffer_.data(), size_}; }

 private:
  Buffer& buffer_;
  std::size_t size_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <std::unsigned_integral Number>
  Number take() {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) {
      number |= std::to_integer<std::uint64_t>(bytes_[position_++]) << (8 * i);
    }
    return static_cast<Number>(number);
  }
  double take_real() { return std::bit_cast<double>(take<std::uint64_t>()); }
  Vec3 take_vector() {
    Vec3 vector;
    for (double& number : vector) number = take_real();
    return vector;
  }
  std::string take_text(std::size_t size) {
    const auto* text = reinterpret_cast<const char*>(bytes_.data() + position_);
    position_ += size;
    return {text, std::find(text, text + size, '\0')};
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

std::uint32_t checksum(std::span<const std::byte> bytes) {
  const auto* data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32_z(0, data, bytes.size()));
}

void put(Writer& writer, const Hello& hello) {
  const DeviceLimits& limits = hello.limits;
  writer.put_text(limits.name, name_size);
  writer.put(static_cast<std::uint32_t>(limits.sensed_dofs));
  writer.put(static_cast<std::uint32_t>(limits.actuated_dofs));
  for (const double value :
       {limits.peak_force, limits.peak_torque, limits.stiffness, limits.workspace_radius,
        limits.mass, limits.damping, limits.resolution, limits.tick_s}) {
    writer.put(value);
  }
  writer.put(hello.watchdog_ms);
  writer.put(std::uint32_t{0});
}

void put(Writer& writer, const Welcome& welcome) {
  writer.put(static_cast<std::uint32_t>(welcome.answer));
  writer.put(welcome.timeout_ms);
}

void put(Writer& writer, const State& state) {
  const DeviceReading& reading = state.reading;
  const Quat& q = reading.orientation;
  writer.put_all(reading.position);
  writer.put_all(std::array<double, 4>{q.w(), q.x(), q.y(), q.z()});
  writer.put_all(reading.velocity);
  writer.put_all(reading.angular_velocity);
  writer.put(reading.buttons);
  writer.put(state.is_ready ? ready_flag : 0);
  writer.put(state.wrench_sequence);
}

void put(Writer& writer, const Wrench& wrench) {
  writer.put_all(wrench.wrench);
  writer.put(wrench.state_sequence);
}

void put(Writer& /*writer*/, const Goodbye& /*goodbye*/) {}

Hello take_hello(Reader& reader) {
  Hello hello;
  DeviceLimits& limits = hello.limits;
  limits.name = reader.take_text(name_size);
  limits.sensed_dofs = static_cast<int>(reader.take<std::uint32_t>());
  limits.actuated_dofs = static_cast<int>(reader.take<std::uint32_t>());
  for (double* value :
       {&limits.peak_force, &limits.peak_torque, &limits.stiffness, &limits.workspace_radius,
        &limits.mass, &limits.damping, &limits.resolution, &limits.tick_s}) {
    *value = reader.take_real();
  }
  hello.watchdog_ms = reader.take<std::uint32_t>();
  return hello;
}

Welcome take_welcome(Reader& reader) {
  Welcome welcome;
  welcome.answer = static_cast<Answer>(reader.take<std::uint32_t>());
  welcome.timeout_ms = reader.take<std::uint32_t>();
  return welcome;
}

/// Nothing where a number is not finite or the quaternion is not of unit length to a thousandth.
std::optional<State> take_state(Reader& reader, std::uint64_t sequence) {
  State state;
  DeviceReading& reading = state.reading;
  reading.position = reader.take_vector();
  const double w = reader.take_real();
  const Vec3 xyz = reader.take_vector();
  reading.orientation = Quat(w, xyz.x(), xyz.y(), xyz.z());
  reading.velocity = reader.take_vector();
  reading.angular_velocity = reader.take_vector();
  reading.buttons = reader.take<std::uint32_t>();
  reading.sequence = sequence;
  state.is_ready = (reader.take<std::uint32_t>() & ready_flag) != 0;
  state.wrench_sequence = reader.take<std::uint64_t>();
  const bool is_sound = reading.position.allFinite() && reading.velocity.allFinite() &&
                        reading.angular_velocity.allFinite() &&
                        std::abs(reading.orientation.norm() - 1.0) < 1e-3;
  if (!is_sound) return std::nullopt;
  reading.orientation.normalize();
  return state;
}

std::optional<Wrench> take_wrench(Reader& reader) {
  Wrench wrench;
  wrench.wrench.head<3>() = reader.take_vector();
  wrench.wrench.tail<3>() = reader.take_vector();
  wrench.state_sequence = reader.take<std::uint64_t>();
  if (!wrench.wrench.allFinite()) return std::nullopt;
  return wrench;
}

}  // namespace

std::span<const std::byte> encode(const Packet& packet, Buffer& buffer) {
  const std::size_t kind = packet.message.index();
  Writer writer(buffer);
  writer.put(magic);
  writer.put(protocol_version);
  writer.put(static_cast<std::uint16_t>(kind + 1));
  writer.put(packet.session);
  writer.put(static_cast<std::uint32_t>(packet_sizes[kind]));
  writer.put(packet.sequence);
  std::visit([&](const auto& message) { put(writer, message); }, packet.message);
  writer.put(checksum(writer.bytes()));
  return writer.bytes();
}

std::optional<Packet> decode(std::span<const std::byte> bytes) {
  // whole and undamaged
  if (bytes.size() < header_size + checksum_size) return std::nullopt;
  const auto contents = bytes.first(bytes.size() - checksum_size);
  if (Reader(bytes.last(checksum_size)).take<std::uint32_t>() != checksum(contents)) {
    return std::nullopt;
  }
  // the header, which all versions share
  Reader reader(contents);
  if (reader.take<std::uint32_t>() != magic) return std::nullopt;
  const auto version = reader.take<std::uint16_t>();
  const auto kind = reader.take<std::uint16_t>();
  Packet packet;
  packet.session = reader.take<std::uint32_t>();
  const auto size = reader.take<std::uint32_t>();
  packet.sequence = reader.take<std::uint64_t>();
  if (size != bytes.size() || kind < 1 || kind > packet_sizes.size()) return std::nullopt;
  if (version != protocol_version) {
    if (kind != 1) return std::nullopt;
    packet.message = Hello{version, {}, 0};
    return packet;
  }
  if (size != packet_sizes[kind - 1U]) return std::nullopt;

  if (kind == 1) packet.message = take_hello(reader);
  if (kind == 2) packet.message = take_welcome(reader);
  if (kind == 3) {
    const std::optional<State> state = take_state(reader, packet.sequence);
    if (!state) return std::nullopt;
    packet.message = *state;
  }
  if (kind == 4) {
    const std::optional<Wrench> wrench = take_wrench(reader);
    if (!wrench) return std::nullopt;
    packet.message = *wrench;
  }
  if (kind == 5) packet.message = Goodbye{};
  return packet;
}

}  // namespace stickslip::bridge
