#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings/problem.hpp"
#include "stickslip/io/recording.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/io/toml_document.hpp"
#include "stickslip/simulation/haptic_session.hpp"
#include "stickslip/simulation/linear_range.hpp"
#include "stickslip/simulation/probe_readings.hpp"
#include "stickslip/simulation/run_summary.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::python {

/// What a scene is made from: a document, and what it says.
struct SceneSource {
  TomlValue document;
  SceneDescription description;

  SceneSource(TomlValue written, const std::filesystem::path& path,
              const std::vector<std::string>& overrides);
};

/// Displacements that an array looks at. They are the engine's until it writes there again; then
/// the array keeps the memory, and the engine takes new.
struct LentDisplacement {
  std::shared_ptr<const void> engine;  ///< whose memory it is; none once it was given up
  Displacement kept;
};

/// A scene that is being stepped. One thread at a time.
class SceneRun {
 public:
  SceneRun(SceneSource source, const SceneBuildOptions& options);
  /// At the first state of a recording.
  explicit SceneRun(const Recording& recording);
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  const Scene& scene() const { return scene_; }
  const SceneDescription& description() const { return description_; }
  const TomlValue* document() const { return document_ ? &*document_ : nullptr; }
  const State& state() const { return state_; }
  const StepData& data() const { return *data_; }
  const StepReport& report() const { return report_; }
  const std::vector<ProbeReading>& readings() const { return readings_; }
  std::int64_t steps() const { return steps_; }  ///< since the start of the scene
  double energy() const { return energy_; }      ///< not known just after a state was taken [J]

  /// Before steps are made, or another state is taken.
  void keep_what_is_lent();
  std::shared_ptr<LentDisplacement> lend_displacement(std::size_t body,
                                                      const std::shared_ptr<const void>& self);

  void step_once();

  void reset();
  std::vector<double> numbers() const;
  void take(std::span<const double> numbers);

  /// Of drive number d, until it is given back to its table.
  void give_input(std::size_t d, const std::optional<Vec6>& value);

  /// The contact problem of the last step: of one group of bodies that touch, or of all.
  Problem problem(std::optional<int> group) const;
  int group_count() const { return data_->groups.count(); }

  struct HandReading {
    Vec3 position;  ///< of the device, in the world [m]
    Vec6 wrench;    ///< on the hand, in the axes of its device [N, N m]
    double energy;  ///< that it has put in [J]
  };
  std::vector<HandReading> hand_readings() const;

  /// Throws while another thread uses this.
  class Use {
   public:
    explicit Use(SceneRun& run);
    ~Use() { run_.is_used_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    SceneRun& run_;
  };
  void require_unused() const;

 private:
  void refuse_devices() const;
  void begin(State state);

  std::optional<TomlValue> document_;
  SceneDescription description_;
  Scene scene_;
  State state_;
  std::unique_ptr<StepData> data_;
  StepReport report_;
  std::vector<ProbeReading> readings_;
  double energy_ = 0.0;
  std::int64_t steps_ = 0;
  std::vector<std::weak_ptr<LentDisplacement>> lent_;  ///< one a body
  std::vector<WorkspaceMap> hand_maps_;
  std::unique_ptr<HapticSession> session_;  ///< where the scene has hands
  std::optional<TurnTaking> turns_;
  bool is_used_ = false;
};

}  // namespace stickslip::python
