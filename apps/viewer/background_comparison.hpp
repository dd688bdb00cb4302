#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "stickslip/studies/comparison.hpp"

namespace stickslip::viewer {

/// A moment solved by every method, in a thread of its own.
class BackgroundComparison {
 public:
  /// The scene must live, and stay as it is, as long as this does.
  BackgroundComparison(const Scene& scene, Moment moment, double limit_s);
  /// Ends early where it is not done: within a pivot or a sweep.
  ~BackgroundComparison();
  BackgroundComparison(const BackgroundComparison&) = delete;
  BackgroundComparison& operator=(const BackgroundComparison&) = delete;

  struct Standing {
    std::vector<ComparedMethod> methods;  ///< that are done
    std::string next;                     ///< the one at work; empty: all are done
  };
  /// False where nothing has happened since the last time. Throws what went wrong.
  bool take_news(Standing& standing);

 private:
  std::atomic<bool> ends_ = false;
  std::mutex telling_;
  Standing standing_;
  bool is_new_ = false;
  std::exception_ptr trouble_;
  std::thread thread_;
};

}  // namespace stickslip::viewer
