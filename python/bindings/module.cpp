#include <pybind11/pybind11.h>

#include <cstring>

#include "docstrings.hpp"
#include "python/bindings/bindings.hpp"
#include "stickslip/error.hpp"
#include "stickslip/version.hpp"

namespace py = pybind11;

namespace {

PyObject* input_error = nullptr;

/// Names of files in messages need not be UTF-8.
void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const stickslip::InputError& error) {
    const auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
        error.what(), static_cast<Py_ssize_t>(std::strlen(error.what())), "replace"));
    PyErr_SetObject(input_error, text.ptr());
  }
}

/// Classes and properties get theirs here; functions have them from the start.
void tell_docstrings(py::module_& module) {
  const py::object property = py::module_::import("builtins").attr("property");
  for (const auto& [path, text] : stickslip::python::docstrings) {
    const std::string_view name = path;
    const std::size_t dot = name.find('.');
    const std::string owner(name.substr(0, dot));
    if (!py::hasattr(module, owner.c_str())) continue;
    const py::object type = module.attr(owner.c_str());
    if (dot == name.npos) {
      if (py::isinstance<py::type>(type)) type.attr("__doc__") = text;
      continue;
    }
    const py::object member = type.attr(std::string(name.substr(dot + 1)).c_str());
    if (py::isinstance(member, property)) member.attr("__doc__") = text;
  }
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  py::options options;
  options.disable_function_signatures();
  module.doc() = "The engine of stickslip; use it by `import stickslip`.";
  module.attr("__version__") = stickslip::version;
  input_error = PyErr_NewExceptionWithDoc(
      "stickslip.InputError",
      "Bad input: one line with the file or field, the value, what is allowed and the remedy.",
      PyExc_ValueError, nullptr);
  module.attr("InputError") = py::handle(input_error);
  py::register_exception_translator(translate);

  stickslip::python::bind_problems(module);
  stickslip::python::bind_meshes(module);
  stickslip::python::bind_scenes(module);
  stickslip::python::bind_bodies(module);
  stickslip::python::bind_recordings(module);
  stickslip::python::bind_snap_fits(module);
  tell_docstrings(module);
}
