#include <fmt/core.h>
#include <pybind11/stl/filesystem.h>

#include <memory>

#include "docstrings.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/recording.hpp"

namespace stickslip::python {

namespace {

// HDF5 serves one thread at a time, and other modules use it as well: nothing here lets go of the
// interpreter's lock.

py::ssize_t rows_of(const Recording& recording) {
  return static_cast<py::ssize_t>(recording.row_count());
}

/// What each row has of something, as an array of those rows.
template <class Number, class Get>
py::array column(const Recording& recording, const Get& get) {
  std::vector<Number> values;
  values.reserve(recording.row_count());
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    values.push_back(static_cast<Number>(get(row)));
  }
  return array_of(std::move(values));
}

py::array inputs_of(const Recording& recording) {
  std::vector<double> values;
  for (std::size_t row = 0; row < recording.row_count(); ++row) {
    const auto inputs = recording.inputs(row);
    values.insert(values.end(), inputs.begin(), inputs.end());
  }
  return array_of(std::move(values), {rows_of(recording), recording.drive_count(), 6});
}

/// Everything about some rows, by the names of `Recording` in Python.
py::dict details_of(const Recording& recording, std::int64_t first, std::int64_t count) {
  if (first < 0 || count < 0 || first + count > rows_of(recording)) {
    throw InputError(recording.path(), fmt::format("rows {} to {} are not in it; it has {}", first,
                                                   first + count, recording.row_count()));
  }
  Recording::Details details = recording.details(uz(first), uz(count));
  const auto bodies = static_cast<py::ssize_t>(recording.body_names().size());
  const auto contacts = static_cast<py::ssize_t>(details.gap.size());
  std::vector<std::int64_t> starts(details.contact_start.begin(), details.contact_start.end());
  std::vector<std::int32_t> pairs(details.contact_bodies.begin(), details.contact_bodies.end());
  std::vector<std::uint8_t> sticks(details.contact_sticks.begin(), details.contact_sticks.end());
  py::dict rows;
  rows["frames"] = array_of(std::move(details.frames), {count, bodies, 7});
  rows["energy"] = array_of(std::move(details.energy), {count, 3});
  rows["error"] = array_of(std::move(details.error));
  rows["penetration"] = array_of(std::move(details.penetration));
  rows["total_us"] = array_of(std::move(details.total_us));
  rows["iterations"] = array_of(std::move(details.iterations));
  rows["flags"] = array_of(std::move(details.flags));
  rows["contact_start"] = array_of(std::move(starts));
  rows["contact_bodies"] = array_of(std::move(pairs), {contacts, 2});
  rows["contact_P"] = array_of(std::move(details.P), {contacts, 3});
  rows["contact_Q"] = array_of(std::move(details.Q), {contacts, 3});
  rows["contact_normal"] = array_of(std::move(details.normal), {contacts, 3});
  rows["contact_gap"] = array_of(std::move(details.gap));
  rows["contact_force"] = array_of(std::move(details.force), {contacts, 3});
  rows["contact_sticks"] = array_of(std::move(sticks)).attr("astype")("bool");
  return rows;
}

py::array state_of(const Recording& recording, std::int64_t index) {
  const auto count = static_cast<std::int64_t>(recording.state_count());
  if (index < 0) index += count;
  if (index < 0 || index >= count) {
    throw InputError(recording.path(), fmt::format("has {} full states, counted from 0", count));
  }
  return array_of(recording.state_numbers(uz(index)));
}

}  // namespace

void bind_recordings(py::module_& module) {
  py::class_<Recording, std::shared_ptr<Recording>>(module, "RecordingFile")
      .def(py::init(
               [](const std::filesystem::path& path) { return std::make_shared<Recording>(path); }),
           py::arg("path"))
      .def_property_readonly("path", [](const Recording& r) { return r.path().string(); })
      .def_property_readonly("dt", &Recording::dt)
      .def_property_readonly("bodies", &Recording::body_names)
      .def_property_readonly("version", [](const Recording& r) { return r.scene().version; })
      .def("__len__", &Recording::row_count)
      .def_property_readonly("step",
                             [](const Recording& r) {
                               return column<std::int64_t>(r,
                                                           [&](auto row) { return r.step(row); });
                             })
      .def_property_readonly("time",
                             [](const Recording& r) {
                               return column<double>(r, [&](auto row) { return r.time(row); });
                             })
      .def_property_readonly("hash",
                             [](const Recording& r) {
                               return column<std::uint64_t>(r,
                                                            [&](auto row) { return r.hash(row); });
                             })
      .def_property_readonly("inputs", &inputs_of)
      .def("_details", &details_of)
      .def_property_readonly("state_steps",
                             [](const Recording& r) {
                               std::vector<std::int64_t> steps;
                               for (std::size_t k = 0; k < r.state_count(); ++k) {
                                 steps.push_back(r.state_step(k));
                               }
                               return array_of(std::move(steps));
                             })
      .def("state", &state_of, py::arg("index") = 0, doc("RecordingFile.state"));
}

}  // namespace stickslip::python
