#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "stickslip/math/pose.hpp"

namespace stickslip::viewer {

/// Which scalars of the surfaces a frame carries.
enum class Field : std::uint32_t { none, displacement, stress, pressure };

/// What the person at a page asks of the simulation, of the right form and within bounds that do
/// not depend on the scene.
struct Command {
  enum class Kind : std::uint8_t {
    pause,
    run,
    step,
    reset,
    speed,
    scene,
    set,
    grab,
    release,
    hand,
    compare,
    cancel,
    record_start,
    record_stop,
    record_open,
    record_go,
    record_close,
    record_export,
  };
  Kind kind = Kind::pause;
  int hand = 0;
  int body = -1;           ///< to grab; -1: what is nearest
  std::int64_t count = 1;  ///< steps; or the step to go to
  double speed = 1.0;
  std::string name;   ///< of a scene, a recording or a parameter
  std::string value;  ///< of a parameter, as a scene file has it
  Pose pose;          ///< of a hand, world axes
};

/// What a page asks of the server itself.
struct Ack {
  std::uint32_t frame = 0;
};
struct Show {
  bool has_field = false;
  Field field = Field::none;
  bool has_delassus = false;
  bool delassus = false;
};
struct TakeControls {};

/// A message that was refused, and why.
struct Refusal {
  std::string about;  ///< the type that it had, where it had one
  std::string text;
};

using PageMessage = std::variant<Command, Ack, Show, TakeControls, Refusal>;

/// Takes a message of a page apart and checks it.
PageMessage parse_message(std::string_view text);

/// The type that the message of a command has.
std::string_view type_of(Command::Kind kind);

}  // namespace stickslip::viewer
