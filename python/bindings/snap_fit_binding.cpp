#include <fmt/core.h>
#include <pybind11/functional.h>
#include <pybind11/stl/filesystem.h>

#include <chrono>
#include <memory>
#include <numbers>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/scene_run.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/snap_fit_scene.hpp"
#include "stickslip/simulation/linear_range.hpp"
#include "stickslip/studies/snap_fit.hpp"

namespace stickslip::python {

namespace {

using Clock = std::chrono::steady_clock;
using Three = std::array<double, 3>;

Vec3 vector_of(const Three& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

struct Tested {
  SnapFit fit;
  double friction = 0.0;
  double dt = 0.0;
  std::vector<std::string> warnings;
};

/// A region by its name, or all nodes within a box of six numbers.
SnapFitParts::Held held_from(const char* name, const py::object& what) {
  if (py::isinstance<py::str>(what)) return {what.cast<std::string>()};
  const auto numbers = what.cast<Numbers>();
  if (numbers.size() != 6) {
    throw InputError(fmt::format(
        "{}: give the name of a region, or a box of six numbers, x0, y0, z0, x1, y1, z1 [m]",
        name));
  }
  const double* n = numbers.data();
  SnapFitParts::Held held;
  held.low = {n[0], n[1], n[2]};
  held.high = {n[3], n[4], n[5]};
  if (!((held.high - held.low).minCoeff() >= 0.0)) {
    throw InputError(
        fmt::format("{}: the first three numbers of a box must not be above the others", name));
  }
  return held;
}

void require_above_zero(const char* name, double value) {
  if (value > 0.0) return;
  throw InputError(fmt::format("{} = {}: must be above 0", name, value));
}

SceneDescription describe_parts(const std::filesystem::path& part,
                                const std::filesystem::path& counterpart, const py::dict& options) {
  SnapFitParts parts;
  parts.part = part;
  parts.counterpart = counterpart;
  const std::pair<const char*, double SnapFitParts::*> positive[] = {
      {"travel", &SnapFitParts::travel},
      {"young", &SnapFitParts::young},
      {"density", &SnapFitParts::density},
      {"dt", &SnapFitParts::dt},
      {"stiffness", &SnapFitParts::stiffness}};
  for (const auto& [name, member] : positive) {
    if (!options.contains(name)) continue;
    parts.*member = options[name].cast<double>();
    require_above_zero(name, parts.*member);
  }
  if (options.contains("overtravel")) parts.overtravel = options["overtravel"].cast<double>();
  if (options.contains("poisson")) parts.poisson = options["poisson"].cast<double>();
  if (options.contains("friction")) parts.friction = options["friction"].cast<double>();
  if (!(parts.overtravel >= 0.0)) throw InputError("overtravel: must not be below 0");
  if (!(parts.friction >= 0.0)) throw InputError("friction: must not be below 0");
  if (!(parts.poisson >= 0.0 && parts.poisson <= 0.499)) {
    throw InputError(fmt::format("poisson = {}: must be from 0 to 0.499", parts.poisson));
  }
  if (options.contains("handle")) parts.handle = held_from("handle", options["handle"]);
  if (options.contains("hold")) parts.counterpart_held = held_from("hold", options["hold"]);
  if (options.contains("axis")) {
    const Vec3 axis = vector_of(options["axis"].cast<Three>());
    if (!(axis.norm() > 0.0)) {
      throw InputError("axis: no direction; give the one in which the part goes in");
    }
    parts.axis = axis.normalized();
  }
  return describe_snap_fit(parts);
}

std::shared_ptr<Tested> test(const SceneDescription& description, const SnapFitOptions& motion,
                             std::optional<double> travel, const Vec3& offset, const Vec3& tilt_deg,
                             const std::function<void(double)>& told) {
  require_above_zero("speed", motion.speed);
  if (!(motion.dwell_s >= 0.0)) throw InputError("dwell: must not be below 0 s");
  if (travel) require_above_zero("travel", *travel);
  const py::gil_scoped_release released;
  Scene scene = build_scene(description).scene;
  std::optional<SnapMover> mover = find_snap_mover(scene);
  if (!mover) {
    throw InputError(fmt::format(
        "{}: needs exactly one hand with a path, or one drive of kind motion or spring, that leads "
        "the part in; take the others out, or give one a path",
        description.path.string()));
  }
  if (travel) mover->travel = *travel;
  steady_hands(scene);
  misalign(scene, *mover, offset, std::numbers::pi / 180.0 * tilt_deg);

  // Python is asked now and then whether to go on
  constexpr std::chrono::milliseconds longest_absence{50};
  Clock::time_point asked = Clock::now();
  auto tested = std::make_shared<Tested>();
  tested->friction = description.friction;
  tested->dt = scene.simulation.dt;
  tested->fit =
      run_snap_fit(scene, *mover, motion, [&](double share, const State&, const StepData&) {
        if (Clock::now() < asked + longest_absence && share < 1.0) return;
        asked = Clock::now();
        const py::gil_scoped_acquire acquired;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        if (told) told(share);
      });
  tested->warnings = linear_range_warnings(scene, tested->fit.of_bodies);
  return tested;
}

/// Rows of SnapSample where they are.
py::object curve_of(const py::object& self) {
  const auto& samples = self.cast<const Tested&>().fit.samples;
  const SnapSample row;
  const auto field = [&row](const char* name, const auto& member) {
    const bool is_count = sizeof(member) == sizeof(int);
    return Field{name, is_count ? "i4" : "f8", offset_in(row, member)};
  };
  const py::dtype type = table_type(
      {field("time", row.time_s), field("moved", row.moved_m), field("force", row.force_N),
       field("normal_force", row.normal_N), field("stored", row.stored_J),
       field("friction_loss", row.friction_J), field("left_over", row.left_over_J),
       field("penetration", row.penetration_m), field("loaded_contacts", row.loaded_contacts)},
      sizeof(SnapSample));
  py::array table(type, Shape{static_cast<py::ssize_t>(samples.size())},
                  Shape{static_cast<py::ssize_t>(sizeof(SnapSample))}, samples.data(), self);
  make_read_only(table);
  return table.attr("view")(py::module_::import("numpy").attr("recarray"));
}

}  // namespace

void bind_snap_fits(py::module_& module) {
  auto result = py::class_<Tested, std::shared_ptr<Tested>>(module, "SnapFitData");
  const auto number = [&result](const char* name, double SnapFit::*member) {
    result.def_property_readonly(name, [member](const Tested& t) { return t.fit.*member; });
  };
  number("peak", &SnapFit::peak_N);
  number("peak_at", &SnapFit::peak_at_m);
  number("work", &SnapFit::work_J);
  number("snap_at", &SnapFit::snap_at_m);
  number("snap_time", &SnapFit::snap_time_s);
  number("snap_duration", &SnapFit::snap_duration_s);
  number("pull_in", &SnapFit::pull_in_N);
  number("retention", &SnapFit::retention_N);
  number("retention_at", &SnapFit::retention_at_m);
  number("release_at", &SnapFit::release_at_m);
  number("stored", &SnapFit::stored_J);
  number("friction_loss", &SnapFit::friction_J);
  number("lost", &SnapFit::lost_J);
  number("largest_gain", &SnapFit::largest_gain_J);
  number("penetration", &SnapFit::penetration_m);
  number("penetration_in_snap", &SnapFit::penetration_in_snap_m);
  number("max_strain", &SnapFit::strain);
  number("max_relative_rotation", &SnapFit::rotation_rad);
  result.def(py::init([](const std::shared_ptr<Tested>& same) { return same; }))
      .def_property_readonly("snaps", [](const Tested& t) { return t.fit.snaps; })
      .def_property_readonly("holds", [](const Tested& t) { return t.fit.holds; })
      .def_property_readonly("lets_go", [](const Tested& t) { return t.fit.lets_go; })
      .def_property_readonly("withdrawal", [](const Tested& t) { return t.fit.withdrawal; })
      .def_property_readonly("steps_not_converged",
                             [](const Tested& t) { return t.fit.steps_not_converged; })
      .def_readonly("friction", &Tested::friction)
      .def_readonly("dt", &Tested::dt)
      .def_readonly("warnings", &Tested::warnings)
      .def_property_readonly("curve", &curve_of);

  py::class_<SceneDescription>(module, "SnapFitScene")
      .def(py::init([](const SceneSource& source) { return source.description; }))
      .def(py::init(&describe_parts));
  module.def("snapfit", [](const SceneDescription& description, double speed, double dwell,
                           std::optional<double> travel, const Three& offset, const Three& tilt_deg,
                           const std::function<void(double)>& told) {
    return test(description, {speed, dwell}, travel, vector_of(offset), vector_of(tilt_deg), told);
  });
}

}  // namespace stickslip::python
