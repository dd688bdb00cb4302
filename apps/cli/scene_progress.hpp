#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "apps/cli/progress.hpp"

namespace stickslip::cli {

/// A bar for each body of a scene while its compliance is computed.
class SceneProgress {
 public:
  std::function<void(const std::string& body, double share)> callback() {
    return [this](const std::string& body, double share) {
      const std::lock_guard lock(mutex_);
      if (body != body_ || !bar_) bar_.emplace(body_ = body);
      bar_->show(share);
    };
  }

 private:
  std::mutex mutex_;
  std::string body_;
  std::optional<ProgressBar> bar_;
};

}  // namespace stickslip::cli
