#include "stickslip/io/npz_file.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "stickslip/error.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  std::string text(sizeof(Number) * numbers.size(), '\0');
  std::memcpy(text.data(), numbers.data(), text.size());
  return text;
}

/// A .npy file, its header padded as NumPy does.
std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                bool is_fortran = false, int version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                                   is_fortran ? "True" : "False", shape);
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  return std::string("\x93NUMPY", 6) + little(static_cast<std::uint64_t>(version), 1) + '\0' +
         little(header.size(), version == 1 ? 2 : 4) + header + numbers;
}

std::string deflate_raw(const std::string& text) {
  std::string packed(text.size() + 100, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

struct File {
  std::string name;
  std::string contents;
};

enum class Packing { stored, deflated, large };

/// An archive as zipfile writes it for NumPy; `large` says every size in its 64-bit form.
std::string zip(const std::vector<File>& files, Packing packing) {
  const bool is_large = packing == Packing::large;
  std::string archive;
  std::string directory;
  for (const File& file : files) {
    const std::string packed =
        packing == Packing::deflated ? deflate_raw(file.contents) : file.contents;
    const std::string method = little(packing == Packing::deflated ? 8 : 0, 2);
    const auto* bytes = reinterpret_cast<const Bytef*>(file.contents.data());
    const std::string checksum = little(crc32_z(0, bytes, file.contents.size()), 4);
    const std::string unknown = little(0xffffffff, 4);
    const std::string sizes = little(packed.size(), 4) + little(file.contents.size(), 4);
    // NumPy always adds the 64-bit sizes to the local header
    const std::string local_extra =
        little(1, 2) + little(16, 2) + little(file.contents.size(), 8) + little(packed.size(), 8);
    const std::string extra = is_large ? little(0x5455, 2) + little(1, 2) + "x" + little(1, 2) +
                                             little(24, 2) + little(file.contents.size(), 8) +
                                             little(packed.size(), 8) + little(archive.size(), 8)
                                       : "";
    directory += little(0x02014b50, 4) + little(45, 2) + little(45, 2) + little(0, 2) + method +
                 little(0, 4) + checksum + (is_large ? unknown + unknown : sizes) +
                 little(file.name.size(), 2) + little(extra.size(), 2) + little(0, 8) +
                 little(0, 2) + (is_large ? unknown : little(archive.size(), 4)) + file.name +
                 extra;
    archive += little(0x04034b50, 4) + little(45, 2) + little(0, 2) + method + little(0, 4) +
               checksum + unknown + unknown + little(file.name.size(), 2) +
               little(local_extra.size(), 2) + file.name + local_extra + packed;
  }
  const std::uint64_t start = archive.size();
  archive += directory;
  if (is_large) {
    const std::uint64_t end_64 = archive.size();
    archive += little(0x06064b50, 4) + little(44, 8) + little(45, 2) + little(45, 2) +
               little(0, 8) + little(files.size(), 8) + little(files.size(), 8) +
               little(directory.size(), 8) + little(start, 8);
    archive += little(0x07064b50, 4) + little(0, 4) + little(end_64, 8) + little(1, 4);
  }
  return archive + little(0x06054b50, 4) + little(0, 4) +
         little(is_large ? 0xffff : files.size(), 2) + little(is_large ? 0xffff : files.size(), 2) +
         little(directory.size(), 4) + little(is_large ? 0xffffffff : start, 4) + little(7, 2) +
         "comment";
}

// two contacts; W full and unsymmetric, exact in float32
const MatX& example_W() {
  static const MatX W = [] {
    MatX values(6, 6);
    for (int i = 0; i < 36; ++i) values(i / 6, i % 6) = i / 6 == i % 6 ? 8.0 : 0.125 * (i % 11);
    return values;
  }();
  return W;
}

const std::vector<double> example_q = {-1.0, 0.5, 0.25, 2.0, 0.0, 0.125};
const std::vector<double> example_mu = {0.25, 0.0};

std::string example_W_bytes() {
  const RowMajor W = example_W();
  return raw(std::vector<double>(W.data(), W.data() + W.size()));
}

std::vector<File> example_files() {
  return {{"W.npy", npy("<f8", "(6, 6)", example_W_bytes())},
          {"q.npy", npy("<f8", "(6,)", raw(example_q))},
          {"mu.npy", npy("<f8", "(2,)", raw(example_mu))}};
}

void expect_example(const ContactProblem& problem) {
  EXPECT_EQ(problem.W.to_dense(), example_W());
  EXPECT_EQ(problem.delta_free, Eigen::Map<const VecX>(example_q.data(), 6));
  EXPECT_EQ(problem.mu, Eigen::Map<const VecX>(example_mu.data(), 2));
}

class Npz : public testing::Test {
 protected:
  ContactProblem read(const std::string& archive) const {
    return read_npz(folder_.write("problem.npz", archive));
  }

  std::string complaint(const std::string& archive) const {
    try {
      read(archive);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no complaint";
  }

  /// Of the example with one file replaced.
  std::string complaint_with(const std::string& name, const std::string& contents) const {
    std::vector<File> files = example_files();
    for (File& file : files) {
      if (file.name == name) file.contents = contents;
    }
    const std::string text = complaint(zip(files, Packing::deflated));
    EXPECT_EQ(text.find('\n'), text.npos) << text;
    EXPECT_NE(text.find("problem.npz: "), text.npos) << text;
    return text;
  }

  TestFolder folder_;
};

TEST_F(Npz, StoredDeflatedAndLargeArchivesHoldTheSameProblem) {
  for (const Packing packing : {Packing::stored, Packing::deflated, Packing::large}) {
    expect_example(read(zip(example_files(), packing)));
  }
}

TEST_F(Npz, EveryPrecisionAndOrderHoldsTheSameProblem) {
  std::vector<File> files = example_files();
  // by columns
  const MatX& W = example_W();
  files[0].contents = npy("<f8", "(6, 6)", raw(std::vector<double>(W.data(), W.data() + 36)), true);
  expect_example(read(zip(files, Packing::stored)));
  // single precision, a header of the second version, a column
  const RowMajor by_rows = W;
  files[0].contents =
      npy("<f4", "(6, 6)", raw(std::vector<float>(by_rows.data(), by_rows.data() + 36)), false, 2);
  files[1].contents =
      npy("<f4", "(6, 1)", raw(std::vector<float>(example_q.begin(), example_q.end())));
  expect_example(read(zip(files, Packing::stored)));
  // the other end first
  std::string swapped = raw(example_mu);
  for (std::size_t i = 0; i < swapped.size(); i += 8) {
    std::reverse(swapped.begin() + static_cast<std::ptrdiff_t>(i),
                 swapped.begin() + static_cast<std::ptrdiff_t>(i + 8));
  }
  files[2].contents = npy(">f8", "(2,)", swapped);
  files.push_back({"notes.npy", "anything"});
  expect_example(read(zip(files, Packing::stored)));
}

TEST_F(Npz, MostlyEmptyMatrixIsKeptSparse) {
  std::vector<File> files = example_files();
  MatX W = 2.0 * MatX::Identity(30, 30);
  W(4, 20) = 0.5;
  files[0].contents =
      npy("<f8", "(30, 30)", raw(std::vector<double>(W.data(), W.data() + 900)), true);
  files[1].contents = npy("<f8", "(30,)", raw(std::vector<double>(30, -1.0)));
  files[2].contents = npy("<f8", "(10,)", raw(std::vector<double>(10, 0.5)));
  const ContactProblem problem = read(zip(files, Packing::deflated));
  EXPECT_FALSE(problem.W.is_dense());
  EXPECT_EQ(problem.W.to_dense(), W);
}

TEST_F(Npz, ComplaintsNameTheArrayTheValueAndTheRemedy) {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  const auto has = [](const std::string& text, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_NE(text.find(part), text.npos) << text;
  };
  // types
  has(complaint_with("W.npy", npy("<i8", "(6, 6)", example_W_bytes())),
      {"W is of type <i8", "float64 or float32", "W.astype(float)"});
  has(complaint_with("mu.npy", npy("|O", "(2,)", raw(example_mu))), {"mu is of type |O"});
  has(complaint_with("q.npy", npy("<c16", "(3,)", raw(example_q))), {"q is of type <c16"});
  // sizes
  has(complaint_with("W.npy", npy("<f8", "(4, 9)", example_W_bytes())),
      {"W has shape (4, 9)", "square"});
  has(complaint_with("W.npy", npy("<f8", "(36,)", example_W_bytes())), {"W has shape (36)"});
  has(complaint_with("q.npy", npy("<f8", "(5,)", raw(std::vector<double>(5, 1.0)))),
      {"q has shape (5)", "6 entries, three per contact"});
  has(complaint_with("mu.npy", npy("<f8", "(3,)", raw(std::vector<double>(3, 1.0)))),
      {"mu has shape (3)", "2 entries, one per contact"});
  has(complaint_with("q.npy", npy("<f8", "(2, 3)", raw(example_q))), {"q has shape (2, 3)"});
  has(complaint_with("W.npy", npy("<f8", "(6, 6)", raw(example_q))),
      {"W of shape (6, 6) holds 48 bytes, 288 are needed"});
  has(complaint_with("W.npy", npy("<f8", "(3000000000, 3000000000)", raw(example_q))),
      {"W of shape"});
  // values
  std::vector<double> values = example_q;
  values[4] = nan;
  has(complaint_with("q.npy", npy("<f8", "(6,)", raw(values))), {"q[4] is nan", "finite"});
  has(complaint_with("mu.npy", npy("<f8", "(2,)", raw(std::vector<double>{0.5, -0.5}))),
      {"mu[1] is -0.5"});
  std::vector<double> W(36, 1.0);
  W[8] = std::numeric_limits<double>::infinity();
  has(complaint_with("W.npy", npy("<f8", "(6, 6)", raw(W))), {"W[1, 2] is inf"});
  // no arrays
  has(complaint_with("W.npy", "nonsense"), {"W is not an array of NumPy"});
  has(complaint_with("W.npy", std::string("\x93NUMPY\x01\0\xff\xff{", 11)), {"W is cut short"});
  has(complaint_with("W.npy", npy("<f8", "6, 6", "")), {"W has a header"});
  std::vector<File> files = example_files();
  files.erase(files.begin() + 1);
  has(complaint(zip(files, Packing::stored)), {"q is missing", "W.npy, mu.npy", "numpy.savez"});
}

TEST_F(Npz, WhatIsNoArchiveIsRefused) {
  EXPECT_NE(complaint("").find("is not a ZIP archive"), std::string::npos);
  EXPECT_NE(complaint(npy("<f8", "(2,)", raw(example_mu))).find("is not a ZIP archive"),
            std::string::npos);
  EXPECT_THROW(read_npz(folder_ / "absent.npz"), InputError);
  EXPECT_THROW(read_npz(folder_.path()), InputError);
}

TEST_F(Npz, CutAnywhereItIsRefused) {
  for (const Packing packing : {Packing::stored, Packing::deflated, Packing::large}) {
    const std::string archive = zip(example_files(), packing);
    for (std::size_t length = 0; length < archive.size(); length += 7) {
      EXPECT_NE(complaint(archive.substr(0, length)), "no complaint") << length;
    }
  }
}

TEST_F(Npz, DamagedAnywhereItIsRefusedOrUnharmed) {
  std::mt19937 random(1);
  for (const Packing packing : {Packing::stored, Packing::deflated, Packing::large}) {
    const std::string archive = zip(example_files(), packing);
    for (int trial = 0; trial < 3000; ++trial) {
      std::string damaged = archive;
      const int count = 1 + trial % 4;
      for (int i = 0; i < count; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      try {
        // whatever passes the checksum holds the same numbers
        expect_example(read(damaged));
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST_F(Npz, WhatNumPyWritesIsRead) {
  const std::string program = fmt::format(
      "/usr/bin/python3 -c \"import numpy as n; W = n.array([[8. if r == c else 0.125 * ((6 * r + "
      "c) "
      "% 11) for c in range(6)] for r in range(6)]); q = n.array([-1, .5, .25, 2, 0, .125]); "
      "mu = n.array([.25, 0]); n.savez('{0}/a.npz', W=W, q=q, mu=mu); "
      "n.savez_compressed('{0}/b.npz', W=n.asfortranarray(W), q=q.astype('f'), mu=mu)\" "
      "2>/dev/null",
      folder_.path().string());
  if (std::system(program.c_str()) != 0) GTEST_SKIP() << "needs python3-numpy";
  expect_example(read_npz(folder_ / "a.npz"));
  expect_example(read_npz(folder_ / "b.npz"));
}

}  // namespace
}  // namespace stickslip
