#include "stickslip/devices/device_doctor.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>

#include "stickslip/devices/device_rate.hpp"

namespace stickslip {

namespace {

/// Beyond it little stiffness is left. [s]
constexpr double slowest_link_s = 0.005;

/// Steps so far; each says whether the next makes sense.
class Examination {
 public:
  bool good(std::string name, std::string message) {
    steps_.push_back({std::move(name), Health::good, std::move(message), {}});
    return true;
  }
  bool doubtful(std::string name, std::string message, std::string remedy) {
    steps_.push_back({std::move(name), Health::doubtful, std::move(message), std::move(remedy)});
    return true;
  }
  bool bad(std::string name, std::string message, std::string remedy) {
    steps_.push_back({std::move(name), Health::bad, std::move(message), std::move(remedy)});
    return false;
  }
  bool attempt(std::string name, std::string success, const ConnectionTrouble& trouble,
               std::string remedy) {
    return trouble.empty() ? good(std::move(name), std::move(success))
                           : bad(std::move(name), trouble, std::move(remedy));
  }
  std::vector<DoctorStep> steps() { return std::move(steps_); }

 private:
  std::vector<DoctorStep> steps_;
};

std::string limits_text(const DeviceLimits& limits) {
  std::string text = fmt::format("{}: senses {}, actuates {} degrees of freedom", limits.name,
                                 limits.sensed_dofs, limits.actuated_dofs);
  if (std::isfinite(limits.peak_force)) text += fmt::format(", {:g} N", limits.peak_force);
  if (limits.actuated_dofs == 6 && std::isfinite(limits.peak_torque)) {
    text += fmt::format(", {:g} N m", limits.peak_torque);
  }
  if (limits.stiffness > 0.0) text += fmt::format(", {:g} N/m", limits.stiffness);
  return text + fmt::format(", tick {:g} ms", 1e3 * limits.tick_s);
}

/// Rate, jitter, and whether the pose is one.
void examine_flow(Examination& examination, Device& device, double seconds) {
  const double nominal = 1.0 / device.limits().tick_s;
  const DeviceRate rate = measure_rate(device, seconds);
  const std::string text = fmt::format(
      "{:.0f} readings a second of {:.0f}; between two {:.2f} ms (p50), {:.2f} ms (p99), {:.2f} ms "
      "at most; jitter {:.3f} ms",
      rate.rate_hz, nominal, rate.interval_p50_ms, rate.interval_p99_ms, rate.interval_max_ms,
      rate.jitter_ms);
  if (rate.samples < 2 || rate.lost_share > 0.5) {
    examination.bad("rate", fmt::format("lost in {:.0f} % of the ticks", 100.0 * rate.lost_share),
                    "look at cable, power and the device's own program, then try again");
    return;
  }
  if (rate.rate_hz < 0.8 * nominal) {
    examination.doubtful("rate", text,
                         "stiff contact needs the full rate: end other programs, or ask for less "
                         "stiffness");
  } else if (rate.lost_share > 0.0) {
    examination.doubtful(
        "rate", text + fmt::format("; lost in {:.1f} % of the ticks", 100.0 * rate.lost_share),
        "look at cable and power, end other programs");
  } else {
    examination.good("rate", text);
  }
  const double reach = rate.last.position.norm();
  const std::string pose = fmt::format("[{:.4f}, {:.4f}, {:.4f}] m", rate.last.position.x(),
                                       rate.last.position.y(), rate.last.position.z());
  const double radius = device.limits().workspace_radius;
  if (radius > 0.0 && reach > 3.0 * radius) {
    examination.doubtful("pose",
                         fmt::format("{} is far outside a workspace of {:g} m", pose, radius),
                         "calibrate the device; check that positions are in metres");
  } else {
    examination.good("pose", pose);
  }
}

void examine_link(Examination& examination, const LinkTimes& link) {
  const std::string text =
      fmt::format("{:.2f} ms from a wrench to a reading that knows of it, 1 in 100 takes {:.2f} ms",
                  1e3 * link.delay_s, 1e3 * (link.delay_s + link.jitter_s));
  if (link.delay_s + link.jitter_s > slowest_link_s) {
    examination.doubtful("delay", text,
                         "contact will be soft: end other programs, use a cable, or run the "
                         "device's program on this machine");
  } else {
    examination.good("delay", text);
  }
}

void examine_haply_inventory(Examination& examination, const HaplyOptions& options,
                             const std::string& text, bool& is_usable) {
  is_usable = false;
  const std::optional<haply::Message> message = haply::parse(text);
  if (!message) {
    examination.bad("inventory", "the service did not answer with JSON",
                    "check that it is Haply's Inverse Service, 3.5 or newer, that has this port");
    return;
  }
  std::vector<std::string> ids;
  const haply::Inverse3* found = nullptr;
  for (const haply::Inverse3& device : message->devices) {
    ids.push_back(device.id);
    if (found == nullptr && (options.device_id.empty() || options.device_id == device.id)) {
      found = &device;
    }
  }
  if (found == nullptr) {
    examination.bad("inventory",
                    ids.empty() ? "the service knows no Inverse3"
                                : fmt::format("no Inverse3 is called '{}', only {}",
                                              options.device_id, fmt::join(ids, ", ")),
                    ids.empty() ? "plug in the Inverse3 and its power supply, wait for its light"
                                : "give one of these as ?device=ID");
    return;
  }
  examination.good("inventory", fmt::format("Inverse3 {}, {} grip(s)", fmt::join(ids, ", "),
                                            message->grips.size()));
  is_usable = true;
  const haply::Status& status = found->status;
  if (!status.power_supply.value_or(true)) {
    examination.bad("power", "the Inverse3 has no power", "plug in its power supply");
  }
  if (!status.calibrated.value_or(true)) {
    is_usable = examination.bad("calibrated", "the Inverse3 is not calibrated",
                                "put it into its dock, or calibrate it in Haply's hub");
  }
  if (!status.ready.value_or(true)) {
    is_usable = examination.bad("ready", "the Inverse3 is not ready",
                                "wait for its light, or start it in Haply's hub");
  }
  if (is_usable) examination.good("ready", "calibrated and ready");
}

void examine_haply(Examination& examination, const HaplyOptions& options, double seconds) {
  constexpr double patience_s = 2.0;
  bool is_usable = false;
  {
    WebSocketClient client;
    std::string inventory;
    const std::string address = fmt::format("{}:{}", options.host, options.port);
    const std::string service =
        "start Haply's Inverse Service on that machine, check host and port";
    const bool goes_on =
        examination.attempt("resolve", options.host + " is known",
                            client.resolve(options.host, options.port, patience_s),
                            "check the name of the host, or give its address") &&
        examination.attempt("connect", "something listens at " + address,
                            client.connect(patience_s), service) &&
        examination.attempt("handshake", "it speaks WebSocket", client.shake_hands(patience_s),
                            "another program has this port: " + service) &&
        examination.attempt("greeting", "the service spoke first",
                            client.receive(inventory, patience_s),
                            "update or restart Haply's Inverse Service");
    if (!goes_on) return;
    examine_haply_inventory(examination, options, inventory, is_usable);
  }
  if (!is_usable) return;
  HaplyDevice device(options);
  if (!device.wait_for_device(patience_s)) {
    if (device.garbled() > 0) {
      examination.bad("states", "the service tells no position where a device can be",
                      "calibrate the Inverse3 in Haply's hub, restart the service");
      return;
    }
    examination.bad("states", "no states come in answer to forces",
                    "services up to 3.4 want haply?force=values; restart the service");
    return;
  }
  examine_flow(examination, device, seconds);
  examine_link(examination, device.link());
  if (device.garbled() + device.unasked() > 0) {
    examination.doubtful(
        "messages",
        fmt::format("{} garbled, {} that were not asked for", device.garbled(), device.unasked()),
        "update Haply's Inverse Service, end other programs that use it");
  }
}

/// Why no bridge is there.
void explain_absence(Examination& examination, const BridgeDevice& device, double waited_s) {
  const BridgeCounts& counts = device.counts();
  if (!device.refusal().empty()) {
    examination.bad("hello", device.refusal(), "correct what the bridge says in its hello");
  } else if (counts.other_version != 0) {
    examination.bad("hello",
                    fmt::format("a bridge speaks version {} of the protocol, this program {}",
                                counts.other_version, bridge::protocol_version),
                    "build the bridge for this version");
  } else if (counts.garbled > 0) {
    examination.bad("hello", fmt::format("{} datagrams came that are no packets", counts.garbled),
                    "compare the bridge with docs/device_bridge.md: sizes, byte order, checksum");
  } else {
    examination.bad("hello", fmt::format("no bridge came within {:g} s", waited_s),
                    fmt::format("start one for this port, for example python3 "
                                "examples/bridge_client.py --port {}",
                                device.port()));
  }
}

void examine_watchdog(Examination& examination, std::uint32_t watchdog_ms) {
  const std::string remedy = "let it drop the force after 50 ms of silence";
  if (watchdog_ms == 0) {
    examination.doubtful("watchdog",
                         "the bridge never drops the force when the engine falls silent", remedy);
  } else if (watchdog_ms > 200) {
    examination.doubtful("watchdog",
                         fmt::format("the bridge drops the force only after {} ms", watchdog_ms),
                         remedy);
  } else {
    examination.good("watchdog",
                     fmt::format("the force drops after {} ms of silence", watchdog_ms));
  }
}

void examine_bridge(Examination& examination, const BridgeOptions& options,
                    const DoctorOptions& doctor) {
  BridgeDevice device(options);
  examination.good("listen", fmt::format("UDP port {} of this machine", device.port()));
  const bool has_come = device.wait_for_device(doctor.wait_s);
  const BridgeCounts& counts = device.counts();
  if (counts.hellos == 0) {
    explain_absence(examination, device, doctor.wait_s);
    return;
  }
  examination.good("hello", limits_text(device.limits()));
  examine_watchdog(examination, device.watchdog_ms());
  if (!has_come) {
    examination.bad("states", "the bridge said hello but sends no states",
                    "let it send a state at each tick");
    return;
  }
  if (!device.is_ready()) {
    examination.bad("ready", "the bridge says that its device is not ready",
                    "calibrate the device by its maker's program");
    return;
  }
  examine_flow(examination, device, doctor.measure_s);
  examine_link(examination, device.link());
  if (counts.garbled + counts.foreign + counts.late > 0) {
    examination.doubtful("packets",
                         fmt::format("{} garbled, {} of another bridge, {} late", counts.garbled,
                                     counts.foreign, counts.late),
                         "run one bridge a port; compare it with docs/device_bridge.md");
  }
}

}  // namespace

std::vector<DoctorStep> examine_device(const DeviceSpec& spec, const DoctorOptions& options) {
  Examination examination;
  if (spec.kind == DeviceSpec::Kind::haply) {
    examine_haply(examination, spec.haply, options.measure_s);
  } else if (spec.kind == DeviceSpec::Kind::bridge) {
    examine_bridge(examination, spec.bridge, options);
  } else {
    const std::unique_ptr<Device> device = make_device(spec);
    examination.good("make", limits_text(device->limits()));
    examine_flow(examination, *device, options.measure_s);
  }
  return examination.steps();
}

}  // namespace stickslip
