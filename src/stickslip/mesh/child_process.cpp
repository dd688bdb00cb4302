#include "stickslip/mesh/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace stickslip {

namespace {

/// Starts the program with its output on `write_end`; 0 or an error number.
int spawn(const std::vector<std::string>& arguments, int write_end, pid_t& child) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, write_end, STDERR_FILENO);
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// Hands on the whole lines of `buffer` and keeps the rest.
void hand_on_lines(std::string& buffer, const std::function<void(std::string_view)>& on_line) {
  std::size_t begin = 0;
  for (std::size_t end = buffer.find_first_of("\r\n"); end != std::string::npos;
       end = buffer.find_first_of("\r\n", begin)) {
    if (end > begin) on_line(std::string_view(buffer).substr(begin, end - begin));
    begin = end + 1;
  }
  buffer.erase(0, begin);
}

/// Waits for the end of the child even when a callback throws.
class Child {
 public:
  Child(pid_t id, int read_end) : id_(id), read_end_(read_end) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (id_ > 0) wait();
  }

  int wait() {
    // a child that still prints is told so by the closed pipe
    ::close(read_end_);
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  pid_t id_;
  int read_end_;
};

}  // namespace

ChildResult run_program(const std::vector<std::string>& arguments,
                        const std::function<void(std::string_view)>& on_line,
                        const std::function<void()>& on_tick) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  pid_t id = 0;
  const int error = spawn(arguments, ends[1], id);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return {};
  }
  Child child(id, ends[0]);

  // what it prints, until it closes its output
  std::string buffer;
  std::array<char, 4096> chunk{};
  constexpr int tick_ms = 500;
  for (bool open = true; open;) {
    pollfd waiting{ends[0], POLLIN, 0};
    const int ready = ::poll(&waiting, 1, tick_ms);
    if (ready == 0) on_tick();
    if (ready <= 0) continue;
    const ssize_t size = ::read(ends[0], chunk.data(), chunk.size());
    open = size > 0 || (size < 0 && errno == EINTR);
    if (size > 0) buffer.append(chunk.data(), static_cast<std::size_t>(size));
    hand_on_lines(buffer, on_line);
  }
  if (!buffer.empty()) on_line(buffer);

  const int status = child.wait();
  ChildResult result;
  result.started = true;
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

}  // namespace stickslip
