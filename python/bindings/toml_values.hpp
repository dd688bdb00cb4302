#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "stickslip/io/toml_document.hpp"

namespace stickslip::python {

/// Dictionaries, lists (and arrays), numbers, texts and flags as a TOML document has them; `where`
/// stands for the place of each value in messages. Throws InputError.
TomlValue toml_value(pybind11::handle value, const std::string& where);

}  // namespace stickslip::python
