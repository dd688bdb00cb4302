#include <Eigen/Geometry>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/body_view.hpp"
#include "stickslip/body/surface_strain.hpp"

namespace stickslip::python {

namespace {

/// n x 3, to be filled.
py::array_t<double> empty_points(std::size_t count) {
  return py::array_t<double>(Shape{static_cast<py::ssize_t>(count), 3});
}

// points of three numbers, one behind the other, are what NumPy calls an array of n x 3
static_assert(sizeof(Vec3) == 3 * sizeof(double));

std::span<Vec3> points_in(py::array_t<double>& array) {
  return {reinterpret_cast<Vec3*>(array.mutable_data()), static_cast<std::size_t>(array.shape(0))};
}

py::array surface(const BodyView& view) {
  auto positions = empty_points(view.body().surface().points.size());
  view.body().surface_positions(view.state(), points_in(positions));
  return py::array(positions);
}

/// Of the points of the surface, in the memory of the engine.
py::array displacement(const BodyView& view) {
  const auto points = static_cast<py::ssize_t>(view.body().surface().points.size());
  const VecX& u = view.state().deformation.u.points();
  if (u.size() < 3 * points || points == 0) {
    auto none = empty_points(static_cast<std::size_t>(points));
    std::fill_n(none.mutable_data(), none.size(), 0.0);
    return py::array(none);
  }
  auto* lent = new std::shared_ptr(view.run->lend_displacement(view.index, view.run));
  const py::capsule owner(
      lent, [](void* p) { delete static_cast<std::shared_ptr<LentDisplacement>*>(p); });
  return view_of(u.data(), {points, 3}, owner);
}

py::array triangles(const BodyView& view) {
  const auto& list = view.body().surface().triangles;
  return view_of(list.empty() ? nullptr : list.front().data(),
                 {static_cast<py::ssize_t>(list.size()), 3}, py::cast(view.run));
}

py::dict strain(const BodyView& view) {
  SurfaceStrain worst;
  std::vector<Vec3> scratch;
  if (view.body().deformation() != nullptr) {
    worst = surface_strain(view.body(), view.state(), scratch);
  }
  py::dict dict;
  dict["max_strain"] = worst.strain;
  dict["max_relative_rotation_rad"] = worst.rotation_rad;
  dict["is_past"] = is_past_linear_range(worst);
  return dict;
}

template <class Get>
auto frame_array(Get get) {
  return [get](const BodyView& view) {
    view.run->require_unused();
    return copy_of(get(view.state().frame));
  };
}

/// What looks at the state waits for nobody.
template <class Function>
auto unused(Function function) {
  return [function](const BodyView& view) {
    view.run->require_unused();
    return function(view);
  };
}

}  // namespace

void bind_bodies(py::module_& module) {
  py::class_<BodyView>(module, "Body")
      .def_property_readonly("name", [](const BodyView& v) { return v.scene_body().name; })
      .def_property_readonly(
          "kind",
          [](const BodyView& v) {
            return std::string(to_string(v.run->description().bodies[v.index].kind));
          })
      .def_property_readonly(
          "material",
          [](const BodyView& v) { return v.run->description().bodies[v.index].material; })
      .def_property_readonly("mass", [](const BodyView& v) { return v.body().frame().mass(); })
      .def_property_readonly("position",
                             frame_array([](const FrameState& f) { return f.position; }))
      .def_property_readonly("orientation", frame_array([](const FrameState& f) {
                               return Eigen::Vector4d(f.orientation.coeffs());
                             }))
      .def_property_readonly("velocity",
                             frame_array([](const FrameState& f) { return f.velocity; }))
      .def_property_readonly("angular_velocity",
                             frame_array([](const FrameState& f) { return f.angular_velocity; }))
      .def_property_readonly("surface", unused(surface))
      .def_property_readonly("displacement", unused(displacement))
      .def_property_readonly("strain", unused(strain))
      .def_property_readonly(
          "rest_surface",
          [](const BodyView& v) { return view_of(v.body().surface().points, py::cast(v.run)); })
      .def_property_readonly("triangles", &triangles)
      .def("__repr__", [](const BodyView& v) {
        return "<stickslip.Body " + v.scene_body().name + ": " +
               std::string(to_string(v.run->description().bodies[v.index].kind)) + ", " +
               std::to_string(v.body().surface().points.size()) + " surface points>";
      });
}

}  // namespace stickslip::python
