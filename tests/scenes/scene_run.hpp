#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "places.hpp"
#include "stickslip/io/scene_file.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/run_summary.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::testing_support {

inline const std::filesystem::path shelf = STICKSLIP_SOURCE_DIR "/scenes";

/// A scene of the shelf while it runs.
class SceneRun {
 public:
  explicit SceneRun(const std::string& name, const std::vector<std::string>& overrides = {},
                    decltype(Scene::make_proximity) make_proximity = {})
      : scene(with_proximity(read_scene(shelf / (name + ".toml"), overrides), make_proximity)),
        state(initial_state(scene)),
        data(scene),
        summary(scene, state, data) {}
  SceneRun(const SceneRun&) = delete;
  SceneRun& operator=(const SceneRun&) = delete;

  StepReport advance() {
    const StepReport report = step(scene, state, data);
    summary.add(report);
    return report;
  }
  void run(double seconds) {
    const auto count = std::lround(seconds / scene.simulation.dt);
    for (long k = 0; k < count; ++k) advance();
  }

  int body(const std::string& name) const {
    for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
      if (scene.bodies[b].name == name) return static_cast<int>(b);
    }
    return -1;
  }
  const FrameState& frame(const std::string& name) const {
    return state.bodies[uz(body(name))].frame;
  }
  Vec3 weight(const std::string& name) const {
    return scene.bodies[uz(body(name))].body.frame().mass() * scene.simulation.gravity;
  }

  std::vector<ContactReport> contacts() const {
    std::vector<ContactReport> reports;
    report_contacts(scene, state, data, reports);
    return reports;
  }
  /// Sum of the contact forces on a body, or of those that another one exerts.
  Vec3 force_on(const std::string& name, const std::string& other = "") const {
    Vec3 sum = Vec3::Zero();
    for (const ContactReport& contact : contacts()) {
      const bool is_first = contact.body_1 == body(name);
      if (!is_first && contact.body_2 != body(name)) continue;
      const int partner = is_first ? contact.body_2 : contact.body_1;
      if (!other.empty() && partner != body(other)) continue;
      sum += is_first ? contact.force : Vec3(-contact.force);
    }
    return sum;
  }

  Scene scene;
  State state;
  StepData data;
  RunSummary summary;

 private:
  static Scene with_proximity(Scene scene, decltype(Scene::make_proximity)& make_proximity) {
    scene.make_proximity = std::move(make_proximity);
    return scene;
  }
};

}  // namespace stickslip::testing_support
