#include "stickslip/devices/device_spec.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "stickslip/devices/mouse_device.hpp"
#include "stickslip/devices/scripted_device.hpp"
#include "stickslip/error.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"
#include "stickslip/mesh/file_cursor.hpp"

namespace stickslip {

namespace {

/// The parts between separators.
std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

[[noreturn]] void refuse(std::string_view spec, const std::string& problem) {
  throw InputError(fmt::format("device '{}': {}", printable(spec), problem));
}

std::uint16_t parse_port(std::string_view spec, std::string_view text) {
  std::int64_t port = 0;
  if (!parse_integer(text, port) || port < 1 || port > 65535) {
    refuse(spec, fmt::format("'{}' is not a port; give 1 to 65535", printable(text)));
  }
  return static_cast<std::uint16_t>(port);
}

void parse_simulated(std::string_view text, const std::vector<std::string>& parts,
                     DeviceSpec& spec) {
  if (parts.size() > 1) spec.model = parts[1];
  if (parts.size() > 2) spec.hand = parts[2];
  // the rest is a file, whose name may hold what separates the parts
  std::string_view rest = text;
  for (int part = 0; part < 3 && !rest.empty(); ++part) {
    rest.remove_prefix(std::min(rest.find(':'), rest.size() - 1) + 1);
  }
  if (parts.size() > 3) spec.file = rest;
  if (parts.size() > 3 && rest.empty()) refuse(text, "no file; give simulated:MODEL:HAND:FILE");
  try {
    find_device_model(spec.model);
  } catch (const InputError& error) {
    refuse(text, error.what());
  }
  if (find_hand_model(spec.hand) == nullptr) {
    std::vector<std::string> names;
    for (const HandModel& hand : known_hand_models()) names.push_back(hand.name);
    refuse(text, fmt::format("no hand is called '{}'; take one of {}", printable(spec.hand),
                             fmt::join(names, ", ")));
  }
}

void parse_haply(std::string_view text, HaplyOptions& options) {
  const std::size_t query = std::min(text.find('?'), text.size());
  const std::vector<std::string> parts = parts_of(text.substr(0, query), ':');
  if (parts.size() > 3) refuse(text, "too many parts; give haply:HOST:PORT");
  if (parts.size() > 1 && !parts[1].empty()) options.host = parts[1];
  if (parts.size() > 2) options.port = parse_port(text, parts[2]);
  if (query == text.size()) return;
  for (const std::string& option : parts_of(text.substr(query + 1), '&')) {
    const std::size_t equals = std::min(option.find('='), option.size());
    const std::string name = option.substr(0, equals);
    const std::string value = equals < option.size() ? option.substr(equals + 1) : "";
    if (name == "device" && !value.empty()) {
      options.device_id = value;
    } else if (name == "force" && (value == "vector" || value == "values")) {
      options.force_key = value;
    } else {
      refuse(text, fmt::format("'{}' is not known; options are device=ID and force=vector or "
                               "force=values",
                               printable(option)));
    }
  }
}

[[noreturn]] void refuse_absent(const std::string& problem) {
  throw std::runtime_error(problem + "; `stickslip devices doctor` finds out why");
}

}  // namespace

const std::vector<DeviceKind>& device_kinds() {
  static const std::vector<DeviceKind> kinds = {
      {"simulated[:MODEL[:HAND[:FILE]]]",
       "a device and a hand as equations of motion; FILE as below: what the hand wants"},
      {"scripted:FILE.csv or scripted:RUN.h5[#HAND]", "recorded poses, played whatever the force"},
      {"mouse", "the pointer in the viewer's page; forces are shown, not felt"},
      {"haply[:HOST[:PORT]]", "Haply Inverse3 by its Inverse Service (WebSocket)"},
      {"bridge[:PORT]", "any device, by a process that speaks docs/device_bridge.md"},
  };
  return kinds;
}

DeviceSpec parse_device_spec(std::string_view text) {
  DeviceSpec spec;
  const std::vector<std::string> parts = parts_of(text, ':');
  const std::string kind = parts[0].substr(0, parts[0].find('?'));
  if (kind == "simulated") {
    spec.kind = DeviceSpec::Kind::simulated;
    parse_simulated(text, parts, spec);
  } else if (kind == "scripted") {
    spec.kind = DeviceSpec::Kind::scripted;
    if (parts.size() < 2 || parts[1].empty())
      refuse(text, "no file; give scripted:FILE.csv or scripted:RUN.h5");
    spec.file = std::string(text.substr(text.find(':') + 1));
  } else if (kind == "bridge") {
    spec.kind = DeviceSpec::Kind::bridge;
    if (parts.size() > 2) refuse(text, "too many parts; give bridge:PORT");
    if (parts.size() > 1) spec.bridge.port = parse_port(text, parts[1]);
  } else if (kind == "mouse") {
    spec.kind = DeviceSpec::Kind::mouse;
    if (parts.size() > 1) refuse(text, "too many parts; give mouse");
  } else if (kind == "haply") {
    spec.kind = DeviceSpec::Kind::haply;
    parse_haply(text, spec.haply);
  } else {
    std::vector<std::string_view> usages;
    for (const DeviceKind& known : device_kinds()) usages.push_back(known.usage);
    refuse(text, fmt::format("not a device; give {}", fmt::join(usages, ", ")));
  }
  return spec;
}

bool needs_clock(const DeviceSpec& spec) {
  return spec.kind == DeviceSpec::Kind::bridge || spec.kind == DeviceSpec::Kind::haply;
}

bool may_be_one_device(const DeviceSpec& one, const DeviceSpec& other) {
  if (one.kind != other.kind || !needs_clock(one)) return false;
  if (one.kind == DeviceSpec::Kind::bridge) return one.bridge.port == other.bridge.port;
  const HaplyOptions& a = one.haply;
  const HaplyOptions& b = other.haply;
  const bool is_one_service = a.host == b.host && a.port == b.port;
  return is_one_service &&
         (a.device_id.empty() || b.device_id.empty() || a.device_id == b.device_id);
}

std::unique_ptr<Device> make_device(const DeviceSpec& spec, const DeviceChoice& choice) {
  if (spec.kind == DeviceSpec::Kind::simulated) {
    DeviceModel model = find_device_model(spec.model);
    model.limits.tick_s = choice.tick_s;
    const Intention intention = spec.file.empty()
                                    ? choice.intention
                                    : Intention::from_rows(read_poses(spec.file, choice.map));
    return std::make_unique<SimulatedDevice>(model,
                                             Operator{*find_hand_model(spec.hand), intention});
  }
  if (spec.kind == DeviceSpec::Kind::scripted) {
    return make_scripted_device(read_poses(spec.file, choice.map), choice.tick_s);
  }
  if (spec.kind == DeviceSpec::Kind::mouse) {
    return std::make_unique<MouseDevice>(choice.intention.pose(0.0), choice.tick_s);
  }
  if (spec.kind == DeviceSpec::Kind::bridge) {
    auto device = std::make_unique<BridgeDevice>(spec.bridge);
    if (!device->wait_for_device(choice.wait_s)) {
      if (!device->refusal().empty()) throw InputError("device 'bridge': " + device->refusal());
      refuse_absent(fmt::format("no bridge came to UDP port {} of this machine within {} s",
                                device->port(), choice.wait_s));
    }
    return device;
  }
  auto device = std::make_unique<HaplyDevice>(spec.haply);
  if (!device->wait_for_device(choice.wait_s)) {
    refuse_absent(fmt::format("no ready Inverse3 answered at ws://{}:{} within {} s",
                              spec.haply.host, spec.haply.port, choice.wait_s));
  }
  return device;
}

std::unique_ptr<Device> make_device(std::string_view spec, const DeviceChoice& choice) {
  return make_device(parse_device_spec(spec), choice);
}

}  // namespace stickslip
