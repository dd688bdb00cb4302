#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "places.hpp"
#include "tests/support/program.hpp"

namespace stickslip::testing_support {

/// `stickslip ARGUMENTS` in a folder, while the test goes on; at a terminal, if one is given: that
/// then gets what else goes to standard error.
class StartedProgram {
 public:
  StartedProgram(std::filesystem::path folder, std::vector<std::string> arguments,
                 const char* terminal = nullptr)
      : folder_(std::move(folder)) {
    arguments.insert(arguments.begin(), STICKSLIP_PROGRAM);
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    process_ = ::fork();
    if (process_ > 0) return;
    // the child
    const int out = ::open((folder_ / "started_output.txt").c_str(), O_CREAT | O_WRONLY, 0600);
    ::setsid();
    const int err = terminal != nullptr ? ::open(terminal, O_RDWR)
                                        : ::open((folder_ / "started_errors.txt").c_str(),
                                                 O_CREAT | O_WRONLY, 0600);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (::chdir(folder_.c_str()) == 0) ::execv(STICKSLIP_PROGRAM, pointers.data());
    ::_exit(127);
  }
  ~StartedProgram() {
    if (process_ <= 0) return;
    send(SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  StartedProgram(const StartedProgram&) = delete;
  StartedProgram& operator=(const StartedProgram&) = delete;

  void send(int signal) const { ::kill(process_, signal); }

  /// How it ended; -1 as the exit code where a signal ended it, or where it did not within so long.
  Answer wait(double seconds = 30.0) {
    int status = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (::waitpid(process_, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > end) return {};
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    process_ = 0;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("started_output.txt"),
            read("started_errors.txt")};
  }

 private:
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
  pid_t process_ = 0;
};

}  // namespace stickslip::testing_support
