#include "python/bindings/toml_values.hpp"

#include <fmt/core.h>

#include "stickslip/error.hpp"

namespace py = pybind11;

namespace stickslip::python {

TomlValue toml_value(py::handle value, const std::string& where) {
  TomlValue made;
  made.where = where;
  if (py::isinstance<py::dict>(value)) {
    made.kind = TomlKind::table;
    for (const auto& [key, entry] : py::reinterpret_borrow<py::dict>(value)) {
      const auto name = py::str(key).cast<std::string>();
      made.entries.push_back({name, toml_value(entry, where)});
    }
    return made;
  }
  // numbers and arrays of NumPy, as Python's own
  if (py::hasattr(value, "tolist")) return toml_value(value.attr("tolist")(), where);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
    made.kind = TomlKind::array;
    for (const py::handle item : value) made.items.push_back(toml_value(item, where));
    return made;
  }
  if (py::isinstance<py::bool_>(value)) {
    made.kind = TomlKind::boolean;
    made.boolean = value.cast<bool>();
  } else if (py::isinstance<py::int_>(value)) {
    made.kind = TomlKind::integer;
    made.integer = value.cast<std::int64_t>();
    made.real = static_cast<double>(made.integer);
  } else if (py::isinstance<py::float_>(value)) {
    made.kind = TomlKind::real;
    made.real = value.cast<double>();
  } else if (py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__")) {
    made.kind = TomlKind::text;
    made.text = py::str(value).cast<std::string>();
  } else {
    throw InputError(
        fmt::format("{}: {} cannot stand in a scene; give numbers, texts, flags, lists of them or "
                    "dictionaries",
                    where, py::repr(value).cast<std::string>()));
  }
  return made;
}

}  // namespace stickslip::python
