#pragma once

#include <filesystem>
#include <string>

namespace stickslip::testing_support {

/// How a run of the command-line program ended.
struct Answer {
  int exit_code = -1;
  std::string output;
  std::string errors;
};

/// Runs `stickslip ARGUMENTS` in a folder; `environment` as in "LANG=C".
Answer run_program(const std::filesystem::path& folder, const std::string& arguments,
                   const std::string& environment = "");

}  // namespace stickslip::testing_support
