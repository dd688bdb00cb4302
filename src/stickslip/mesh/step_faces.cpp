#include "stickslip/mesh/step_faces.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

namespace stickslip {

namespace {

/// `#12 = ADVANCED_FACE('top',(#18),#32,.F.)`, but for the number.
struct StepEntity {
  std::string_view type;
  std::string_view arguments;
};

using Entities = std::unordered_map<std::int64_t, StepEntity>;

constexpr std::array<std::string_view, 12> wanted_types = {
    "CLOSED_SHELL",     "OPEN_SHELL", "ADVANCED_FACE", "FACE_SURFACE",
    "FACE_OUTER_BOUND", "FACE_BOUND", "EDGE_LOOP",     "VERTEX_LOOP",
    "ORIENTED_EDGE",    "EDGE_CURVE", "VERTEX_POINT",  "CARTESIAN_POINT"};

bool is_wanted(std::string_view type) {
  return std::find(wanted_types.begin(), wanted_types.end(), type) != wanted_types.end();
}

void skip_space(std::string_view& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
}

void skip_space_and_comments(std::string_view& text) {
  skip_space(text);
  while (text.starts_with("/*")) {
    text.remove_prefix(std::min(text.find("*/"), text.size() - 2) + 2);
    skip_space(text);
  }
}

/// Up to the semicolon that ends a statement; those inside quotes do not.
std::string_view take_statement(std::string_view& text) {
  skip_space_and_comments(text);
  bool is_quoted = false;
  std::size_t end = 0;
  while (end < text.size() && (is_quoted || text[end] != ';')) {
    if (text[end] == '\'') is_quoted = !is_quoted;
    ++end;
  }
  const std::string_view statement = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return statement;
}

/// The number behind a `#`, which is taken away with it.
std::optional<std::int64_t> take_number(std::string_view& text) {
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

/// Statements of the types that faces are made of, and the shells in their order.
struct StepText {
  Entities entities;
  std::vector<std::int64_t> shells;

  explicit StepText(std::string_view text) {
    while (!text.empty()) {
      std::string_view statement = take_statement(text);
      if (!statement.starts_with('#')) continue;
      const auto number = take_number(statement);
      const std::size_t equals = statement.find('=');
      const std::size_t bracket = statement.find('(');
      if (!number || equals == std::string_view::npos || bracket == std::string_view::npos ||
          bracket < equals) {
        continue;
      }
      std::string_view type = statement.substr(equals + 1, bracket - equals - 1);
      skip_space(type);
      while (!type.empty() && std::isspace(static_cast<unsigned char>(type.back())) != 0) {
        type.remove_suffix(1);
      }
      if (!is_wanted(type)) continue;
      entities[*number] = {type, statement.substr(bracket + 1)};
      if (type.ends_with("_SHELL")) shells.push_back(*number);
    }
  }
};

std::string name_in(std::string_view arguments) {
  skip_space(arguments);
  if (!arguments.starts_with('\'')) return "";
  // a quote inside is written twice
  std::string name;
  for (std::size_t k = 1; k < arguments.size(); ++k) {
    const bool is_quote = arguments[k] == '\'';
    if (is_quote && (k + 1 == arguments.size() || arguments[k + 1] != '\'')) break;
    if (is_quote) ++k;
    name += arguments[k];
  }
  // quotes and what is not printed would spoil the files that have the name
  std::erase_if(name, [](char c) { return c == '"' || static_cast<unsigned char>(c) < 0x20; });
  return name == "NONE" ? "" : name;
}

std::vector<std::int64_t> references_in(std::string_view arguments) {
  std::vector<std::int64_t> references;
  bool is_quoted = false;
  while (!arguments.empty()) {
    if (arguments.front() == '\'') is_quoted = !is_quoted;
    const bool is_reference = !is_quoted && arguments.front() == '#';
    const auto number = is_reference ? take_number(arguments) : std::nullopt;
    if (number) {
      references.push_back(*number);
    } else {
      arguments.remove_prefix(1);
    }
  }
  return references;
}

/// `'',(0.,10.,8.))`
std::optional<Vec3> point_in(std::string_view arguments) {
  const std::size_t list = arguments.find('(');
  if (list == std::string_view::npos) return std::nullopt;
  arguments.remove_prefix(list + 1);
  Vec3 point;
  for (int d = 0; d < 3; ++d) {
    skip_space(arguments);
    const auto [stop, error] =
        std::from_chars(arguments.data(), arguments.data() + arguments.size(), point[d]);
    if (error != std::errc()) return std::nullopt;
    arguments.remove_prefix(static_cast<std::size_t>(stop - arguments.data()));
    skip_space(arguments);
    if (arguments.starts_with(',')) arguments.remove_prefix(1);
  }
  return point;
}

/// From bound to loop to edge to vertex; curves and surfaces are not among the entities kept.
void collect_vertices(const Entities& entities, std::int64_t number, std::set<std::int64_t>& seen,
                      std::vector<Vec3>& vertices) {
  const auto found = entities.find(number);
  if (found == entities.end() || !seen.insert(number).second) return;
  const auto& [type, arguments] = found->second;
  if (type == "CARTESIAN_POINT") {
    if (const auto point = point_in(arguments)) vertices.push_back(*point);
    return;
  }
  for (const std::int64_t next : references_in(arguments)) {
    collect_vertices(entities, next, seen, vertices);
  }
}

/// Whether all points, times a scale, are nodes of a region.
bool holds(const TetMesh& mesh, const Region& region, std::span<const Vec3> points, double scale,
           double tolerance) {
  return std::all_of(points.begin(), points.end(), [&](const Vec3& point) {
    return std::any_of(region.nodes.begin(), region.nodes.end(), [&](int node) {
      return (mesh.nodes[uz(node)] - scale * point).lpNorm<Eigen::Infinity>() < tolerance;
    });
  });
}

/// Regions of one name become one.
void join_namesakes(TetMesh& mesh) {
  std::vector<Region> joined;
  for (Region& region : mesh.regions) {
    const auto same = std::find_if(joined.begin(), joined.end(), [&](const Region& other) {
      return other.name == region.name && other.dimension == region.dimension;
    });
    if (same == joined.end()) {
      joined.push_back(std::move(region));
      continue;
    }
    same->cells.insert(same->cells.end(), region.cells.begin(), region.cells.end());
    std::set<int> nodes(same->nodes.begin(), same->nodes.end());
    nodes.insert(region.nodes.begin(), region.nodes.end());
    same->nodes.assign(nodes.begin(), nodes.end());
  }
  mesh.regions = std::move(joined);
}

double size_of(const TetMesh& mesh) {
  Vec3 low = mesh.nodes.front();
  Vec3 high = low;
  for (const Vec3& node : mesh.nodes) {
    low = low.cwiseMin(node);
    high = high.cwiseMax(node);
  }
  return (high - low).norm();
}

}  // namespace

std::vector<StepFace> parse_step_faces(std::string_view text) {
  const StepText step(text);
  std::vector<StepFace> faces;
  for (const std::int64_t shell : step.shells) {
    for (const std::int64_t number : references_in(step.entities.at(shell).arguments)) {
      const auto face = step.entities.find(number);
      if (face == step.entities.end()) continue;
      faces.push_back({name_in(face->second.arguments), {}});
      std::set<std::int64_t> seen;
      collect_vertices(step.entities, number, seen, faces.back().vertices);
    }
  }
  return faces;
}

int name_faces(const std::vector<StepFace>& faces, TetMesh& mesh) {
  if (mesh.nodes.empty()) return 0;
  std::vector<Region*> regions;
  for (Region& region : mesh.regions) {
    if (region.dimension == 2) regions.push_back(&region);
  }
  // gmsh keeps the order; where it had to mend the part, names would go to the wrong places
  if (regions.size() != faces.size()) return 0;
  constexpr std::array<double, 6> units = {1e-3, 1.0, 0.0254, 1e-2, 1e-6, 0.3048};
  const double tolerance = 1e-6 * size_of(mesh);
  int named = 0;
  for (std::size_t k = 0; k < faces.size(); ++k) {
    const StepFace& face = faces[k];
    if (face.name.empty() || face.vertices.empty()) continue;
    const bool is_there = std::any_of(units.begin(), units.end(), [&](double unit) {
      return holds(mesh, *regions[k], face.vertices, unit, tolerance);
    });
    if (!is_there) continue;
    regions[k]->name = face.name;
    ++named;
  }
  if (named > 0) join_namesakes(mesh);
  return named;
}

}  // namespace stickslip
