#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <utility>
#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip::python {

namespace py = pybind11;

using Shape = std::vector<py::ssize_t>;
/// Any array, as float64 in the order of C; a copy only where it is not.
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

inline void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

/// What lies in the memory of `owner`, which lives as long as the array does. Read-only.
template <class Number>
py::array view_of(const Number* data, Shape shape, py::handle owner) {
  py::array array = py::array_t<Number>(std::move(shape), data, owner);
  make_read_only(array);
  return array;
}

inline py::array view_of(const std::vector<Vec3>& points, py::handle owner) {
  return view_of(points.empty() ? nullptr : points.front().data(),
                 {static_cast<py::ssize_t>(points.size()), 3}, owner);
}

/// Takes numbers over, without a copy.
template <class Number>
py::array array_of(std::vector<Number>&& numbers, Shape shape) {
  auto* kept = new std::vector<Number>(std::move(numbers));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<Number>*>(p); });
  return py::array_t<Number>(std::move(shape), kept->data(), owner);
}

template <class Number>
py::array array_of(std::vector<Number>&& numbers) {
  const auto size = static_cast<py::ssize_t>(numbers.size());
  return array_of(std::move(numbers), {size});
}

/// A copy of a small vector.
template <class Vector>
py::array copy_of(const Vector& vector) {
  return py::array_t<double>(static_cast<py::ssize_t>(vector.size()), vector.data());
}

/// One member of the rows of a table.
struct Field {
  const char* name;
  const char* format;  ///< as numpy.dtype takes it
  py::ssize_t offset;
};

/// Where a member stands in `row`.
template <class Row, class Member>
py::ssize_t offset_in(const Row& row, const Member& member) {
  return reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&row);
}

/// How such rows look to NumPy.
inline py::dtype table_type(const std::vector<Field>& fields, std::size_t row_bytes) {
  py::list names, formats, offsets;
  for (const Field& field : fields) {
    names.append(field.name);
    formats.append(field.format);
    offsets.append(field.offset);
  }
  py::dict description;
  description["names"] = names;
  description["formats"] = formats;
  description["offsets"] = offsets;
  description["itemsize"] = row_bytes;
  return py::dtype::from_args(description);
}

/// Takes rows over, without a copy: a numpy.recarray whose columns are those fields.
template <class Row>
py::object table_of(std::vector<Row>&& rows, const py::dtype& type) {
  auto* kept = new std::vector<Row>(std::move(rows));
  const py::capsule owner(kept, [](void* p) { delete static_cast<std::vector<Row>*>(p); });
  const py::array table(type, {static_cast<py::ssize_t>(kept->size())},
                        {static_cast<py::ssize_t>(sizeof(Row))}, kept->data(), owner);
  return table.attr("view")(py::module_::import("numpy").attr("recarray"));
}

}  // namespace stickslip::python
