#include "stickslip/mesh/mesh_check.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "stickslip/mesh/coincident_points.hpp"
#include "stickslip/mesh/findings.hpp"
#include "stickslip/mesh/tet_shape.hpp"

namespace stickslip {

namespace {

/// The corners' quality at which a tetrahedron counts as flat.
constexpr double flat_quality = 1e-6;

/// A mesh with the names of its nodes and elements.
struct Subject {
  const TetMesh& mesh;
  const FileNumbers& numbers;

  static std::int64_t number(const std::vector<std::int64_t>& list, int index) {
    const bool listed = index >= 0 && uz(index) < list.size();
    return listed ? list[uz(index)] : std::int64_t{index} + 1;
  }
  std::int64_t node(int index) const { return number(numbers.nodes, index); }
  bool node_exists(int index) const { return index >= 0 && index < mesh.node_count(); }
  std::string element(int e) const {
    std::string text = fmt::format("element {}, nodes", number(numbers.elements, e));
    for (const int n : mesh.element(e).first(4)) text += fmt::format(" {}", node(n));
    return text;
  }
};

bool indices_are_good(const Subject& subject, std::vector<Finding>& findings) {
  Fault missing;
  for (int e = 0; e < subject.mesh.element_count(); ++e) {
    for (const int node : subject.mesh.element(e)) {
      if (subject.node_exists(node)) continue;
      missing.add(fmt::format("element {}, node {}", Subject::number(subject.numbers.elements, e),
                              subject.node(node)));
    }
  }
  for (const Region& region : subject.mesh.regions) {
    for (const int node : region.nodes) {
      if (subject.node_exists(node)) continue;
      missing.add(fmt::format("region '{}', node {}", region.name, subject.node(node)));
    }
  }
  missing.report(findings, Severity::error, "bad_index", "reference",
                 "to a node that does not exist", "mesh the part again");
  return missing.count() == 0;
}

bool nodes_are_good(const Subject& subject, std::vector<Finding>& findings) {
  Fault not_finite;
  Fault repeated;
  for (int i = 0; i < subject.mesh.node_count(); ++i) {
    const Vec3& p = subject.mesh.nodes[uz(i)];
    if (!p.allFinite()) {
      not_finite.add(fmt::format("node {} at {} {} {}", subject.node(i), p.x(), p.y(), p.z()));
    }
    if (i > 0 && subject.node(i) == subject.node(i - 1)) {
      repeated.add(fmt::format("node {}", subject.node(i)));
    }
  }
  not_finite.report(findings, Severity::error, "not_finite", "node",
                    "with an infinite or undefined coordinate", "mesh the part again");
  repeated.report(findings, Severity::error, "duplicate_node_number", "node number",
                  "given to two nodes", "mesh the part again");
  return not_finite.count() == 0;
}

void check_volumes(const Subject& subject, std::vector<Finding>& findings) {
  const TetMesh& mesh = subject.mesh;
  Fault inverted;
  Fault flat;
  Fault folded;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto at = [&](std::size_t c) -> const Vec3& { return mesh.nodes[uz(nodes[c])]; };
    const double quality = tet_quality(at(0), at(1), at(2), at(3));
    if (quality < -flat_quality) {
      inverted.add(subject.element(e));
    } else if (!(quality > flat_quality)) {
      flat.add(subject.element(e));
    } else if (mesh.type == ElementType::tet10 && !(least_relative_jacobian(mesh, e) > 0.0)) {
      folded.add(subject.element(e));
    }
  }
  const bool all = inverted.count() == uz(mesh.element_count());
  inverted.report(findings, Severity::error, "inverted_element", "element", "of negative volume",
                  all ? "the corners are ordered the other way round (a mirrored part?): mesh the "
                        "part again"
                      : "mesh the part again, with gmsh's Mesh.Optimize = 1");
  flat.report(findings, Severity::error, "zero_volume_element", "element", "without volume",
              "mesh the part again, with gmsh's Mesh.Optimize = 1");
  folded.report(findings, Severity::error, "folded_element", "ten-node element",
                "turned inside out by curved edges",
                "mesh the part finer there, or with gmsh's Mesh.HighOrderOptimize = 1");
}

/// A face inside the mesh lies between two elements; more overlap each other.
void check_faces(const Subject& subject, std::vector<Finding>& findings) {
  std::vector<std::pair<std::array<int, 3>, int>> faces;
  faces.reserve(uz(subject.mesh.element_count()) * 4);
  for (int e = 0; e < subject.mesh.element_count(); ++e) {
    const auto nodes = subject.mesh.element(e);
    for (const auto& face : tet_faces) {
      std::array<int, 3> key = {nodes[uz(face[0])], nodes[uz(face[1])], nodes[uz(face[2])]};
      std::sort(key.begin(), key.end());
      faces.emplace_back(key, e);
    }
  }
  std::sort(faces.begin(), faces.end());
  Fault overlapping;
  for (std::size_t i = 2; i < faces.size(); ++i) {
    if (faces[i].first == faces[i - 2].first) overlapping.add(subject.element(faces[i].second));
  }
  overlapping.report(findings, Severity::error, "overlapping_element", "element",
                     "on a face that two others share",
                     "remove double elements (gmsh: Coherence Mesh) or mesh the part again");
}

void check_nodes(const Subject& subject, double extent, std::vector<Finding>& findings) {
  const TetMesh& mesh = subject.mesh;
  std::vector<bool> used(mesh.nodes.size(), false);
  for (const int node : mesh.connectivity) used[uz(node)] = true;
  Fault floating;
  for (int i = 0; i < mesh.node_count(); ++i) {
    if (!used[uz(i)]) floating.add(fmt::format("node {}", subject.node(i)));
  }
  floating.report(findings, Severity::warning, "floating_node", "node", "that no element uses",
                  "bodies leave it out when they load the mesh, and so does `stickslip mesh "
                  "convert`");
  Fault coincident;
  const std::vector<int> first = first_coincident(mesh.nodes, 1e-7 * extent);
  for (int i = 0; i < mesh.node_count(); ++i) {
    if (first[uz(i)] == i || !used[uz(i)] || !used[uz(first[uz(i)])]) continue;
    coincident.add(fmt::format("nodes {} and {}", subject.node(first[uz(i)]), subject.node(i)));
  }
  coincident.report(findings, Severity::warning, "duplicate_node", "node",
                    "in the place of another: the body is slit there",
                    "merge them (gmsh: Coherence Mesh), unless the slit is meant");
}

void check_connection(const Subject& subject, std::vector<Finding>& findings) {
  const TetMesh& mesh = subject.mesh;

  // elements that hang together only by a node or an edge turn there like a hinge
  const Surface surface = extract_surface(mesh);
  std::vector<std::string> names(surface.points.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = fmt::format("{}", subject.node(surface.mesh_nodes[i]));
  }
  const EdgeFaults faults = find_edge_faults(surface, names);
  faults.crowded.report(findings, Severity::warning, "nonmanifold_surface", "surface edge",
                        "of more than two triangles: the body touches itself there",
                        "thicken or separate the body there");
  faults.pinched.report(findings, Severity::warning, "nonmanifold_point", "surface node",
                        "where two parts of the body touch only there",
                        "thicken or separate the body there");

  DisjointSets parts(mesh.nodes.size());
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    for (const int node : nodes) parts.join(uz(nodes[0]), uz(node));
  }
  std::map<std::size_t, int> size;
  for (int e = 0; e < mesh.element_count(); ++e) ++size[parts.root(uz(mesh.element(e)[0]))];
  if (size.size() < 2) return;
  Fault part;
  for (const auto& [root, elements] : size) {
    part.add(
        fmt::format("{} elements around node {}", elements, subject.node(static_cast<int>(root))));
  }
  part.report(findings, Severity::warning, "several_components", "separate part", "in one mesh",
              "make one body of each part, or join them; each part needs fixed nodes of its own");
}

void check_quality(const Subject& subject, std::vector<Finding>& findings) {
  // below this a single element rules the solver's conditioning; one ten times as long as thick,
  // as thin walls have, is still well above
  constexpr double poor_quality = 0.01;
  const TetMesh& mesh = subject.mesh;
  Fault poor;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto at = [&](std::size_t c) -> const Vec3& { return mesh.nodes[uz(nodes[c])]; };
    const double quality = tet_quality(at(0), at(1), at(2), at(3));
    if (quality > flat_quality && quality < poor_quality) poor.add(subject.element(e));
  }
  poor.report(findings, Severity::warning, "poor_element", "element",
              fmt::format("nearly flat (quality below {})", poor_quality),
              "mesh the part again, with gmsh's Mesh.Optimize = 1");
}

void check_regions(const Subject& subject, std::vector<Finding>& findings) {
  std::map<std::string, int> names;
  Fault empty;
  Fault ambiguous;
  for (const Region& region : subject.mesh.regions) {
    if (region.nodes.empty()) empty.add(fmt::format("region '{}'", region.name));
    if (++names[region.name] == 2) ambiguous.add(fmt::format("region '{}'", region.name));
  }
  empty.report(findings, Severity::warning, "empty_region", "region", "without any node",
               "check what the physical group selects");
  ambiguous.report(findings, Severity::warning, "ambiguous_region", "name", "of several regions",
                   "give every physical group a name of its own");
}

}  // namespace

double least_relative_jacobian(const TetMesh& mesh, int element) {
  static const std::vector<Eigen::Matrix<double, 10, 3>> gradients = [] {
    std::vector<Eigen::Matrix<double, 10, 3>> list;
    for (std::size_t c = 0; c < 4; ++c) {
      std::array<double, 4> corner{};
      corner[c] = 1.0;
      list.push_back(tet10_shape_gradient(corner));
    }
    for (const auto& [p, q] : tet_edges) {
      std::array<double, 4> middle{};
      middle[uz(p)] = 0.5;
      middle[uz(q)] = 0.5;
      list.push_back(tet10_shape_gradient(middle));
    }
    for (const auto& point : tet_quadrature_degree_2) {
      list.push_back(tet10_shape_gradient(point.barycentric));
    }
    for (const auto& point : tet_quadrature_degree_5()) {
      list.push_back(tet10_shape_gradient(point.barycentric));
    }
    return list;
  }();
  Eigen::Matrix<double, 3, 10> X;
  const auto nodes = mesh.element(element);
  for (std::size_t i = 0; i < 10; ++i) X.col(static_cast<int>(i)) = mesh.nodes[uz(nodes[i])];
  const double straight = 6.0 * tet_volume(X.col(0), X.col(1), X.col(2), X.col(3));
  double least = 1.0;
  for (const auto& gradient : gradients) {
    const Mat3 jacobian = X * gradient;
    least = std::min(least, jacobian.determinant() / straight);
  }
  return least;
}

std::vector<Finding> check_elements(const TetMesh& mesh, const FileNumbers& numbers) {
  std::vector<Finding> findings;
  const Subject subject{mesh, numbers};
  if (mesh.element_count() == 0) {
    findings.push_back({"no_elements", Severity::error, "", "the mesh has no tetrahedra",
                        "mesh the volume (gmsh -3)"});
    return findings;
  }
  const bool good_indices = indices_are_good(subject, findings);
  const bool good_nodes = nodes_are_good(subject, findings);
  if (!good_indices || !good_nodes) return findings;
  check_volumes(subject, findings);
  check_faces(subject, findings);
  return findings;
}

std::vector<Finding> check_mesh(const TetMesh& mesh, const FileNumbers& numbers) {
  std::vector<Finding> findings = check_elements(mesh, numbers);
  if (std::any_of(findings.begin(), findings.end(), breaks_structure)) return findings;
  const Subject subject{mesh, numbers};
  const double extent = largest_extent(mesh.nodes);
  check_nodes(subject, extent, findings);
  check_connection(subject, findings);
  check_quality(subject, findings);
  check_regions(subject, findings);
  check_size(extent, findings);
  return findings;
}

bool breaks_structure(const Finding& finding) {
  return finding.code == "bad_index" || finding.code == "not_finite" ||
         finding.code == "no_elements";
}

bool can_be_simulated(const std::vector<Finding>& findings) {
  return std::none_of(findings.begin(), findings.end(),
                      [](const Finding& f) { return f.severity == Severity::error; });
}

}  // namespace stickslip
