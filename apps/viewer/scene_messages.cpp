#include "apps/viewer/scene_messages.hpp"

#include <algorithm>
#include <limits>

#include "apps/json_values.hpp"

namespace stickslip::viewer {

namespace {

Json box_json(const Scene& scene) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = -low;
  for (const SceneBody& body : scene.bodies) {
    const FrameState frame = body.body.initial_state(body.position, body.orientation).frame;
    for (const Vec3& point : body.body.surface().points) {
      low = low.cwiseMin(frame.to_world(point));
      high = high.cwiseMax(frame.to_world(point));
    }
  }
  return {vector_json(low), vector_json(high)};
}

constexpr std::size_t most_names = 500;

}  // namespace

std::vector<std::string> names_in(const std::filesystem::path& folder, std::string_view ending) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ending) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  if (names.size() > most_names) names.resize(most_names);
  return names;
}

Json about_scene(const Scene& scene, std::uint32_t number, double tick_s, bool is_recording) {
  const SimulationOptions& simulation = scene.simulation;
  // zero without gravity; Eigen leaves a vector of length zero as it is
  const Vec3 up = (-simulation.gravity).normalized();
  return {{"number", number},
          {"name", scene.name},
          {"title", scene.name},
          {"dt_s", simulation.dt},
          {"tick_s", tick_s},
          {"up", vector_json(up)},
          {"box_m", box_json(scene)},
          {"duration_s", simulation.duration},
          {"deadline_us", std::min(simulation.deadline_us, 1e6 * simulation.dt)},
          {"is_recording", is_recording}};
}

Json hands_json(const Scene& scene, const Stage* stage) {
  Json hands = Json::array();
  for (std::size_t h = 0; h < scene.hands.size(); ++h) {
    const Hand& hand = scene.hands[h];
    Json bodies = Json::array();
    for (const Handle& handle : hand.handles) bodies.push_back(handle.body);
    hands.push_back({{"name", hand.name},
                     {"device", hand.device},
                     {"can_be_taken", stage != nullptr && stage->can_be_taken(h)},
                     {"bodies", bodies},
                     {"reach_m", hand.reach},
                     {"stiffness_N_m", hand.gains.stiffness},
                     {"damping_N_s_m", hand.gains.damping},
                     {"rotational_stiffness_N_m_rad", hand.gains.rotational_stiffness},
                     {"rotational_damping_N_m_s_rad", hand.gains.rotational_damping}});
  }
  return hands;
}

Json to_json(const std::vector<ComparedMethod>& methods) {
  Json list = Json::array();
  for (const ComparedMethod& method : methods) list.push_back(method_json(method));
  return list;
}

}  // namespace stickslip::viewer
