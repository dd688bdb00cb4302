#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace stickslip {

/// Bad input from the user: one line that names the file or field, the value, what is
/// allowed and the remedy. Thrown at load time only; programs answer it with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  InputError(const std::filesystem::path& file, const std::string& what)
      : runtime_error(file.string() + ": " + what) {}
};

}  // namespace stickslip
