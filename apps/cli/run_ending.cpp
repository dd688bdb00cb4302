#include "apps/cli/run_ending.hpp"

namespace stickslip::cli {

std::string RunEnding::text() const {
  if (!thrown_) return "signal " + signals_.name();
  try {
    std::rethrow_exception(thrown_);
  } catch (const std::exception& error) {
    return std::string("error: ") + error.what();
  }
}

void RunEnding::rethrow() const {
  if (thrown_) std::rethrow_exception(thrown_);
}

}  // namespace stickslip::cli
