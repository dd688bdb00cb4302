#include "stickslip/mesh/file_cursor.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "stickslip/error.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(FileCursor, ReadsWordsLinesAndNumbersAcrossAnyBlanks) {
  const TestFolder folder;
  FileCursor file(folder.write("a.txt", "one\t two\r\n\n 3 -4 +5 1e-3 \n the rest \r\nlast"),
                  "a list");
  EXPECT_EQ(file.next_word(), "one");
  EXPECT_EQ(file.next_word(), "two");
  EXPECT_EQ(file.integer("a"), 3);
  EXPECT_EQ(file.big_integer("b"), -4);
  EXPECT_EQ(file.integer("c"), 5);
  EXPECT_EQ(file.real("d"), 1e-3);
  std::string_view line;
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, " ");
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, " the rest ");
  ASSERT_TRUE(file.next_line(line));
  EXPECT_EQ(line, "last");
  EXPECT_FALSE(file.next_line(line));
  EXPECT_EQ(file.next_word(), "");
  EXPECT_EQ(file.remaining(), 0);
}

TEST(FileCursor, SkipsToATextOrStays) {
  const TestFolder folder;
  FileCursor file(folder.write("a.txt", "a $Begin 1 $End 2"), "a list");
  EXPECT_TRUE(file.skip_past("$Begin"));
  EXPECT_EQ(file.integer("x"), 1);
  EXPECT_FALSE(file.skip_past("$Begin"));
  EXPECT_TRUE(file.skip_past("$End"));
  EXPECT_EQ(file.integer("x"), 2);
}

TEST(FileCursor, ReadsRawNumbersOfEitherByteOrder) {
  const TestFolder folder;
  const auto bytes = [](auto value, bool swapped) {
    std::string raw(sizeof value, '\0');
    std::memcpy(raw.data(), &value, sizeof value);
    return swapped ? std::string(raw.rbegin(), raw.rend()) : raw;
  };
  for (const bool swapped : {false, true}) {
    FileCursor file(folder.write("a.bin", std::string(1, 'x') + bytes(std::int32_t{-7}, swapped) +
                                              bytes(std::int64_t{1} << 40, swapped) +
                                              bytes(0.1, swapped) + bytes(0.3F, swapped)),
                    "raw numbers");
    file.jump_to(1);
    file.set_binary(swapped);
    EXPECT_EQ(file.integer("a"), -7);
    EXPECT_EQ(file.big_integer("b"), std::int64_t{1} << 40);
    EXPECT_EQ(file.real("c"), 0.1);
    EXPECT_EQ(file.short_real("d"), 0.3F);
    // a raw file has no line to name
    const std::string message = refusal<InputError>([&] { file.integer("one more"); });
    EXPECT_TRUE(has(message, "a.bin: the file ends before one more")) << message;
  }
}

TEST(FileCursor, NamesTheLineAndTheValueItRefuses) {
  const TestFolder folder;
  const auto path = folder.write("a.txt", "1\n2 three\n4.5 99999999999 1e999\n");
  FileCursor file(path, "a list");
  EXPECT_EQ(file.integer("a"), 1);
  EXPECT_EQ(file.integer("b"), 2);
  EXPECT_TRUE(has(refusal<InputError>([&] { file.integer("the count"); }),
                  "a.txt:2: the count is 'three', not a whole number"));
  EXPECT_TRUE(has(refusal<InputError>([&] { file.integer("the tag"); }),
                  "a.txt:3: the tag is '4.5', not a whole number"));
  EXPECT_TRUE(has(refusal<InputError>([&] { file.integer("the tag"); }),
                  "a.txt:3: the tag is 99999999999, more than 32 bits hold"));
  EXPECT_TRUE(has(refusal<InputError>([&] { file.real("x"); }), "x is '1e999', not a number"));
  EXPECT_TRUE(has(refusal<InputError>([&] { file.real("x"); }), "the file ends before x"));
}

TEST(FileCursor, NamesTheLineThatWasReadLast) {
  const TestFolder folder;
  FileCursor file(folder.write("a.txt", "one\ntwo\r\n\nfour five\n"), "a list");
  std::string_view line;
  const auto named_line = [&] {
    const std::string message = refusal<InputError>([&] { file.fail("is wrong", "mend it"); });
    return message.substr(message.find("a.txt"));
  };
  for (const char* expected : {"a.txt:1: ", "a.txt:2: ", "a.txt:3: "}) {
    ASSERT_TRUE(file.next_line(line));
    EXPECT_EQ(named_line(), std::string(expected) + "is wrong; mend it");
  }
  EXPECT_TRUE(file.skip_past("four"));
  EXPECT_EQ(named_line(), "a.txt:4: is wrong; mend it");
  EXPECT_EQ(file.next_word(), "five");
  EXPECT_EQ(named_line(), "a.txt:4: is wrong; mend it");
  file.jump_to(0);
  EXPECT_EQ(named_line(), "a.txt:1: is wrong; mend it");
}

TEST(FileCursor, CountsOnlyWhatTheFileHasRoomFor) {
  const TestFolder folder;
  FileCursor file(folder.write("a.txt", "3\n1 2 3 4 5 6"), "a list");
  EXPECT_EQ(file.count("pairs", 2), 3);
  EXPECT_EQ(file.checked_count(6, "numbers", 1), 6);
  for (const std::int64_t count : {std::int64_t{7}, std::int64_t{-1}, std::int64_t{1} << 62}) {
    const std::string message =
        refusal<InputError>([&] { file.checked_count(count, "numbers", 1); });
    EXPECT_TRUE(has(message, "numbers is " + std::to_string(count) + ", but only")) << message;
  }
}

TEST(FileCursor, SaysWhatAForeignFileIs) {
  const TestFolder folder;
  const auto message = [&](const std::string& contents) {
    const auto path = folder.write("a.msh", contents);
    return refusal<InputError>([&] { FileCursor(path, "a gmsh mesh"); });
  };
  EXPECT_TRUE(has(message("\n <!DOCTYPE HTML><html>"), "is an HTML page, not a gmsh mesh"));
  EXPECT_TRUE(has(message("<HTML>"), "is an HTML page"));
  EXPECT_TRUE(has(message("\x1f\x8b\x08"), "unpack it with gunzip first"));
  EXPECT_TRUE(has(message("PK\x03\x04 and more"), "unpack it with unzip first"));
  EXPECT_TRUE(has(message("version https://git-lfs.github.com/spec/v1"), "git lfs pull"));
  EXPECT_TRUE(has(message(" \n\t\r\n"), "is empty"));
  EXPECT_TRUE(
      has(refusal<InputError>([&] { FileCursor(folder / "b.msh", "a mesh"); }), "no such file"));
  EXPECT_TRUE(has(refusal<InputError>([&] { FileCursor(folder.path(), "a mesh"); }),
                  "is a directory; give a mesh file"));
}

TEST(ParseReal, GivesBackEveryNumberBitForBit) {
  std::mt19937_64 random(2);
  for (int k = 0; k < 20'000; ++k) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    double read = 1.0;
    const bool is_normal = std::abs(value) >= 2.3e-308;
    ASSERT_TRUE(parse_real(text, read)) << text;
    if (is_normal) {
      EXPECT_EQ(read, value) << text;
    }
  }
}

TEST(ParseReal, TakesOnlyWholeNumbersOfFinitePrecision) {
  double value = 7.0;
  for (const char* text : {"", "+", "-", ".", "1e", "1.0x", " 1", "1 ", "0x10", "1,5", "1e400",
                           "-1e400", "++1", "1e+"}) {
    EXPECT_FALSE(parse_real(text, value)) << text;
  }
  EXPECT_TRUE(parse_real("1e-400", value));
  EXPECT_EQ(value, 0.0);
  EXPECT_TRUE(parse_real("+.5", value));
  EXPECT_EQ(value, 0.5);
  EXPECT_TRUE(parse_real("nan", value));
  EXPECT_TRUE(std::isnan(value));
}

TEST(ParseInteger, TakesWholeNumbersOf64Bits) {
  std::int64_t value = 0;
  EXPECT_TRUE(parse_integer("-9223372036854775808", value));
  EXPECT_EQ(value, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(parse_integer("+12", value));
  EXPECT_EQ(value, 12);
  for (const char* text : {"", "+", "1.0", "9223372036854775808", "1e3", "0x1", "1 "}) {
    EXPECT_FALSE(parse_integer(text, value)) << text;
  }
}

TEST(Printable, IsShortAndOnOneLine) {
  EXPECT_EQ(printable("plain text"), "plain text");
  EXPECT_EQ(printable("a\nb\x01\xff"), "a?b??");
  EXPECT_EQ(printable(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(printable(std::string(41, 'x')), std::string(40, 'x') + "...");
}

TEST(ExtensionOf, HeedsNoCase) {
  EXPECT_EQ(extension_of("a/b.MSH"), ".msh");
  EXPECT_EQ(extension_of("a.b/c"), "");
  EXPECT_EQ(extension_of("x.tar.gZ"), ".gz");
}

}  // namespace
}  // namespace stickslip
