#pragma once

#include <pybind11/pybind11.h>

namespace stickslip::python {

// Each adds the classes and functions of its file to the module stickslip._core.

void bind_problems(pybind11::module_& module);
void bind_meshes(pybind11::module_& module);
void bind_scenes(pybind11::module_& module);
void bind_bodies(pybind11::module_& module);
void bind_recordings(pybind11::module_& module);
void bind_snap_fits(pybind11::module_& module);

}  // namespace stickslip::python
