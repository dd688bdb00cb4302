#include "apps/cli/progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace stickslip::cli {

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), is_terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  // leave an empty line to whoever writes next
  if (is_terminal_ && shown_percent_ >= 0) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(double share) {
  const int percent = static_cast<int>(100.0 * share);
  if (!is_terminal_ || percent == shown_percent_) return;
  shown_percent_ = percent;
  constexpr int width = 30;
  const int filled = width * percent / 100;
  // a terminal that was closed is no reason to end
  const std::string bar =
      fmt::format("\r{} [{:#<{}}{:.<{}}] {:3} %", label_, "", filled, "", width - filled, percent);
  std::fputs(bar.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace stickslip::cli
