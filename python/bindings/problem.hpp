#pragma once

#include <vector>

#include "stickslip/io/fclib_file.hpp"

namespace stickslip::python {

/// A contact problem with what came with it.
struct Problem {
  FclibFile content;
  std::vector<int> contacts;  ///< of a scene: which of its contacts these are

  const ContactProblem& problem() const { return content.problem; }
};

}  // namespace stickslip::python
