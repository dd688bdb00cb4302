#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stickslip/math/types.hpp"

namespace stickslip::haply {

// The JSON of Haply's Inverse Service. Metres, newtons, +X right, +Y forward, +Z up. Whatever is
// missing or of another type counts as not said.

struct Status {
  std::optional<bool> calibrated;
  std::optional<bool> in_use;
  std::optional<bool> power_supply;
  std::optional<bool> ready;
  std::optional<bool> started;
};

struct Inverse3 {
  std::string id;
  std::optional<Vec3> position;
  std::optional<Vec3> velocity;
  Status status;
};

/// A grip on the handle, with a cable or without.
struct Grip {
  std::optional<Quat> orientation;
  std::optional<std::uint32_t> buttons;  ///< bit 0: the button, or a; bits 1 and 2: b and c
};

struct Message {
  std::vector<Inverse3> devices;
  std::vector<Grip> grips;
};

/// Nothing where the text is no JSON object.
std::optional<Message> parse(const std::string& text);

/// What goes out at each tick. `key` is "vector", or "values" for services up to 3.4; the first
/// message of a connection also introduces the session.
std::string force_message(const std::string& device_id, const Vec3& force, const std::string& key,
                          bool is_first);

}  // namespace stickslip::haply
