#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace stickslip {

/// A folder for the files of one test, gone when it ends.
class TestFolder {
 public:
  TestFolder() {
    // in memory where possible: some tests write thousands of files
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    const auto parent = usable ? memory : std::filesystem::temp_directory_path();
    std::string name = (parent / "stickslip-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

  std::filesystem::path write(const std::string& name, const std::string& contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return path_ / name;
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::filesystem::path path_;
};

inline bool gmsh_is_present() {
  return std::system("gmsh -version >/dev/null 2>&1") == 0;
}

/// A box of 20 x 10 x 10 mm with a group of every dimension; one face is in two groups.
inline const std::string box_script = R"(
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 0.02, 0.01, 0.01};
Physical Volume("body") = {1};
Physical Volume("everything") = {1};
Physical Surface("ends") = {1, 2};
Physical Surface("handle") = {1};
Physical Surface(7) = {3};
Physical Curve("edge") = {1};
Physical Point("corner") = {1};
Mesh.MeshSizeMin = 0.006;
Mesh.MeshSizeMax = 0.006;
)";

/// What `action` says when it refuses; fails the test when it does not.
template <class Error, class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

}  // namespace stickslip
