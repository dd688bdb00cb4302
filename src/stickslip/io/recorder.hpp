#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "stickslip/io/record_queue.hpp"
#include "stickslip/io/recorded_scene.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

struct RecorderOptions {
  std::int64_t first_step = 0;   ///< that the start state is the end of
  std::int64_t state_every = 0;  ///< steps between full states; 0: about one second of the scene
  bool may_wait = true;          ///< for the disk; otherwise steps are lost when it is slow
  std::size_t queue_numbers = std::size_t{1} << 22;  ///< on the way to the disk, at least
};

/// Writes a run to a file, step by step, in a thread of its own. Whenever the process dies, the
/// file can be read and lacks no more than the last half second. The file appears under its name
/// once it is complete but for the steps.
class Recorder {
 public:
  /// Throws InputError where the file cannot be made.
  Recorder(const std::filesystem::path& path, const RecordedScene& recorded, const Scene& scene,
           const State& start, const RecorderOptions& options = {});
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// To be called after each step. Allocates nothing once it has met the largest state, and never
  /// locks or writes.
  void add(const Scene& scene, const State& state, const StepData& data);

  /// Steps that found no room on their way to the disk.
  std::int64_t lost() const { return lost_; }

  /// All that was added is in the file. Throws InputError where the disk took no more.
  void finish();

 private:
  class Writer;

  void pack(const Scene& scene, const State& state, const StepData& data);

  std::int64_t step_;
  std::int64_t state_every_;
  std::int64_t next_state_;
  bool may_wait_;
  std::int64_t lost_ = 0;
  std::vector<double> state_numbers_;
  std::vector<ContactReport> contacts_;
  std::vector<double> record_;
  RecordQueue queue_;
  std::unique_ptr<Writer> writer_;
  std::thread thread_;
};

}  // namespace stickslip
