#include "apps/viewer/command.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace stickslip::viewer {

namespace {

using Kind = Command::Kind;

constexpr std::int64_t most_steps = 1000;
constexpr double farthest = 1000.0;  // of a hand from the origin [m]
constexpr double slowest = 0.05;
constexpr double fastest = 8.0;

struct KindName {
  Kind kind;
  std::string_view type;
  std::string_view what;  ///< of a record
};
constexpr std::array<KindName, 20> kind_names = {{
    {Kind::pause, "pause", ""},
    {Kind::run, "run", ""},
    {Kind::step, "step", ""},
    {Kind::reset, "reset", ""},
    {Kind::speed, "speed", ""},
    {Kind::scene, "scene", ""},
    {Kind::set, "set", ""},
    {Kind::grab, "grab", ""},
    {Kind::release, "release", ""},
    {Kind::hand, "hand", ""},
    {Kind::compare, "compare", ""},
    {Kind::cancel, "cancel", ""},
    {Kind::record_start, "record", "start"},
    {Kind::record_stop, "record", "stop"},
    {Kind::record_open, "record", "open"},
    {Kind::record_go, "record", "go"},
    {Kind::run, "record", "play"},
    {Kind::pause, "record", "pause"},
    {Kind::record_close, "record", "close"},
    {Kind::record_export, "record", "export"},
}};

[[noreturn]] void refuse(std::string_view type, const std::string& problem) {
  throw Refusal{std::string(type), problem};
}

const nlohmann::json& member(const nlohmann::json& message, std::string_view type,
                             const char* key) {
  const auto found = message.find(key);
  if (found == message.end()) refuse(type, fmt::format("{}: \"{}\" is missing", type, key));
  return *found;
}

double number(const nlohmann::json& message, std::string_view type, const char* key, double low,
              double high) {
  const nlohmann::json& value = member(message, type, key);
  const double read = value.is_number() ? value.get<double>() : std::nan("");
  if (!(read >= low && read <= high)) {
    refuse(type, fmt::format("{}: \"{}\" must be a number from {} to {}", type, key, low, high));
  }
  return read;
}

std::int64_t integer(const nlohmann::json& message, std::string_view type, const char* key,
                     double low, double high) {
  const double read = number(message, type, key, low, high);
  if (read != std::floor(read)) {
    refuse(type, fmt::format("{}: \"{}\" must be a whole number", type, key));
  }
  return static_cast<std::int64_t>(read);
}

/// Names of scenes, recordings and parameters: never a path that leads elsewhere.
std::string name_of(const nlohmann::json& message, std::string_view type, const char* key) {
  const nlohmann::json& value = member(message, type, key);
  const std::string name = value.is_string() ? value.get<std::string>() : "";
  const auto is_allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
  };
  if (name.empty() || name.size() > 200 || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), is_allowed)) {
    refuse(type, fmt::format("{}: \"{}\" must be a name of letters, digits, '_', '-' and '.'", type,
                             key));
  }
  return name;
}

template <class Vector>
Vector vector_of(const nlohmann::json& message, std::string_view type, const char* key) {
  const nlohmann::json& list = member(message, type, key);
  Vector vector;
  bool is_good = list.is_array() && list.size() == static_cast<std::size_t>(vector.size());
  for (int i = 0; is_good && i < vector.size(); ++i) {
    is_good = list[uz(i)].is_number() && std::abs(list[uz(i)].get<double>()) <= farthest;
    if (is_good) vector[i] = list[uz(i)].get<double>();
  }
  if (!is_good) {
    refuse(type, fmt::format("{}: \"{}\" must be {} numbers from -{} to {}", type, key,
                             vector.size(), farthest, farthest));
  }
  return vector;
}

Pose pose_of(const nlohmann::json& message, std::string_view type) {
  Pose pose;
  pose.position = vector_of<Vec3>(message, type, "position");
  const auto turn = vector_of<Eigen::Vector4d>(message, type, "orientation");
  if (!(std::abs(turn.norm() - 1.0) < 0.01)) {
    refuse(type, fmt::format("{}: \"orientation\" must be a quaternion of length 1", type));
  }
  pose.orientation.coeffs() = turn.normalized();
  return pose;
}

/// A number, or a word of a list, as a scene file would have it.
std::string value_text(const nlohmann::json& message, std::string_view type) {
  const nlohmann::json& value = member(message, type, "value");
  if (value.is_number() && std::isfinite(value.get<double>())) {
    return fmt::format("{}", value.get<double>());
  }
  if (value.is_string()) return '"' + name_of(message, type, "value") + '"';
  refuse(type, fmt::format("{}: \"value\" must be a number or a word", type));
}

Show show_of(const nlohmann::json& message) {
  Show show;
  if (message.contains("field")) {
    constexpr std::array<std::string_view, 4> fields = {"none", "displacement", "stress",
                                                        "pressure"};
    const auto found = std::find(fields.begin(), fields.end(), name_of(message, "show", "field"));
    if (found == fields.end()) {
      refuse("show", "show: \"field\" must be none, displacement, stress or pressure");
    }
    show.has_field = true;
    show.field = static_cast<Field>(found - fields.begin());
  }
  if (message.contains("delassus")) {
    if (!message["delassus"].is_boolean()) {
      refuse("show", "show: \"delassus\" must be true or false");
    }
    show.has_delassus = true;
    show.delassus = message["delassus"].get<bool>();
  }
  return show;
}

Command command_of(const nlohmann::json& message, const std::string& type) {
  const std::string what = type == "record" ? name_of(message, type, "do") : "";
  const auto* const found =
      std::find_if(kind_names.begin(), kind_names.end(),
                   [&](const KindName& known) { return known.type == type && known.what == what; });
  if (found == kind_names.end()) refuse(type, "the server knows no such message");
  Command command;
  command.kind = found->kind;
  switch (command.kind) {
    case Kind::step:
      if (message.contains("count")) {
        command.count = integer(message, type, "count", 1, static_cast<double>(most_steps));
      }
      break;
    case Kind::speed:
      command.speed = number(message, type, "speed", slowest, fastest);
      break;
    case Kind::set:
      command.name = name_of(message, type, "path");
      command.value = value_text(message, type);
      break;
    case Kind::hand:
      command.pose = pose_of(message, type);
      [[fallthrough]];
    case Kind::grab:
      if (message.contains("body")) {
        command.body = static_cast<int>(integer(message, type, "body", 0, 1e6));
      }
      [[fallthrough]];
    case Kind::release:
      command.hand = static_cast<int>(integer(message, type, "hand", 0, 1000));
      break;
    case Kind::record_go:
      command.count = integer(message, type, "step", 0, 1e15);
      break;
    case Kind::scene:
    case Kind::record_open:
    case Kind::record_export:
      command.name = name_of(message, type, "name");
      break;
    default:
      break;
  }
  return command;
}

PageMessage message_of(const nlohmann::json& message) {
  if (!message.is_object() || !message.contains("type") || !message["type"].is_string()) {
    refuse("", "a message must be a JSON object with a \"type\"");
  }
  const std::string type = name_of(message, "", "type");
  if (type == "ack") {
    return Ack{static_cast<std::uint32_t>(integer(message, type, "frame", 0, 4294967295.0))};
  }
  if (type == "show") return show_of(message);
  if (type == "take_controls") return TakeControls{};
  return command_of(message, type);
}

}  // namespace

PageMessage parse_message(std::string_view text) {
  const nlohmann::json message = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (message.is_discarded()) return Refusal{"", "a message must be JSON"};
  try {
    return message_of(message);
  } catch (const Refusal& refusal) {
    return refusal;
  }
}

std::string_view type_of(Command::Kind kind) {
  return std::find_if(kind_names.begin(), kind_names.end(),
                      [&](const KindName& known) { return known.kind == kind; })
      ->type;
}

}  // namespace stickslip::viewer
