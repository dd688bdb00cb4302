#include "stickslip/io/scene_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "stickslip/io/scene_keys.hpp"
#include "stickslip/io/scene_values.hpp"
#include "stickslip/math/rotation.hpp"

namespace stickslip {

namespace {

void read_workspace(const TomlValue& table, Hand& hand) {
  Vec3 turn = Vec3::Zero();
  read(table, "centre", hand.map.centre);
  read(table, "turn", turn);
  hand.map.turn = rotation_exp(turn);
  read(table, "motion_scale", hand.map.motion_scale);
  read(table, "force_scale", hand.map.force_scale);
  read(table, "max_force", hand.max_force);
  read(table, "max_torque", hand.max_torque);
}

void read_gains(const TomlValue& table, Hand& hand) {
  CouplingGains& gains = hand.gains;
  gains.stiffness = gains.damping = std::numeric_limits<double>::quiet_NaN();
  gains.rotational_stiffness = gains.rotational_damping = gains.stiffness;
  read(table, "stiffness", gains.stiffness);
  read(table, "damping", gains.damping);
  read(table, "rotational_stiffness", gains.rotational_stiffness);
  read(table, "rotational_damping", gains.rotational_damping);
}

}  // namespace

void SceneReader::read_hand(const TomlValue& table) {
  HandDescription from;
  Hand& hand = from.hand;
  hand.name = scene_.hands.empty() ? "hand" : fmt::format("hand{}", scene_.hands.size() + 1);
  read(table, "name", hand.name);
  from.places = places_of(table);
  const std::string path = fmt::format("hand.{}", hand.name);
  for (const HandDescription& other : scene_.hands) {
    if (other.hand.name == hand.name) {
      refuse(table.where, fmt::format("{}: two hands have that name; rename one", path));
    }
  }
  if (table.find("body") != nullptr) {
    from.body = require_body(table, path);
    const BodyKind kind = scene_.bodies[uz(from.body)].kind;
    if (!has_free_frame(kind)) {
      refuse_value(*table.find("body"), path + ".body",
                   fmt::format("is {}; a hand can hold a rigid, corotational or quasi-rigid body",
                               to_string(kind)));
    }
  } else {
    refuse_keys(table, path, {"point", "region"}, "belongs to a body; add body = \"...\", or");
    if (std::none_of(scene_.bodies.begin(), scene_.bodies.end(),
                     [](const BodyDescription& body) { return has_free_frame(body.kind); })) {
      refuse(table.where, fmt::format("{} finds nothing to hold: no body of the scene is rigid, "
                                      "corotational or quasi-rigid; add one, or remove the hand",
                                      path));
    }
  }
  read(table, "point", from.point);
  read(table, "region", from.region);
  if (from.point && !from.region.empty()) {
    refuse(table.where, fmt::format("{} has both a point and a region; keep one", path));
  }
  read(table, "reach", hand.reach);
  read(table, "device", hand.device);
  read(table, "starts_holding", hand.starts_holding);
  read(table, "grab_at", from.grab_at);
  read(table, "release_at", from.release_at);
  if (from.grab_at && !table.find("starts_holding")) hand.starts_holding = false;
  const TomlValue* rows = table.find("path");
  if (rows != nullptr) from.path = read_rows(*rows, path + ".path");
  std::string kind = "minimum-jerk";
  read(table, "path_kind", kind);
  from.is_path_smooth = kind == "minimum-jerk";
  read_workspace(table, hand);
  read_gains(table, hand);
  scene_.hands.push_back(std::move(from));
}

}  // namespace stickslip
