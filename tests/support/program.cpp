#include "tests/support/program.hpp"
#include "places.hpp"

#include <fmt/core.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace stickslip::testing_support {

Answer run_program(const std::filesystem::path& folder, const std::string& arguments,
                   const std::string& environment) {
  const auto errors = folder / "errors.txt";
  const std::string command =
      fmt::format("cd '{}' && {} '{}' {} 2>'{}'", folder.string(), environment, STICKSLIP_PROGRAM,
                  arguments, errors.string());
  Answer answer;
  FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> chunk{};
  for (std::size_t size = 0; (size = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    answer.output.append(chunk.data(), size);
  }
  const int status = ::pclose(pipe);
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ostringstream text;
  text << std::ifstream(errors).rdbuf();
  answer.errors = text.str();
  return answer;
}

}  // namespace stickslip::testing_support
