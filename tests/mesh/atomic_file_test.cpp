#include "stickslip/mesh/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "stickslip/error.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

std::size_t entries(const std::filesystem::path& folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(AtomicFile, WritesAllOfItInPlaceOfTheOld) {
  const TestFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5'000'000}}) {
    std::string contents(size, '\0');
    for (std::size_t k = 0; k < size; ++k) contents[k] = static_cast<char>(k * 2654435761U >> 7U);
    write_file_atomically(folder / "a.bin", contents);
    EXPECT_EQ(folder.read("a.bin"), contents);
    EXPECT_EQ(entries(folder.path()), 1);
  }
}

TEST(AtomicFile, ReadersSeeTheOldOrTheNewNeverAPart) {
  const TestFolder folder;
  const std::string old_contents(300'000, 'o');
  const std::string new_contents(500'000, 'n');
  write_file_atomically(folder / "a", old_contents);
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (int k = 0; k < 100; ++k) {
      write_file_atomically(folder / "a", k % 2 == 0 ? new_contents : old_contents);
    }
    done = true;
  });
  int reads = 0;
  while (!done || reads == 0) {
    const std::string seen = folder.read("a");
    EXPECT_TRUE(seen == old_contents || seen == new_contents) << seen.size();
    ++reads;
  }
  writer.join();
}

TEST(AtomicFile, LeavesTheOldFileWhereTheDiskIsFull) {
  const TestFolder folder;
  write_file_atomically(folder / "a", "old");
  // a file may not grow beyond this: writing fails halfway
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4096;
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    write_file_atomically(folder / "a", std::string(100'000, 'n'));
  } catch (const InputError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot be written: File too large"), std::string::npos) << message;
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(entries(folder.path()), 1);
}

TEST(AtomicFile, RefusesFoldersAndPlacesThatDoNotExist) {
  const TestFolder folder;
  std::filesystem::create_directory(folder / "taken");
  for (const char* name : {"taken", "missing/a", "taken/missing/a"}) {
    const std::string message =
        refusal<InputError>([&] { write_file_atomically(folder / name, "new"); });
    EXPECT_NE(message.find(name), std::string::npos);
    EXPECT_NE(message.find("cannot be written"), std::string::npos);
  }
  EXPECT_EQ(entries(folder.path()), 1);
  EXPECT_EQ(entries(folder / "taken"), 0);
}

TEST(AtomicFile, WritesIntoAPipeOrDeviceInsteadOfReplacingIt) {
  write_file_atomically("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const TestFolder folder;
  const auto pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = folder.read("pipe"); });
  write_file_atomically(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(received, "through the pipe");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace stickslip
