#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "apps/viewer/command.hpp"
#include "apps/viewer/mailbox.hpp"
#include "apps/viewer/snapshot.hpp"
#include "stickslip/haptics/loop/newest.hpp"
#include "stickslip/io/record_queue.hpp"

namespace stickslip::viewer {

/// A message from the simulation to all viewers.
struct Notice {
  Json message;                              ///< as the page gets it, but for `hello`
  std::shared_ptr<const ViewedScene> scene;  ///< a new one; the message is then empty
};

/// All that passes between the threads of the simulation, of the haptic loop and of the server.
/// Neither of the first two ever waits for the third.
struct Exchange {
  // from the server to the simulation
  Mailbox<Command> commands{256};
  std::atomic<int> viewers = 0;
  std::atomic<bool> wants_delassus = false;
  std::atomic<bool> has_been_drawn = false;  ///< a page has answered a frame, ever

  // from the simulation to the server
  Newest<Snapshot> snapshots;
  Mailbox<Notice> notices{256};
  /// Rows: number of the scene, time [s], then step_row_numbers more.
  RecordQueue steps{std::size_t{1} << 16};

  // from the haptic loop (or whoever ticks it) to the server
  /// Rows: number of the scene, time [s], time of the tick [us], ticks missed so far, then
  /// tick_hand_numbers for each hand.
  RecordQueue ticks{std::size_t{1} << 17};
};

/// Force, torque and position of the device, world axes; energy put in; energy removed, whether the
/// passivity controller acts, state of the safety.
inline constexpr int tick_hand_numbers = 13;

}  // namespace stickslip::viewer
