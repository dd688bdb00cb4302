#include "stickslip/devices/bridge_protocol.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/devices/example_limits.hpp"

namespace stickslip {
namespace {

TEST(BridgeProtocol, FramesComeBackAsTheyWere) {
  bridge::Buffer buffer;
  const auto hello = bridge::decode(bridge::encode(
      {7, 1, bridge::Hello{bridge::protocol_version, example_limits(), 50}}, buffer));
  ASSERT_TRUE(hello.has_value());
  EXPECT_EQ(hello->session, 7u);
  EXPECT_TRUE(std::get<bridge::Hello>(hello->message).limits == example_limits());
  EXPECT_EQ(std::get<bridge::Hello>(hello->message).watchdog_ms, 50u);
  Vec6 wrench;
  wrench << 1.0, -2.0, 3e-300, 4.0, -0.0, 1e300;
  const auto back = bridge::decode(bridge::encode({7, 99, bridge::Wrench{wrench, 98}}, buffer));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->sequence, 99u);
  EXPECT_EQ(std::get<bridge::Wrench>(back->message).wrench, wrench);
  EXPECT_EQ(std::get<bridge::Wrench>(back->message).state_sequence, 98u);
}

TEST(BridgeProtocol, BytesAreThoseOfTheSpecification) {
  // a goodbye of session 0x01020304, sequence 5; its checksum was computed by Python's zlib
  bridge::Buffer buffer;
  const auto bytes = bridge::encode({0x01020304, 5, bridge::Goodbye{}}, buffer);
  const std::array<unsigned, 24> expected = {'S', 'S', 'D', 'B', 1, 0, 5, 0, 4, 3, 2, 1,
                                             28,  0,   0,   0,   5, 0, 0, 0, 0, 0, 0, 0};
  ASSERT_EQ(bytes.size(), 28u);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), expected[i]);
  EXPECT_EQ(std::to_integer<unsigned>(bytes[24]) | std::to_integer<unsigned>(bytes[25]) << 8U |
                std::to_integer<unsigned>(bytes[26]) << 16U |
                std::to_integer<unsigned>(bytes[27]) << 24U,
            0x6f2473e4U);
}

TEST(BridgeProtocol, AnyFlippedBitAndAnyOtherLengthIsRefused) {
  bridge::Buffer buffer;
  const auto bytes = bridge::encode({7, 3, bridge::State{}}, buffer);
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  ASSERT_TRUE(bridge::decode(copy).has_value());
  for (std::size_t bit = 0; bit < 8 * copy.size(); ++bit) {
    copy[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(bridge::decode(copy).has_value()) << bit;
    copy[bit / 8] ^= std::byte{1} << (bit % 8);
  }
  for (std::size_t size = 0; size < copy.size(); ++size) {
    EXPECT_FALSE(bridge::decode(std::span(copy).first(size)).has_value());
  }
  copy.push_back(std::byte{0});
  EXPECT_FALSE(bridge::decode(copy).has_value());
}

TEST(BridgeProtocol, NumbersThatAreNoneAreRefused) {
  bridge::Buffer buffer;
  for (const double odd : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    bridge::State state;
    state.reading.velocity.y() = odd;
    EXPECT_FALSE(bridge::decode(bridge::encode({1, 1, state}, buffer)).has_value());
    bridge::Wrench wrench;
    wrench.wrench[5] = odd;
    EXPECT_FALSE(bridge::decode(bridge::encode({1, 1, wrench}, buffer)).has_value());
  }
  bridge::State state;
  state.reading.orientation = Quat(0.0, 0.0, 0.0, 0.0);
  EXPECT_FALSE(bridge::decode(bridge::encode({1, 1, state}, buffer)).has_value());
}

}  // namespace
}  // namespace stickslip
