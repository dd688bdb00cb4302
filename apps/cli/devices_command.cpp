#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/commands.hpp"
#include "apps/cli/number_checks.hpp"
#include "stickslip/devices/device_doctor.hpp"
#include "stickslip/devices/device_rate.hpp"
#include "stickslip/haptics/models/known_devices.hpp"
#include "stickslip/haptics/models/simulated_device.hpp"

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

struct DevicesOptions {
  std::string name;
  std::optional<std::string> host;
  std::optional<int> port;
  double wait_s = 5.0;
  std::optional<double> seconds;
  bool json = false;
};

void print(const Json& json) {
  fmt::print("{}\n", json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// The spec, with --host and --port in place of its own.
DeviceSpec spec_of(const DevicesOptions& options) {
  DeviceSpec spec = parse_device_spec(options.name);
  if (options.host) spec.haply.host = *options.host;
  if (options.port) {
    spec.haply.port = static_cast<std::uint16_t>(*options.port);
    spec.bridge.port = static_cast<std::uint16_t>(*options.port);
  }
  return spec;
}

Json limits_json(const DeviceLimits& limits) {
  const auto or_null = [](double value) {
    return value > 0.0 && std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  return {{"sensed_dofs", limits.sensed_dofs},
          {"actuated_dofs", limits.actuated_dofs},
          {"peak_force_N", or_null(limits.peak_force)},
          {"peak_torque_Nm", or_null(limits.peak_torque)},
          {"stiffness_N_m", or_null(limits.stiffness)},
          {"workspace_radius_m", or_null(limits.workspace_radius)}};
}

Json list_json() {
  Json json = {{"devices", Json::array()},
               {"models", Json::array()},
               {"hands", Json::array()},
               {"known", Json::array()}};
  for (const DeviceKind& kind : device_kinds()) {
    json["devices"].push_back({{"usage", kind.usage}, {"what", kind.what}});
  }
  for (const DeviceModel& model : known_device_models()) {
    json["models"].push_back({{"name", model.limits.name},
                              {"mass_kg", model.translation.mass},
                              {"damping_N_s_m", model.translation.damping},
                              {"friction_N", model.translation.friction},
                              {"resolution_m", model.translation.resolution}});
  }
  for (const HandModel& hand : known_hand_models()) {
    json["hands"].push_back({{"name", hand.name},
                             {"mass_kg", hand.translation.mass},
                             {"damping_N_s_m", hand.translation.damping},
                             {"stiffness_N_m", hand.translation.stiffness},
                             {"clamped", hand.is_clamped}});
  }
  for (const KnownDevice& device : known_devices()) {
    Json entry = {{"name", device.name}, {"title", device.title}, {"by", device.reached_by}};
    entry.update(limits_json(device.limits));
    json["known"].push_back(std::move(entry));
  }
  return json;
}

std::string list_text() {
  std::string text = "devices that can be named\n";
  for (const DeviceKind& kind : device_kinds()) {
    text += fmt::format("  {:<26} {}\n", kind.usage, kind.what);
  }
  text += "models of simulated devices\n";
  for (const DeviceModel& model : known_device_models()) {
    const DeviceAxis& axis = model.translation;
    text += fmt::format("  {:<26} {:g} kg, {:g} N s/m, dry friction {:g} N, resolution {:g} um\n",
                        model.limits.name, axis.mass, axis.damping, axis.friction,
                        1e6 * axis.resolution);
  }
  text += "hands\n";
  for (const HandModel& hand : known_hand_models()) {
    text += hand.is_clamped
                ? fmt::format("  {:<26} holds the device where it wants it\n", hand.name)
                : fmt::format("  {:<26} {:g} kg, {:g} N s/m, {:g} N/m\n", hand.name,
                              hand.translation.mass, hand.translation.damping,
                              hand.translation.stiffness);
  }
  text += "devices on the market, also models (simulated:NAME)\n";
  for (const KnownDevice& device : known_devices()) {
    const DeviceLimits& limits = device.limits;
    text += fmt::format("  {:<26} {}: {:g} N", device.name, device.title, limits.peak_force);
    if (limits.actuated_dofs == 6) text += fmt::format(", {:g} N m", limits.peak_torque);
    if (limits.stiffness > 0.0) text += fmt::format(", {:g} N/m", limits.stiffness);
    text += fmt::format(" ({})\n", device.reached_by);
  }
  return text;
}

std::string_view health_name(Health health) {
  if (health == Health::good) return "good";
  return health == Health::doubtful ? "doubtful" : "bad";
}

void examine(const DevicesOptions& options) {
  const std::vector<DoctorStep> steps =
      examine_device(spec_of(options), {options.wait_s, options.seconds.value_or(1.0)});
  Json list = Json::array();
  bool is_well = true;
  for (const DoctorStep& step : steps) {
    is_well = is_well && step.health != Health::bad;
    list.push_back({{"name", step.name},
                    {"health", health_name(step.health)},
                    {"message", step.message},
                    {"remedy", step.remedy}});
    if (options.json) continue;
    fmt::print("{:<9} {:<11} {}\n", health_name(step.health), step.name, step.message);
    if (!step.remedy.empty()) fmt::print("{:<21} -> {}\n", "", step.remedy);
  }
  if (options.json) print({{"device", options.name}, {"ok", is_well}, {"steps", list}});
  if (!is_well) throw ExitCode{1};
}

std::atomic<bool> is_interrupted = false;

/// A line on standard error that follows the device: ten times a second on a terminal, else once.
class LiveLine {
 public:
  void show(const DeviceReading& reading, bool is_there) {
    const auto now = Clock::now();
    const double since = std::chrono::duration<double>(now - shown_).count();
    if (since < (is_terminal_ ? 0.1 : 1.0)) return;
    const double rate =
        sequence_ > 0 ? static_cast<double>(reading.sequence - sequence_) / since : 0.0;
    const Vec3& p = reading.position;
    const Quat& q = reading.orientation;
    fmt::print(
        stderr,
        "{}{:7.2f} s  {}  position [{:8.5f} {:8.5f} {:8.5f}] m  orientation [{:6.3f} {:6.3f} "
        "{:6.3f} {:6.3f}]  buttons {:#x}  {:5.0f} Hz{}",
        is_terminal_ ? "\r" : "", std::chrono::duration<double>(now - start_).count(),
        is_there ? "there" : "lost ", p.x(), p.y(), p.z(), q.w(), q.x(), q.y(), q.z(),
        reading.buttons, rate, is_terminal_ ? "" : "\n");
    shown_ = now;
    sequence_ = reading.sequence;
  }
  ~LiveLine() {
    if (is_terminal_) fmt::print(stderr, "\n");
  }

 private:
  using Clock = std::chrono::steady_clock;
  const bool is_terminal_ = ::isatty(STDERR_FILENO) != 0;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_ - std::chrono::seconds(1);
  std::uint64_t sequence_ = 0;
};

Json rate_json(const std::string& spec, const std::string& name, const DeviceRate& rate) {
  const Vec3& p = rate.last.position;
  const Quat& q = rate.last.orientation;
  return {{"device", spec},
          {"name", name},
          {"readings", rate.samples},
          {"rate_hz", rate.rate_hz},
          {"interval_ms",
           {{"p50", rate.interval_p50_ms},
            {"p99", rate.interval_p99_ms},
            {"max", rate.interval_max_ms}}},
          {"jitter_ms", rate.jitter_ms},
          {"lost_share", rate.lost_share},
          {"position_m", {p.x(), p.y(), p.z()}},
          {"orientation_wxyz", {q.w(), q.x(), q.y(), q.z()}},
          {"buttons", rate.last.buttons}};
}

void monitor(const DevicesOptions& options) {
  DeviceChoice choice;
  choice.wait_s = options.wait_s;
  const std::unique_ptr<Device> device = make_device(spec_of(options), choice);
  std::signal(SIGINT, [](int) { is_interrupted = true; });
  const double seconds = options.seconds.value_or(std::numeric_limits<double>::infinity());
  const DeviceRate rate = [&] {
    LiveLine line;
    return measure_rate(*device, seconds, [&](const DeviceReading& reading, bool is_there) {
      line.show(reading, is_there);
      return !is_interrupted;
    });
  }();
  const std::string& name = device->limits().name;
  if (options.json) {
    print(rate_json(options.name, name, rate));
  } else {
    fmt::print(
        "{}: {} readings, {:.1f} Hz; between two {:.2f} ms (p50), {:.2f} ms (p99), {:.2f} ms at "
        "most; jitter {:.3f} ms; lost in {:.1f} % of the ticks\n",
        name, rate.samples, rate.rate_hz, rate.interval_p50_ms, rate.interval_p99_ms,
        rate.interval_max_ms, rate.jitter_ms, 100.0 * rate.lost_share);
  }
  if (rate.samples < 2) throw ExitCode{1};
}

void add_common(CLI::App& command, const std::shared_ptr<DevicesOptions>& options) {
  command.add_option("NAME", options->name, "Device, as `stickslip devices` lists them")
      ->required();
  command.add_option("--host", options->host, "Host of the service, for haply");
  command.add_option("--port", options->port, "Port, for haply and bridge")
      ->check(CLI::Range(1, 65535));
  command.add_option("--wait", options->wait_s, "How long to wait for the device [s]")
      ->check(zero_or_more())
      ->capture_default_str();
  command.add_option("--seconds", options->seconds, "How long to measure [s]")->check(above_zero());
  command.add_flag("--json", options->json, "One JSON object on standard output");
}

}  // namespace

void add_devices_command(CLI::App& program) {
  const auto options = std::make_shared<DevicesOptions>();
  CLI::App* devices = program.add_subcommand("devices", "Haptic devices, real and simulated");
  devices->require_subcommand(0, 1);
  devices->add_flag("--json", options->json, "One JSON object on standard output");
  devices->footer(
      "Without a command: what can be named as a device. docs/devices.md says more. Examples:\n"
      "  stickslip devices\n"
      "  stickslip devices doctor haply\n"
      "  stickslip devices monitor simulated:phantom:light --seconds 2");

  CLI::App* doctor = devices->add_subcommand(
      "doctor", "Examine a device step by step; say what works and what to do about what does not");
  add_common(*doctor, options);
  doctor->footer(
      "The force stays zero. Exit code 1 when a step is bad. Example:\n"
      "  stickslip devices doctor haply --host 192.168.1.20");
  doctor->callback([options] { examine(*options); });

  CLI::App* watch = devices->add_subcommand("monitor", "Show pose, rate and jitter of a device");
  add_common(*watch, options);
  watch->footer(
      "The force stays zero. Ends with Ctrl-C or after --seconds. Example:\n"
      "  stickslip devices monitor bridge --seconds 10");
  watch->callback([options] { monitor(*options); });

  devices->callback([options, devices] {
    if (!devices->get_subcommands().empty()) return;
    if (options->json) {
      print(list_json());
    } else {
      fmt::print("{}", list_text());
    }
  });
}

}  // namespace stickslip::cli
