#include "apps/viewer/stage.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "stickslip/devices/device_spec.hpp"
#include "stickslip/error.hpp"

namespace stickslip::viewer {

namespace {

/// Gains that the file leaves open stay as they were chosen, damping in proportion to stiffness.
void adopt_gains(double asked_stiffness, double asked_damping, double& stiffness, double& damping) {
  const double before = stiffness;
  if (!std::isnan(asked_stiffness)) stiffness = asked_stiffness;
  damping = std::isnan(asked_damping) ? damping * stiffness / before : asked_damping;
}

void adopt_gains(const CouplingGains& from, CouplingGains& to) {
  adopt_gains(from.stiffness, from.damping, to.stiffness, to.damping);
  adopt_gains(from.rotational_stiffness, from.rotational_damping, to.rotational_stiffness,
              to.rotational_damping);
}

/// A scene that nobody holds gets a hand, which may hold whatever moves freely.
std::vector<std::string> with_hand(const std::filesystem::path& path,
                                   std::vector<std::string> overrides) {
  const SceneDescription scene = read_scene_description(path, overrides);
  const bool has_free_body =
      std::any_of(scene.bodies.begin(), scene.bodies.end(),
                  [](const BodyDescription& body) { return has_free_frame(body.kind); });
  if (scene.hands.empty() && has_free_body) {
    overrides.emplace_back(R"(hand=[{name="mouse", device="mouse", starts_holding=false}])");
  }
  return overrides;
}

}  // namespace

Stage::Stage(std::filesystem::path path, std::vector<std::string> overrides, StageOptions options)
    : path_(std::move(path)),
      overrides_(with_hand(path_, std::move(overrides))),
      options_(std::move(options)),
      description_(read_scene_description(path_, overrides_)),
      scene_(build_scene(description_, options_.building).scene) {
  reset();
}

void Stage::reset() {
  runner_.reset();
  setups_.clear();
  mice_.clear();
  steps_ = 0;
  state_ = initial_state(scene_);
  data_.emplace(scene_);
  runner_.emplace(scene_, state_, *data_);
  if (scene_.hands.empty()) return;
  make_hands();
  // nobody has asked for anything yet
  for (std::size_t h = 0; h < setups_.size(); ++h) {
    DeviceReading reading;
    setups_[h].device->read(reading);
    data_->hand_inputs[h].pose = setups_[h].map.to_world({reading.position, reading.orientation});
  }
  runner_.emplace(scene_, state_, *data_, setups_,
                  loop_by_clock(options_.tick_s, options_.rendering));
}

void Stage::rebuild(const std::vector<std::string>& overrides) {
  SceneDescription description = read_scene_description(path_, overrides);
  Scene scene = build_scene(description, options_.building).scene;
  overrides_ = overrides;
  description_ = std::move(description);
  scene_ = std::move(scene);
  reset();
}

void Stage::make_hands() {
  for (const ReadyHand& hand : prepare_hands(scene_, options_.tick_s, options_.rendering)) {
    setups_.push_back(hand.setup);
    const auto kind = parse_device_spec(scene_.hands[mice_.size()].device).kind;
    std::shared_ptr<MouseDevice> mouse = std::dynamic_pointer_cast<MouseDevice>(hand.setup.device);
    // who is not there can hand over
    if (kind == DeviceSpec::Kind::simulated || kind == DeviceSpec::Kind::scripted) {
      mouse = std::make_shared<MouseDevice>(hand.setup.device, options_.tick_s);
      setups_.back().device = mouse;
    }
    mice_.push_back(std::move(mouse));
  }
}

RunEvents Stage::counted(const RunEvents& events) {
  return {[this, &events](const StepReport& report) {
            ++steps_;
            events.after_step(report);
          },
          events.after_tick};
}

void Stage::run(double speed, const std::atomic<bool>& stop, const RunEvents& events) {
  if (speed != 1.0) refuse_without_clock();
  LiveReport report =
      runner_->run_by_clock({.speed = speed}, SceneRunner::for_ever, stop, counted(events));
  if (runner_->session() != nullptr && speed == 1.0) last_run_ = std::move(report);
}

void Stage::refuse_without_clock() const {
  for (std::size_t h = 0; h < setups_.size(); ++h) {
    if (!setups_[h].device->needs_clock()) continue;
    throw InputError(fmt::format(
        "hand.{} is a device that somebody feels: it runs at full speed only; pause it, or give "
        "the hand a simulated one",
        scene_.hands[h].name));
  }
}

bool Stage::is_felt() const {
  return std::any_of(setups_.begin(), setups_.end(),
                     [](const HandSetup& setup) { return setup.device->needs_clock(); });
}

void Stage::step(const RunEvents& events) {
  refuse_without_clock();
  runner_->step(counted(events));
}

void Stage::adopt(const SceneDescription& description, const std::vector<std::string>& overrides) {
  if (description.bodies.size() != scene_.bodies.size() ||
      description.hands.size() != scene_.hands.size()) {
    throw InputError(
        fmt::format("{}: has changed since it was read; pick the scene again", path_.string()));
  }
  const SimulationOptions before = scene_.simulation;
  scene_.friction = friction_table(description);
  scene_.simulation = description.simulation;
  for (std::size_t h = 0; h < scene_.hands.size(); ++h) {
    adopt_gains(description.hands[h].hand.gains, scene_.hands[h].gains);
  }
  description_ = description;
  overrides_ = overrides;
  const SimulationOptions& now = scene_.simulation;
  if (now.solver == before.solver && now.contact_method == before.contact_method) return;
  const std::vector<HandInput> inputs = data_->hand_inputs;
  data_.emplace(scene_);
  data_->hand_inputs = inputs;
}

MouseDevice& Stage::mouse(int hand) {
  if (uz(hand) >= mice_.size()) {
    throw InputError(fmt::format("there is no hand {}; the scene has {}", hand, mice_.size()));
  }
  if (!mice_[uz(hand)]) {
    throw InputError(fmt::format("hand {} has a device of its own; move that", hand));
  }
  return *mice_[uz(hand)];
}

int Stage::held_by(int hand) {
  // the loop knows what the hand wants before a step has done it
  auto& wanted = runner_->session()->loop().inputs();
  wanted.refresh();
  const HandInputs& inputs = wanted.value();
  const auto h = uz(hand);
  const bool wants_hold =
      inputs.time_s > 0.0 ? inputs.hands[h].wants_hold : setups_[h].starts_holding;
  if (!wants_hold) return -1;
  return state_.hands[h].body >= 0 ? state_.hands[h].body : scene_.hands[h].handles[0].body;
}

void Stage::grab(int hand, int body) {
  MouseDevice& device = mouse(hand);
  const std::vector<Handle>& handles = scene_.hands[uz(hand)].handles;
  const auto wanted = std::find_if(handles.begin(), handles.end(),
                                   [&](const Handle& handle) { return handle.body == body; });
  if (body >= 0 && wanted == handles.end()) {
    throw InputError(fmt::format("hand {} cannot hold body {}", hand, body));
  }
  if (!device.is_taken()) device.take();
  const int held = held_by(hand);
  if (held >= 0 && (body < 0 || held == body)) return;
  if (held >= 0) device.press();
  // a hand with a choice goes to what it is to hold
  if (body >= 0 && handles.size() > 1) {
    const Pose grip = grip_pose(state_.bodies[uz(body)].frame, wanted->grip);
    device.place(setups_[uz(hand)].map.to_device(grip));
  }
  device.press();
}

void Stage::release(int hand) {
  MouseDevice& device = mouse(hand);
  if (device.is_taken() && held_by(hand) >= 0) device.press();
}

void Stage::lead(int hand, const Pose& pose) {
  MouseDevice& device = mouse(hand);
  device.lead(setups_[uz(hand)].map.to_device(pose));
}

}  // namespace stickslip::viewer
