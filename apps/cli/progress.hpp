#pragma once

#include <string>

namespace stickslip::cli {

/// A bar on standard error while something long goes on; silent where that is no terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Shows the share done, from 0 to 1.
  void show(double share);

 private:
  std::string label_;
  bool is_terminal_;
  int shown_percent_ = -1;
};

}  // namespace stickslip::cli
