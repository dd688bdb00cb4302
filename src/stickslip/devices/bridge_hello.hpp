#pragma once

#include <optional>
#include <string>

#include "stickslip/devices/bridge_protocol.hpp"

namespace stickslip::bridge {

/// What may stand in a field of a hello.
struct HelloRange {
  const char* field;
  const char* unit;
  double least;
  double most;
  bool may_be_unknown;  ///< 0 is allowed, too
};

/// The first field of a hello that no device has.
struct HelloFault {
  const HelloRange* range = nullptr;
  double value = 0.0;
};

/// Nothing where all is well. Allocates nothing.
std::optional<HelloFault> find_fault(const Hello& hello);

/// In one line: field, value, what is allowed.
std::string text_of(const HelloFault& fault);

}  // namespace stickslip::bridge
