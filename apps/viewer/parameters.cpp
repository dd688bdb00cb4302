#include "apps/viewer/parameters.hpp"

#include <algorithm>

#include "stickslip/solver/solvers.hpp"

namespace stickslip::viewer {

namespace {

Parameter number(std::string path, std::string label, std::string unit, Parameter::Kind kind,
                 double value, double min, double max) {
  Parameter parameter;
  parameter.path = std::move(path);
  parameter.label = std::move(label);
  parameter.unit = std::move(unit);
  parameter.kind = kind;
  parameter.value = value;
  // a scene may have what a slider would not offer
  parameter.min = std::min(value, min);
  parameter.max = std::max(value, max);
  return parameter;
}

void add_frictions(const SceneDescription& description, std::vector<Parameter>& parameters) {
  constexpr double largest = 1.5;
  parameters.push_back(number("contact.friction", "friction", "", Parameter::Kind::linear,
                              description.friction, 0.0, largest));
  for (std::size_t p = 0; p < description.friction_pairs.size(); ++p) {
    const FrictionDescription& pair = description.friction_pairs[p];
    parameters.push_back(number("friction." + std::to_string(p + 1) + ".mu",
                                "friction " + pair.first + ", " + pair.second, "",
                                Parameter::Kind::linear, pair.mu, 0.0, largest));
  }
}

/// Of the materials that bodies of finite elements are made of.
void add_materials(const SceneDescription& description, std::vector<Parameter>& parameters) {
  for (const MaterialDescription& material : description.materials) {
    const auto is_elastic = [&](const BodyDescription& body) {
      return body.material == material.name && has_elements(body.kind) &&
             body.kind != BodyKind::quasi_rigid;
    };
    if (!material.young ||
        std::none_of(description.bodies.begin(), description.bodies.end(), is_elastic)) {
      continue;
    }
    Parameter parameter =
        number("material." + material.name + ".young", "stiffness of " + material.name, "Pa",
               Parameter::Kind::log, *material.young, 1e4, 1e11);
    parameter.restarts = true;
    parameters.push_back(parameter);
  }
}

void add_gains(const Scene& scene, std::vector<Parameter>& parameters) {
  for (const Hand& hand : scene.hands) {
    const std::string path = "hand." + hand.name;
    const std::string whose = " of hand " + hand.name;
    parameters.push_back(number(path + ".stiffness", "coupling" + whose, "N/m",
                                Parameter::Kind::log, hand.gains.stiffness, 50.0, 2e4));
    parameters.push_back(number(path + ".rotational_stiffness", "turning coupling" + whose,
                                "N m/rad", Parameter::Kind::log, hand.gains.rotational_stiffness,
                                0.05, 50.0));
  }
}

Parameter choice(std::string path, std::string label, std::string word,
                 std::vector<std::string> choices) {
  Parameter parameter;
  parameter.path = std::move(path);
  parameter.label = std::move(label);
  parameter.kind = Parameter::Kind::choice;
  parameter.word = std::move(word);
  parameter.choices = std::move(choices);
  return parameter;
}

}  // namespace

std::vector<Parameter> parameters_of(const SceneDescription& description, const Scene& scene) {
  std::vector<Parameter> parameters;
  add_frictions(description, parameters);
  add_materials(description, parameters);
  add_gains(scene, parameters);
  std::vector<std::string> solvers;
  for (const std::string_view name : solver_names()) {
    if (!is_frictionless(*solver_of(name)) || !description.has_friction()) {
      solvers.emplace_back(name);
    }
  }
  parameters.push_back(choice("simulation.solver", "solver",
                              std::string(to_string(scene.simulation.solver)), std::move(solvers)));
  constexpr double finest = 1e-10;
  constexpr double coarsest = 1e-2;
  parameters.push_back(number("simulation.tolerance", "tolerance of the solver", "",
                              Parameter::Kind::log, scene.simulation.tolerance, finest, coarsest));
  return parameters;
}

Json to_json(const std::vector<Parameter>& parameters) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters) {
    Json json = {{"path", parameter.path}, {"label", parameter.label}, {"unit", parameter.unit}};
    if (parameter.kind == Parameter::Kind::choice) {
      json["value"] = parameter.word;
      json["kind"] = "choice";
      json["choices"] = parameter.choices;
    } else {
      json["value"] = parameter.value;
      json["kind"] = parameter.kind == Parameter::Kind::log ? "log" : "linear";
      json["min"] = parameter.min;
      json["max"] = parameter.max;
    }
    json["restarts"] = parameter.restarts;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace stickslip::viewer
