#include "stickslip/mesh/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>

namespace stickslip {
namespace {

const auto nothing = [] {};

/// The lines that a piece of shell script prints.
std::vector<std::string> lines_of(const std::string& script, ChildResult* result = nullptr) {
  std::vector<std::string> lines;
  const ChildResult ended = run_program(
      {"sh", "-c", script}, [&](std::string_view line) { lines.emplace_back(line); }, nothing);
  if (result != nullptr) *result = ended;
  return lines;
}

TEST(ChildProcess, TellsTheExitCode) {
  for (const int code : {0, 1, 3, 127, 255}) {
    ChildResult result;
    lines_of("exit " + std::to_string(code), &result);
    EXPECT_TRUE(result.started);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_EQ(result.signal, 0);
  }
}

TEST(ChildProcess, TellsTheSignalThatKilledIt) {
  ChildResult result;
  const auto lines = lines_of("echo before; kill -TERM $$; echo after", &result);
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.signal, SIGTERM);
  EXPECT_EQ(lines, std::vector<std::string>{"before"});
}

TEST(ChildProcess, SaysThatAProgramIsMissing) {
  for (const char* name : {"no-such-program-anywhere", "/no/such/program", "/"}) {
    const ChildResult result = run_program(
        {name}, [](std::string_view) { FAIL(); }, nothing);
    EXPECT_FALSE(result.started) << name;
  }
}

TEST(ChildProcess, HandsOnEveryLineOfBothOutputs) {
  EXPECT_EQ(lines_of("echo one; echo two >&2; printf 'three\\rfour\\n\\nfive'"),
            (std::vector<std::string>{"one", "two", "three", "four", "five"}));
  // more than a pipe holds, in lines longer than a chunk
  const auto lines = lines_of("for i in 1 2 3 4 5 6 7 8 9; do printf '%030000d\\n' $i; done");
  ASSERT_EQ(lines.size(), 9);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(lines[k].size(), 30'000);
    EXPECT_EQ(lines[k].back(), static_cast<char>('1' + k));
  }
}

TEST(ChildProcess, PassesArgumentsWithoutAShellAndNoInput) {
  std::vector<std::string> lines;
  run_program(
      {"printf", "%s\\n", "a b", "$HOME", "'", "*"},
      [&](std::string_view line) { lines.emplace_back(line); }, nothing);
  EXPECT_EQ(lines, (std::vector<std::string>{"a b", "$HOME", "'", "*"}));
  EXPECT_EQ(lines_of("cat; echo end"), std::vector<std::string>{"end"});
}

TEST(ChildProcess, TicksWhileNothingIsPrinted) {
  int ticks = 0;
  const ChildResult result = run_program(
      {"sleep", "1.2"}, [](std::string_view) {}, [&] { ++ticks; });
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_GE(ticks, 1);
}

TEST(ChildProcess, LeavesNoChildBehindWhenACallbackThrows) {
  // the child prints until its pipe is closed
  EXPECT_THROW(run_program(
                   {"sh", "-c", "while echo more; do :; done"},
                   [](std::string_view) { throw std::runtime_error("enough"); }, nothing),
               std::runtime_error);
  int status = 0;
  EXPECT_EQ(::waitpid(-1, &status, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace stickslip
