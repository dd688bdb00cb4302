#include "stickslip/mesh/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "stickslip/error.hpp"

namespace stickslip {

namespace {

/// Writes everything and makes sure that it reached the disk. Leaves errno set on failure.
bool write_and_close(int descriptor, std::string_view contents) {
  bool good = true;
  while (good && !contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written >= 0) {
      contents.remove_prefix(static_cast<std::size_t>(written));
    } else {
      good = errno == EINTR;
    }
  }
  // pipes and devices cannot be synchronised, and need not be
  good = good && (::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS);
  const int error = errno;
  good = ::close(descriptor) == 0 && good;
  if (!good && error != 0) errno = error;
  return good;
}

[[noreturn]] void refuse(const std::filesystem::path& path) {
  const std::string reason = std::error_code(errno, std::generic_category()).message();
  throw InputError(fmt::format(
      "{}: cannot be written: {}; choose a folder that exists and that you may write to",
      path.string(), reason));
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view contents) {
  // a pipe or a device has no name to exchange
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    errno = EISDIR;
    refuse(path);
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const int device = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (device < 0 || !write_and_close(device, contents)) refuse(path);
    return;
  }

  // the temporary file stands beside the target, so that the rename stays in one file system
  std::filesystem::path temporary = path;
  temporary.replace_filename(fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid()));
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  constexpr unsigned permissions = 0666;
  const int descriptor = ::open(temporary.c_str(), flags, permissions);
  if (descriptor < 0) refuse(path);
  if (!write_and_close(descriptor, contents) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    errno = error;
    refuse(path);
  }
}

}  // namespace stickslip
