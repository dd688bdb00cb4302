#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "stickslip/io/scene_description.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip::viewer {

using Json = nlohmann::ordered_json;

struct ViewedBody {
  std::string name;
  BodyKind kind = BodyKind::fixed;
  Surface surface;  ///< relative to the centre of mass
  bool deforms = false;
  double young = 0.0;  ///< [Pa]; 0: not known
  double poisson = 0.0;
  double mass = 0.0;          ///< [kg]
  std::vector<double> areas;  ///< around each point [m^2]
};

/// What viewers are told of a scene once.
struct ViewedScene {
  std::uint32_t number = 0;  ///< of the scenes since the launch
  double tick_s = 1e-3;
  Json about;  ///< `scene` of the message `hello`
  Json hands;  ///< of the same
  std::vector<ViewedBody> bodies;
};

/// Bodies of a scene, for a picture.
std::vector<ViewedBody> viewed_bodies(const SceneDescription& description, const Scene& scene);

/// What frames say of a hand.
struct ViewedHand {
  Pose device;
  Pose grip;
  Pose target;
  Vec6 wrench = Vec6::Zero();  ///< on the hand, world axes [N, N m]
  int body = -1;
  bool is_taken = false;
  double energy = 0.0;  ///< [J]
};

struct ViewedContact {
  ContactReport report;
  double mu = 0.0;
  bool has_points = false;  ///< the two that follow are known
  SurfacePoint P = {};
  SurfacePoint Q = {};
};

/// A moment of the simulation as it leaves its thread. Filled in place: once its vectors have met
/// their sizes, filling allocates nothing.
struct Snapshot {
  std::shared_ptr<const ViewedScene> scene;
  double time_s = 0.0;
  std::int64_t step = 0;
  bool runs = false;
  bool is_recorded = false;
  bool is_recording_shown = false;
  bool was_repeated = true;  ///< bit by bit, where a recording is shown
  bool is_converged = true;
  bool was_restored = false;
  double speed = 1.0;
  double real_time_factor = 0.0;
  std::int64_t late_steps = 0;
  std::vector<Pose> frames;           ///< of each body
  std::vector<std::vector<float>> u;  ///< of each body's surface, three numbers a point
  std::vector<ViewedContact> contacts;
  std::vector<ViewedHand> hands;
  bool has_delassus = false;
  int delassus_contacts = 0;
  std::vector<float> delassus;  ///< row after row
};

/// Poses, shapes and hands of a state; `data` holds what the hands asked of its step.
void take_state(const Scene& scene, const State& state, const StepData& data, Snapshot& to);

/// Contacts of the last step. `reports` is scratch.
void take_contacts(const Scene& scene, const State& state, const StepData& data,
                   std::vector<ContactReport>& reports, Snapshot& to);

/// W of the largest group of contacts, of the first contacts of it where it is large.
void take_delassus(const StepData& data, Snapshot& to);

/// Numbers of a row of the table of steps, after the number of the scene and the time.
inline constexpr int step_row_numbers = 18;
/// What the contacts of a step carry.
struct ContactLoad {
  int loaded = 0;
  int slipping = 0;
  double normal_force = 0.0;  ///< sum [N]
};
ContactLoad load_of(const StepData& data);
void fill_step_row(const StepReport& report, const ContactLoad& load, std::vector<double>& row);

}  // namespace stickslip::viewer
