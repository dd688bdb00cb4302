#include "stickslip/io/scene_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "stickslip/io/scene_keys.hpp"
#include "stickslip/io/scene_values.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 6> kind_names = {"fixed",        "rigid",       "deformable",
                                                        "corotational", "quasi-rigid", "nonlinear"};

}  // namespace

std::string_view to_string(BodyKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

void SceneReader::read_body(const TomlValue& table) {
  BodyDescription body;
  read(table, "name", body.name);
  body.places = places_of(table);
  const std::string path = fmt::format("body.{}", body.name);
  if (body_index(body.name) >= 0) {
    refuse_value(*table.find("name"), "body.name", "two bodies have that name; rename one");
  }
  const std::string& kind = table.find("kind")->text;
  body.kind = static_cast<BodyKind>(std::find(kind_names.begin(), kind_names.end(), kind) -
                                    kind_names.begin());
  read_geometry(table, path, body);
  read_skin(table, path, body);
  read_matter(table, path, body);
  read_place(table, path, body);
  scene_.bodies.push_back(std::move(body));
}

void SceneReader::read_geometry(const TomlValue& table, const std::string& path,
                                BodyDescription& body) {
  std::string mesh;
  read(table, "mesh", mesh);
  read(table, "shape", body.shape);
  if (mesh.empty() == body.shape.empty()) {
    refuse(table.where,
           fmt::format("{} must have either a mesh or a shape; write mesh = \"file.msh\", or "
                       "shape = \"box\" with its size",
                       path));
  }
  read(table, "scale", body.scale);
  if (!mesh.empty()) {
    body.mesh = place_of(mesh);
    refuse_keys(table, path, {"size", "cells", "radius", "length", "segments", "element"},
                "belongs to a shape, not to a mesh");
  } else {
    refuse_keys(table, path, {"scale"}, "belongs to a mesh; a shape has a size");
    read_shape(table, path, body);
  }
  for (const TomlValue& box : list_of(table, "region")) {
    BoxRegion region;
    read(box, "name", region.name);
    read(box, "low", region.low);
    read(box, "high", region.high);
    region.places = places_of(box);
    if ((region.low.array() > region.high.array()).any()) {
      refuse_value(
          *box.find("low"), fmt::format("{}.region.{}.low", path, region.name),
          fmt::format("is above high = {}; low is the smaller corner", box.find("high")->shown()));
    }
    body.regions.push_back(std::move(region));
  }
}

void SceneReader::read_shape(const TomlValue& table, const std::string& path,
                             BodyDescription& body) {
  std::string element = "tet4";
  read(table, "element", element);
  body.element = element == "tet10" ? ElementType::tet10 : ElementType::tet4;
  if (body.shape != "box" && body.shape != "plane") {
    read_round_shape(table, path, body);
    return;
  }
  refuse_keys(table, path, {"radius", "length", "segments"},
              "belongs to a sphere, cylinder or capsule");
  const bool is_plane = body.shape == "plane";
  const TomlValue* size = table.find("size");
  const std::string wanted = is_plane ? "size = [x, y]" : "size = [x, y, z]";
  if (size == nullptr) {
    refuse(table.where,
           fmt::format("{} is a {} without size; add {} in metres", path, body.shape, wanted));
  }
  if (size->items.size() != (is_plane ? 2U : 3U)) {
    refuse_value(*size, path + ".size", fmt::format("a {} has {} in metres", body.shape, wanted));
  }
  for (std::size_t d = 0; d < size->items.size(); ++d) {
    body.size[static_cast<int>(d)] = size->items[d].real;
  }
  if (is_plane) {
    refuse_keys(table, path, {"cells", "element"}, "belongs to a box; a plane is two triangles");
    if (body.kind != BodyKind::fixed) {
      refuse_value(*table.find("shape"), path + ".shape",
                   fmt::format("a plane has no volume and can only be fixed, not {}; use a box",
                               to_string(body.kind)));
    }
  }
  if (const TomlValue* cells = table.find("cells")) {
    for (std::size_t d = 0; d < 3; ++d) {
      body.cells[d] = static_cast<int>(cells->items[d].integer);
    }
  }
}

void SceneReader::read_round_shape(const TomlValue& table, const std::string& path,
                                   BodyDescription& body) {
  const bool is_sphere = body.shape == "sphere";
  refuse_keys(table, path, {"size", "cells"},
              fmt::format("belongs to a box; a {} has a radius{} and segments", body.shape,
                          is_sphere ? "" : ", a length"));
  if (is_sphere) {
    refuse_keys(table, path, {"length"}, "a sphere has no length, a capsule has");
  }
  for (const char* key : {"radius", "length"}) {
    if (table.find(key) != nullptr || (is_sphere && std::string_view(key) == "length")) continue;
    refuse(table.where, fmt::format("{} is a {} without {}; add {} = ... in metres", path,
                                    body.shape, key, key));
  }
  double length = 0.0;
  read(table, "radius", body.round.radius);
  read(table, "length", length);
  body.round.half_length = 0.5 * length;
  body.round.has_round_ends = body.shape != "cylinder";
  // elements are coarser than what is only looked at
  body.segments = has_elements(body.kind) ? 24 : 36;
  read(table, "segments", body.segments);
}

void SceneReader::read_skin(const TomlValue& table, const std::string& path,
                            BodyDescription& body) {
  std::string skin;
  read(table, "skin", skin);
  if (skin != "curved") {
    refuse_keys(table, path, {"skin_chord"}, "belongs to skin = \"curved\"");
    if (!skin.empty()) body.skin = place_of(skin);
  } else if (table.find("skin_chord") == nullptr) {
    refuse(table.where,
           fmt::format("{} has a curved skin without skin_chord; add skin_chord = ..., how far its "
                       "triangles may be from the curved faces, in metres",
                       path));
  }
  read(table, "skin_chord", body.skin_chord);
  if (!body.has_skin()) return;
  if (body.shape == "plane" || (body.round.radius > 0.0 && !has_elements(body.kind))) {
    refuse_value(*table.find("skin"), path + ".skin",
                 fmt::format("a {} {} touches as the exact {} that it is; leave skin out",
                             to_string(body.kind), body.shape, body.shape));
  }
  if (body.kind == BodyKind::nonlinear) {
    refuse_value(*table.find("skin"), path + ".skin",
                 "offsets of a skin turn by little, and a nonlinear body may bend far; leave skin "
                 "out, or choose kind corotational");
  }
  const TomlValue* precompute = table.find("precompute");
  if (precompute != nullptr && !precompute->boolean && has_elements(body.kind)) {
    refuse_value(*precompute, path + ".precompute",
                 "a skin needs the table of the compliance; leave precompute out");
  }
}

void SceneReader::read_matter(const TomlValue& table, const std::string& path,
                              BodyDescription& body) {
  const std::string a_kind = fmt::format("means nothing to a {} body", to_string(body.kind));
  read(table, "material", body.material);
  read(table, "mass", body.mass);
  const MaterialDescription* material = scene_.find_material(body.material);
  if (!body.material.empty() && material == nullptr) {
    std::vector<std::string> names;
    for (const MaterialDescription& known : scene_.materials) names.push_back(known.name);
    refuse_value(*table.find("material"), path + ".material",
                 "is not a material; " + with_suggestion(body.material, names));
  }
  if (body.kind == BodyKind::fixed) refuse_keys(table, path, {"mass"}, a_kind);
  const bool has_density = material != nullptr && material->density.has_value();
  if (body.kind != BodyKind::fixed && !body.mass && !has_density) {
    refuse(table.where, fmt::format("{} has no mass; give it mass = ... [kg], or a material with "
                                    "a density",
                                    path));
  }
  const bool is_elastic = has_elements(body.kind) && body.kind != BodyKind::quasi_rigid;
  if (is_elastic && (material == nullptr || !material->young || !material->poisson)) {
    refuse(table.where, fmt::format("{} is {} and needs a material with young and poisson", path,
                                    to_string(body.kind)));
  }

  if (!is_elastic) refuse_keys(table, path, {"dynamic", "integration", "damping"}, a_kind);
  read(table, "dynamic", body.is_dynamic);
  if (!body.is_dynamic) {
    refuse_keys(table, path, {"integration", "damping"},
                "means nothing without inertia; add dynamic = true, or");
  }
  std::string integration = "euler";
  read(table, "integration", integration);
  if (integration == "trapezoidal") body.integration = Integration::trapezoidal;
  if (const TomlValue* damping = table.find("damping")) {
    read(*damping, "alpha", body.damping.alpha);
    read(*damping, "beta", body.damping.beta);
  }
  if (body.kind == BodyKind::nonlinear) {
    read_newton(table, path, body);
  } else {
    refuse_keys(table, path, {"newton_steps"}, a_kind);
  }
  if (body.kind != BodyKind::quasi_rigid) refuse_keys(table, path, {"young_ratio"}, a_kind);
  read(table, "young_ratio", body.young_ratio);
  if (!has_elements(body.kind)) {
    refuse_keys(table, path, {"precompute", "float32", "cache", "contact_regions"}, a_kind);
  }
  read(table, "precompute", body.precompute);
  read(table, "float32", body.is_float32);
  read(table, "cache", body.is_cached);
}

void SceneReader::read_newton(const TomlValue& table, const std::string& path,
                              BodyDescription& body) {
  refuse_keys(table, path, {"precompute", "float32", "cache"},
              "means nothing to a nonlinear body, whose compliance is another at every step");
  if (body.integration != Integration::implicit_euler) {
    refuse_value(*table.find("integration"), path + ".integration",
                 "a nonlinear body knows only euler");
  }
  if (body.damping.beta != 0.0) {
    refuse_value(*table.find("damping")->find("beta"), path + ".damping.beta",
                 "would brake a nonlinear body where it only turns; use alpha");
  }
  read(table, "newton_steps", body.newton_steps);
}

void SceneReader::read_place(const TomlValue& table, const std::string& path,
                             BodyDescription& body) {
  read(table, "position", body.position);
  if (const TomlValue* rotation = table.find("rotation")) {
    Vec3 axis = Vec3::UnitZ();
    double angle_deg = 0.0;
    read(*rotation, "axis", axis);
    read(*rotation, "angle_deg", angle_deg);
    if (axis.norm() == 0.0) {
      refuse_value(*rotation->find("axis"), path + ".rotation.axis",
                   "has no direction; e.g. [0, 0, 1]");
    }
    body.orientation =
        Quat(Eigen::AngleAxisd(angle_deg * std::numbers::pi / 180.0, axis.stableNormalized()));
  }
  if (!has_free_frame(body.kind)) {
    refuse_keys(
        table, path, {"velocity", "angular_velocity"},
        fmt::format("a {} body stands still; move it by a drive, and", to_string(body.kind)));
  }
  read(table, "velocity", body.velocity);
  read(table, "angular_velocity", body.angular_velocity);
  if (!has_elements(body.kind) || body.kind == BodyKind::quasi_rigid) {
    refuse_keys(table, path, {"held"},
                fmt::format("a {} body cannot be held at a region", to_string(body.kind)));
  }
  read(table, "held", body.held);
  read(table, "contact_regions", body.contact_regions);
  if (deforms_in_place(body.kind) && body.held.empty()) {
    refuse(table.where,
           fmt::format("{} is {} but held nowhere: it would float, since its frame "
                       "stands still; add held = [\"region\"], or make it corotational",
                       path, to_string(body.kind)));
  }
}

}  // namespace stickslip
