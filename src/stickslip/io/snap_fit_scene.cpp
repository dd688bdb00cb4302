#include "stickslip/io/snap_fit_scene.hpp"

#include <limits>

#include "stickslip/haptics/models/device.hpp"

namespace stickslip {

namespace {

void hold(const SnapFitParts::Held& held, BodyDescription& body) {
  if (!held.region.empty()) {
    body.held = {held.region};
    return;
  }
  const std::string name = "held box";
  body.regions.push_back({name, held.low, held.high, body.places});
  body.held = {name};
}

}  // namespace

SceneDescription describe_snap_fit(const SnapFitParts& parts) {
  SceneDescription scene;
  scene.path = parts.part;
  scene.name = parts.part.stem().string();
  scene.simulation.dt = parts.dt;
  scene.simulation.gravity.setZero();
  scene.simulation.passes = 6;
  scene.friction = parts.friction;
  scene.materials.push_back({"matter", parts.young, parts.poisson, parts.density});

  const auto describe = [&](const char* name, const std::filesystem::path& mesh) {
    BodyDescription body;
    body.name = name;
    body.mesh = mesh;
    body.material = "matter";
    body.places.section = mesh.string();
    return body;
  };
  BodyDescription counterpart = describe("counterpart", parts.counterpart);
  if (parts.counterpart_held) {
    counterpart.kind = BodyKind::deformable;
    hold(*parts.counterpart_held, counterpart);
  }
  scene.bodies.push_back(counterpart);
  BodyDescription part = describe("part", parts.part);
  part.kind = BodyKind::corotational;
  hold(parts.handle, part);
  part.position = -parts.travel * parts.axis;
  scene.bodies.push_back(part);

  HandDescription hand;
  hand.hand.name = "hand";
  hand.hand.gains = {parts.stiffness, std::numeric_limits<double>::quiet_NaN(),
                     parts.stiffness * handle_lever * handle_lever,
                     std::numeric_limits<double>::quiet_NaN()};
  hand.body = 1;
  hand.region = part.held.front();
  hand.is_path_smooth = false;
  hand.places.section = parts.part.string();
  Vec6 end = Vec6::Zero();
  end.head<3>() = (parts.travel + parts.overtravel) * parts.axis;
  hand.path = TimeTable({{0.0, Vec6::Zero()}, {1.0, end}});
  scene.hands.push_back(hand);
  return scene;
}

}  // namespace stickslip
