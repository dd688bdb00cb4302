#include "apps/viewer/background_comparison.hpp"

#include <utility>

namespace stickslip::viewer {

BackgroundComparison::BackgroundComparison(const Scene& scene, Moment moment, double limit_s) {
  thread_ = std::thread([this, &scene, moment = std::move(moment), limit_s] {
    const auto note = [&](const std::vector<ComparedMethod>& methods, std::string_view next) {
      const std::lock_guard lock(telling_);
      standing_ = {methods, std::string(next)};
      is_new_ = true;
    };
    ComparisonOptions options;
    options.limit_s = limit_s;
    options.ends = &ends_;
    options.progress = note;
    try {
      note(compare_methods(scene, moment, options), "");
    } catch (...) {
      const std::lock_guard lock(telling_);
      trouble_ = std::current_exception();
    }
  });
}

BackgroundComparison::~BackgroundComparison() {
  ends_ = true;
  thread_.join();
}

bool BackgroundComparison::take_news(Standing& standing) {
  const std::lock_guard lock(telling_);
  if (trouble_) std::rethrow_exception(std::exchange(trouble_, nullptr));
  if (is_new_) standing = standing_;
  return std::exchange(is_new_, false);
}

}  // namespace stickslip::viewer
