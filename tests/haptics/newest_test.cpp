#include "stickslip/haptics/loop/newest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace stickslip {
namespace {

/// Torn when its numbers are not all the same.
using Sample = std::array<std::uint64_t, 32>;

Sample sample(std::uint64_t number) {
  Sample value;
  value.fill(number);
  return value;
}

TEST(Newest, ReaderGetsTheLastOfWhatWasWritten) {
  Newest<int> newest(7);
  EXPECT_EQ(newest.value(), 7);
  EXPECT_FALSE(newest.refresh());
  newest.publish(1);
  newest.publish(2);
  EXPECT_EQ(newest.value(), 7);
  EXPECT_TRUE(newest.refresh());
  EXPECT_EQ(newest.value(), 2);
  EXPECT_FALSE(newest.refresh());
  EXPECT_EQ(newest.value(), 2);
  newest.draft() = 3;
  EXPECT_FALSE(newest.refresh());
  newest.publish();
  EXPECT_TRUE(newest.refresh());
  EXPECT_EQ(newest.value(), 3);
}

TEST(Newest, ThreadsSeeWholeValuesInOrderAndTheLastOne) {
  constexpr std::uint64_t last = 300000;
  Newest<Sample> newest(sample(0));
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= last; ++i) newest.publish(sample(i));
  });
  std::uint64_t seen = 0;
  std::uint64_t faults = 0;
  while (seen < last) {
    if (!newest.refresh()) continue;
    const Sample& value = newest.value();
    for (const std::uint64_t number : value) faults += number != value[0];
    faults += value[0] <= seen;
    seen = value[0];
  }
  writer.join();
  EXPECT_EQ(faults, 0u);
  EXPECT_EQ(seen, last);
}

TEST(Newest, ValueInHandStaysWhileTheWriterGoesOn) {
  Newest<Sample> newest(sample(0));
  newest.publish(sample(1));
  ASSERT_TRUE(newest.refresh());
  std::atomic<bool> is_done = false;
  std::thread writer([&] {
    for (std::uint64_t i = 2; i < 50000; ++i) newest.publish(sample(i));
    is_done = true;
  });
  std::uint64_t faults = 0;
  while (!is_done) faults += newest.value() != sample(1);
  writer.join();
  EXPECT_EQ(faults, 0u);
  EXPECT_TRUE(newest.refresh());
  EXPECT_EQ(newest.value(), sample(49999));
}

}  // namespace
}  // namespace stickslip
