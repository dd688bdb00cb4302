#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stickslip/devices/hand_setup.hpp"
#include "stickslip/devices/mouse_device.hpp"
#include "stickslip/io/recorded_scene.hpp"
#include "stickslip/simulation/scene_runner.hpp"

namespace stickslip::viewer {

struct StageOptions {
  double tick_s = 1e-3;
  RenderingMode rendering = RenderingMode::resolved;
  SceneBuildOptions building;
};

/// A scene that is simulated live, in hands where it has any.
class Stage {
 public:
  /// Throws InputError, or std::runtime_error where a device does not show itself.
  Stage(std::filesystem::path path, std::vector<std::string> overrides, StageOptions options);

  const std::filesystem::path& path() const { return path_; }
  const std::vector<std::string>& overrides() const { return overrides_; }
  const SceneDescription& description() const { return description_; }
  const Scene& scene() const { return scene_; }
  const State& state() const { return state_; }
  const StepData& data() const { return *data_; }
  std::int64_t steps() const { return steps_; }
  /// Of the last time that the haptic loop ran by the clock.
  const LiveReport& last_run() const { return last_run_; }

  /// Steps by the clock, at a share of real time, until `stop`.
  void run(double speed, const std::atomic<bool>& stop, const RunEvents& events);

  /// One step, with the ticks that belong to it.
  void step(const RunEvents& events);

  /// Throws InputError where somebody feels a device: that needs all of its ticks by the clock, so
  /// that neither another speed than 1 nor a single step can be had.
  void refuse_without_clock() const;

  /// Somebody feels a device of it.
  bool is_felt() const;

  /// From the start, with the operators that the scene has.
  void reset();

  /// Made anew with other values, from the start. What is refused leaves all as it was.
  void rebuild(const std::vector<std::string>& overrides);

  /// Takes values over that act at once: friction, gains, how contacts are solved. The new text of
  /// the scene differs from the old one in nothing else.
  void adopt(const SceneDescription& description, const std::vector<std::string>& overrides);

  // the person at the page; refused by InputError where there is no such hand for him
  /// What is nearest to the hand, or a body that it may hold (-1: none is named).
  void grab(int hand, int body = -1);
  void release(int hand);
  void lead(int hand, const Pose& pose);
  bool can_be_taken(std::size_t hand) const { return hand < mice_.size() && mice_[hand]; }
  bool is_taken(std::size_t hand) const { return can_be_taken(hand) && mice_[hand]->is_taken(); }
  const HandSetup& hand_setup(std::size_t hand) const { return setups_[hand]; }

 private:
  void make_hands();
  MouseDevice& mouse(int hand);
  int held_by(int hand);  ///< a body; -1: none
  RunEvents counted(const RunEvents& events);

  std::filesystem::path path_;
  std::vector<std::string> overrides_;
  StageOptions options_;
  SceneDescription description_;
  Scene scene_;
  State state_;
  std::optional<StepData> data_;  ///< made anew where it stands
  std::vector<HandSetup> setups_;
  std::vector<std::shared_ptr<MouseDevice>> mice_;  ///< null: somebody else's device
  std::optional<SceneRunner> runner_;
  std::int64_t steps_ = 0;
  LiveReport last_run_;
};

}  // namespace stickslip::viewer
