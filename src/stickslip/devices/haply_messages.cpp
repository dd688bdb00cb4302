#include "stickslip/devices/haply_messages.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace stickslip::haply {

namespace {

using Json = nlohmann::json;

/// The member of an object, null where there is none.
const Json& member(const Json& json, const char* name) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto found = json.find(name);
  return found == json.end() ? null : *found;
}

template <std::size_t Count>
std::optional<std::array<double, Count>> numbers(const Json& json,
                                                 const std::array<const char*, Count>& names) {
  std::array<double, Count> values;
  for (std::size_t i = 0; i < Count; ++i) {
    const Json& value = member(json, names[i]);
    if (!value.is_number()) return std::nullopt;
    values[i] = value.get<double>();
    if (!std::isfinite(values[i])) return std::nullopt;
  }
  return values;
}

std::optional<Vec3> vector(const Json& json) {
  const auto values = numbers<3>(json, {"x", "y", "z"});
  if (!values) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<Quat> orientation(const Json& json) {
  const auto values = numbers<4>(json, {"w", "x", "y", "z"});
  if (!values) return std::nullopt;
  const Quat q((*values)[0], (*values)[1], (*values)[2], (*values)[3]);
  if (!(std::abs(q.norm() - 1.0) < 0.05)) return std::nullopt;
  return q.normalized();
}

std::optional<bool> flag(const Json& json) {
  return json.is_boolean() ? std::optional(json.get<bool>()) : std::nullopt;
}

Inverse3 parse_device(const Json& json) {
  Inverse3 device;
  const Json& id = member(json, "device_id");
  if (id.is_string()) device.id = id.get<std::string>();
  const Json& state = member(json, "state");
  device.position = vector(member(state, "cursor_position"));
  device.velocity = vector(member(state, "cursor_velocity"));
  const Json& status = member(json, "status");
  device.status.calibrated = flag(member(status, "calibrated"));
  device.status.in_use = flag(member(status, "in_use"));
  device.status.power_supply = flag(member(status, "power_supply"));
  device.status.ready = flag(member(status, "ready"));
  device.status.started = flag(member(status, "started"));
  return device;
}

Grip parse_grip(const Json& json) {
  Grip grip;
  const Json& state = member(json, "state");
  grip.orientation = orientation(member(state, "orientation"));
  if (const auto button = flag(member(state, "button"))) grip.buttons = *button ? 1 : 0;
  const Json& buttons = member(state, "buttons");
  if (buttons.is_object()) {
    std::uint32_t down = 0;
    std::uint32_t bit = 1;
    for (const char* name : {"a", "b", "c"}) {
      if (flag(member(buttons, name)).value_or(false)) down |= bit;
      bit <<= 1U;
    }
    grip.buttons = down;
  }
  return grip;
}

}  // namespace

std::optional<Message> parse(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Message message;
  const Json& devices = member(json, "inverse3");
  if (devices.is_array()) {
    for (const Json& device : devices) message.devices.push_back(parse_device(device));
  }
  for (const char* kind : {"verse_grip", "wireless_verse_grip"}) {
    const Json& grips = member(json, kind);
    if (!grips.is_array()) continue;
    for (const Json& grip : grips) message.grips.push_back(parse_grip(grip));
  }
  return message;
}

std::string force_message(const std::string& device_id, const Vec3& force, const std::string& key,
                          bool is_first) {
  Json json;
  if (is_first) {
    json["session"]["configure"] = {{"profile", {{"name", "stickslip"}}},
                                    {"basis", {{"permutation", "XYZ"}}}};
  }
  const Json vector = {{"x", force.x()}, {"y", force.y()}, {"z", force.z()}};
  const Json commands = {{"set_cursor_force", {{key, vector}}}};
  json["inverse3"] = Json::array({{{"device_id", device_id}, {"commands", commands}}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace stickslip::haply
