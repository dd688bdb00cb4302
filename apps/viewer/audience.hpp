#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/viewer/exchange.hpp"
#include "apps/viewer/snapshot_message.hpp"

namespace stickslip::viewer {

/// A viewer as the audience sees it: somewhere to send to.
class Seat {
 public:
  virtual ~Seat() = default;
  virtual void send_text(std::string text) = 0;
  virtual void send_binary(std::string bytes) = 0;
};

/// All who watch. The first holds the controls; when its holder leaves, they pass to the one who
/// has watched longest. Everything here happens in the server's thread.
class Audience {
 public:
  explicit Audience(Exchange& exchange) : exchange_(exchange) {}

  bool has_room() const;
  void join(Seat& seat);
  void leave(Seat& seat);
  void receive(Seat& seat, std::string_view text);

  /// Passes on what came from the simulation; to be called a hundred times a second.
  void pass_on();

 private:
  struct Viewer {
    Seat* seat = nullptr;
    bool is_greeted = false;                ///< nothing is said before that
    std::uint32_t sequence = 0;             ///< of the last frame sent
    std::vector<std::uint32_t> unanswered;  ///< two at most
    std::uint64_t snapshot = 0;             ///< that it got last
    std::uint64_t ticks_from = 0;
    std::uint64_t steps_from = 0;
    std::uint64_t delassus = 0;  ///< that it got last
    Field field = Field::none;
    bool wants_delassus = false;
  };

  Viewer* find(Seat& seat);
  void greet(Viewer& viewer);
  void take_notices();
  void take_rows();
  void send_snapshot(Viewer& viewer);
  void send_all(const Json& message);
  void tell_controls();
  void apply(Viewer& viewer, const Show& show);
  void forward(Viewer& viewer, Command command);
  void note_viewers();

  Exchange& exchange_;
  std::vector<Viewer> viewers_;  ///< the first holds the controls
  std::shared_ptr<const ViewedScene> scene_;
  std::map<std::string, Json, std::less<>> latest_;  ///< of what newcomers are told, by type
  std::uint64_t snapshots_ = 0;                      ///< that came
  std::uint64_t delassus_ = 0;
  std::string delassus_message_;
  RowHistory ticks_{4000};
  RowHistory steps_{4000};
  std::uint32_t tick_count_ = 0;
  float tick_median_us_ = 0.0F;
  float tick_longest_us_ = 0.0F;
  std::chrono::steady_clock::time_point tick_times_due_;
  std::vector<double> row_;
};

}  // namespace stickslip::viewer
