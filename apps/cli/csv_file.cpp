#include "apps/cli/csv_file.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "stickslip/error.hpp"

namespace stickslip::cli {

CsvFile::CsvFile(const std::string& option, const std::string& path, const std::string& header)
    : path_(path),
      file_(std::fopen(path.c_str(), "wb")),
      flushed_(std::chrono::steady_clock::now()) {
  if (!file_) {
    throw InputError(fmt::format("{} {}: cannot be written ({}); choose another place", option,
                                 path, std::strerror(errno)));
  }
  // lines are gathered here, not there
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);
  pending_ = header + "\n";
  flush();
}

void CsvFile::add_line(const std::string& line) {
  pending_ += line;
  pending_ += '\n';
  constexpr std::size_t enough = 1 << 16;
  const auto now = std::chrono::steady_clock::now();
  if (pending_.size() > enough || now - flushed_ > std::chrono::milliseconds(500)) flush();
}

void CsvFile::close() {
  flush();
  if (std::fclose(file_.release()) != 0) throw std::runtime_error(path_ + ": cannot be written");
}

void CsvFile::flush() {
  if (std::fwrite(pending_.data(), 1, pending_.size(), file_.get()) != pending_.size()) {
    throw std::runtime_error(
        fmt::format("{}: cannot be written any further ({})", path_, std::strerror(errno)));
  }
  pending_.clear();
  flushed_ = std::chrono::steady_clock::now();
}

}  // namespace stickslip::cli
