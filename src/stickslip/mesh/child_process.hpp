#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace stickslip {

/// How a program that was run ended.
struct ChildResult {
  bool started = false;
  int exit_code = 0;  ///< as the program returned it
  int signal = 0;     ///< that killed it, or 0
};

/// Runs a program to its end, without a shell, with nothing on its standard input. Each line
/// that it prints is handed to `on_line`; about twice a second `on_tick` is called.
/// The program is searched in PATH unless its name has a slash.
ChildResult run_program(const std::vector<std::string>& arguments,
                        const std::function<void(std::string_view)>& on_line,
                        const std::function<void()>& on_tick);

}  // namespace stickslip
