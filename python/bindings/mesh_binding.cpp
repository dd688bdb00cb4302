#include <fmt/core.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <map>
#include <memory>
#include <variant>

#include "docstrings.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "stickslip/error.hpp"
#include "stickslip/mesh/mass_properties.hpp"
#include "stickslip/mesh/mesh_file.hpp"

namespace stickslip::python {

namespace {

/// Tetrahedra, or a surface alone.
struct Mesh {
  std::variant<TetMesh, Surface> shape;

  const TetMesh* tets() const { return std::get_if<TetMesh>(&shape); }
  const Surface& surface() const { return std::get<Surface>(shape); }
  const std::vector<Vec3>& points() const {
    return tets() != nullptr ? tets()->nodes : surface().points;
  }
};

using SharedMesh = std::shared_ptr<Mesh>;
using Indices = py::array_t<int, py::array::c_style | py::array::forcecast>;

SharedMesh load(const std::filesystem::path& path) {
  const py::gil_scoped_release released;
  return is_surface_file(path) ? std::make_shared<Mesh>(Mesh{read_surface(path)})
                               : std::make_shared<Mesh>(Mesh{read_tet_mesh(path)});
}

std::vector<Vec3> points_from(const Numbers& nodes) {
  if (nodes.ndim() != 2 || nodes.shape(1) != 3) {
    throw InputError("nodes: must be n x 3, in metres");
  }
  std::vector<Vec3> points(uz(nodes.shape(0)));
  std::copy_n(nodes.data(), nodes.size(), points.empty() ? nullptr : points.front().data());
  return points;
}

SharedMesh make_mesh(const Numbers& nodes, const Indices& elements,
                     const std::map<std::string, std::vector<int>>& regions) {
  if (elements.ndim() != 2) throw InputError("elements: must be m x 3, m x 4 or m x 10");
  const py::ssize_t corners = elements.shape(1);
  if (corners == 3) {
    Surface surface;
    surface.points = points_from(nodes);
    surface.triangles.resize(uz(elements.shape(0)));
    for (py::ssize_t t = 0; t < elements.shape(0); ++t) {
      surface.triangles[uz(t)] = {elements.at(t, 0), elements.at(t, 1), elements.at(t, 2)};
    }
    if (!regions.empty()) throw InputError("regions: a surface has none");
    refuse_errors("elements", check_surface(surface));
    return std::make_shared<Mesh>(Mesh{std::move(surface)});
  }
  if (corners != 4 && corners != 10) {
    throw InputError(fmt::format("elements: have {} nodes each, must have 3, 4 or 10", corners));
  }
  TetMesh mesh;
  mesh.nodes = points_from(nodes);
  mesh.type = corners == 4 ? ElementType::tet4 : ElementType::tet10;
  mesh.connectivity.assign(elements.data(), elements.data() + elements.size());
  for (const auto& [name, members] : regions) {
    Region region;
    region.name = name;
    region.nodes = members;
    std::sort(region.nodes.begin(), region.nodes.end());
    region.nodes.erase(std::unique(region.nodes.begin(), region.nodes.end()), region.nodes.end());
    if (!region.nodes.empty() &&
        (region.nodes.front() < 0 || region.nodes.back() >= mesh.node_count())) {
      throw InputError(
          fmt::format("regions[\"{}\"]: names nodes that there are not; they are 0 "
                      "to {}",
                      name, mesh.node_count() - 1));
    }
    mesh.regions.push_back(std::move(region));
  }
  refuse_errors("elements", check_elements(mesh));
  return std::make_shared<Mesh>(Mesh{std::move(mesh)});
}

py::array elements_of(const py::object& self) {
  const Mesh& mesh = self.cast<const Mesh&>();
  if (const TetMesh* tets = mesh.tets()) {
    return view_of(tets->connectivity.data(),
                   {tets->element_count(), nodes_per_element(tets->type)}, self);
  }
  const auto& triangles = mesh.surface().triangles;
  return view_of(triangles.empty() ? nullptr : triangles.front().data(),
                 {static_cast<py::ssize_t>(triangles.size()), 3}, self);
}

const char* type_name(const Mesh& mesh) {
  if (mesh.tets() == nullptr) return "triangle";
  return mesh.tets()->type == ElementType::tet4 ? "tet4" : "tet10";
}

py::dict regions_of(const py::object& self) {
  py::dict regions;
  const TetMesh* tets = self.cast<const Mesh&>().tets();
  if (tets == nullptr) return regions;
  for (const Region& region : tets->regions) {
    regions[py::str(region.name)] =
        view_of(region.nodes.data(), {static_cast<py::ssize_t>(region.nodes.size())}, self);
  }
  return regions;
}

py::array qualities_of(const Mesh& mesh) {
  std::vector<double> qualities;
  const std::vector<Vec3>& points = mesh.points();
  if (const TetMesh* tets = mesh.tets()) {
    for (int e = 0; e < tets->element_count(); ++e) {
      const auto corners = tets->element(e);
      const auto at = [&](std::size_t c) -> const Vec3& { return points[uz(corners[c])]; };
      qualities.push_back(tet_quality(at(0), at(1), at(2), at(3)));
    }
  } else {
    for (const auto& [a, b, c] : mesh.surface().triangles) {
      qualities.push_back(triangle_quality(points[uz(a)], points[uz(b)], points[uz(c)]));
    }
  }
  return array_of(std::move(qualities));
}

std::vector<Finding> findings_of(const Mesh& mesh) {
  return mesh.tets() != nullptr ? check_mesh(*mesh.tets()) : check_surface(mesh.surface());
}

std::vector<Finding> check_file(const std::filesystem::path& path) {
  const py::gil_scoped_release released;
  if (is_surface_file(path)) return check_surface(read_surface_unchecked(path));
  const TetMeshFile file = read_tet_mesh_unchecked(path);
  return check_mesh(file.mesh, file.numbers);
}

py::list list_of(const std::vector<Finding>& findings) {
  py::list list;
  for (const Finding& finding : findings) {
    list.append(py::make_tuple(finding.code,
                               finding.severity == Severity::error ? "error" : "warning",
                               finding.where, finding.message, finding.remedy));
  }
  return list;
}

/// None for a surface with holes.
std::optional<double> volume_of(const Mesh& mesh) {
  if (mesh.tets() != nullptr) return volume(*mesh.tets());
  const std::vector<Finding> findings = findings_of(mesh);
  const bool is_closed = std::none_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.code == "open_surface" || f.code == "contradicting_normals";
  });
  if (!is_closed) return std::nullopt;
  return enclosed_volume(mesh.surface());
}

py::tuple mass_of(const Mesh& mesh, double density) {
  const MassProperties mass = mesh.tets() != nullptr ? mass_properties(*mesh.tets(), density)
                                                     : mass_properties(mesh.surface(), density);
  py::array_t<double> inertia(Shape{3, 3});
  std::copy_n(mass.inertia.data(), 9, inertia.mutable_data());
  return py::make_tuple(mass.mass, copy_of(mass.centre), inertia);
}

void save(const Mesh& mesh, const std::filesystem::path& path, bool binary) {
  if (mesh.tets() != nullptr && !is_surface_file(path)) {
    return write_tet_mesh(path, *mesh.tets(), {binary});
  }
  if (mesh.tets() == nullptr && !is_surface_file(path)) {
    throw InputError(path, "a surface is written as .obj or .stl; it has no tetrahedra");
  }
  write_surface(path, mesh.tets() != nullptr ? extract_surface(*mesh.tets()) : mesh.surface(),
                {binary});
}

}  // namespace

void bind_meshes(py::module_& module) {
  py::class_<Mesh, SharedMesh>(module, "MeshData")
      .def(py::init(&make_mesh), py::arg("nodes"), py::arg("elements"),
           py::arg("regions") = std::map<std::string, std::vector<int>>{})
      .def(py::init([](const SharedMesh& same) { return same; }), py::arg("same"))
      .def_static("_load", &load)
      .def_static("_check",
                  [](const std::filesystem::path& path) { return list_of(check_file(path)); })
      .def("_findings", [](const Mesh& mesh) { return list_of(findings_of(mesh)); })
      .def_static(
          "_box",
          [](const std::array<double, 3>& size, const std::array<int, 3>& cells, int order) {
            return std::make_shared<Mesh>(
                Mesh{make_box({size[0], size[1], size[2]}, cells,
                              order == 2 ? ElementType::tet10 : ElementType::tet4)});
          })
      .def_property_readonly(
          "nodes",
          [](const py::object& self) { return view_of(self.cast<const Mesh&>().points(), self); })
      .def_property_readonly("elements", &elements_of)
      .def_property_readonly("element_type", &type_name)
      .def_property_readonly("regions", &regions_of)
      .def_property_readonly("qualities", &qualities_of)
      .def_property_readonly("volume", &volume_of)
      .def("_surface",
           [](const Mesh& mesh) {
             return std::make_shared<Mesh>(
                 Mesh{mesh.tets() != nullptr ? extract_surface(*mesh.tets()) : mesh.surface()});
           })
      .def("_area",
           [](const Mesh& mesh) {
             return area(mesh.tets() != nullptr ? extract_surface(*mesh.tets()) : mesh.surface());
           })
      .def("_mass", &mass_of)
      .def("save", &save, py::arg("path"), py::kw_only(), py::arg("binary") = false,
           doc("MeshData.save"));
}

}  // namespace stickslip::python
