#pragma once

#include <string>

#include "stickslip/error.hpp"

namespace stickslip {

/// Runs an action; what it refuses is led by the place in the scene file.
template <class Action>
decltype(auto) located(const std::string& where, const std::string& path, const Action& action) {
  try {
    return action();
  } catch (const InputError& error) {
    throw InputError(where + ": " + path + ": " + error.what());
  }
}

}  // namespace stickslip
