#include "stickslip/io/fclib_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>

#include "places.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/hdf5_file.hpp"
#include "stickslip/problem/contact_error.hpp"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace stickslip {
namespace {

class Fclib : public testing::Test {
 protected:
  Fclib() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / (std::string("stickslip_fclib_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  ~Fclib() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const char* name = "problem.hdf5") const { return folder_ / name; }

  // the message of the InputError that reading throws
  std::string complaint(const std::filesystem::path& path) const {
    try {
      read_fclib(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no complaint";
  }

 private:
  std::filesystem::path folder_;
};

// two contacts, an unsymmetric W with zeros
const MatX& example_W() {
  static const MatX W = [] {
    MatX values = MatX::Identity(6, 6) * 4.0;
    values(0, 4) = 0.5;
    values(3, 1) = -0.25;
    values(5, 0) = 2.0;
    return values;
  }();
  return W;
}

struct Stored {
  int m = 6;
  int n = 6;
  int nz = -2;
  std::vector<int> p;
  std::vector<int> i;
  std::vector<double> x;
  std::vector<double> q = {-1.0, 0.5, 0.0, 2.0, 0.0, 0.25};
  std::vector<double> mu = {0.3, 0.0};
  int dimension = 3;
};

Stored stored(int form) {
  Stored result;
  if (form >= 0) {
    for (int row = 0; row < 6; ++row) {
      for (int column = 0; column < 6; ++column) {
        if (example_W()(row, column) == 0.0) continue;
        result.p.push_back(column);
        result.i.push_back(row);
        result.x.push_back(example_W()(row, column));
      }
    }
    result.nz = static_cast<int>(result.x.size());
    return result;
  }
  result.nz = form;
  result.p = {0};
  for (int major = 0; major < 6; ++major) {
    for (int minor = 0; minor < 6; ++minor) {
      const double value = form == -2 ? example_W()(major, minor) : example_W()(minor, major);
      if (value == 0.0) continue;
      result.i.push_back(minor);
      result.x.push_back(value);
    }
    result.p.push_back(static_cast<int>(result.i.size()));
  }
  return result;
}

void write(const std::filesystem::path& path, const Stored& content) {
  Hdf5File file = Hdf5File::create(path);
  file.make_group("/fclib_local");
  file.make_group("/fclib_local/W");
  file.make_group("/fclib_local/vectors");
  const int nzmax = static_cast<int>(content.x.size());
  file.write_integers("/fclib_local/spacedim", {&content.dimension, 1});
  file.write_integers("/fclib_local/W/m", {&content.m, 1});
  file.write_integers("/fclib_local/W/n", {&content.n, 1});
  file.write_integers("/fclib_local/W/nz", {&content.nz, 1});
  file.write_integers("/fclib_local/W/nzmax", {&nzmax, 1});
  file.write_integers("/fclib_local/W/p", content.p);
  file.write_integers("/fclib_local/W/i", content.i);
  file.write_numbers("/fclib_local/W/x", content.x);
  file.write_numbers("/fclib_local/vectors/q", content.q);
  file.write_numbers("/fclib_local/vectors/mu", content.mu);
}

TEST_F(Fclib, RowsColumnsAndTripletsGiveTheSameProblem) {
  for (const int form : {-2, -1, 0}) {
    write(file(), stored(form));
    const FclibFile content = read_fclib(file());
    EXPECT_EQ(content.problem.W.to_dense(), example_W());
    EXPECT_EQ(content.problem.delta_free[3], 2.0);
    EXPECT_EQ(content.problem.mu[0], 0.3);
    EXPECT_FALSE(content.solution);
  }
}

TEST_F(Fclib, WhatIsWrittenReadsBackTheSame) {
  FclibFile content;
  content.title = "two contacts";
  content.description = "of a test";
  for (const bool is_dense : {true, false}) {
    content.problem.W = is_dense ? BlockMatrix::dense(example_W())
                                 : BlockMatrix::sparse(SparseMatrix(example_W().sparseView()));
    content.problem.delta_free = VecX::Random(6);
    content.problem.mu = VecX::Constant(2, 0.7);
    content.solution = FclibSolution{VecX::Random(6), VecX::Random(6)};
    content.guesses = {{VecX::Random(6), {}}, {VecX::Random(6), VecX::Random(6)}};
    write_fclib(file(), content);
    const FclibFile found = read_fclib(file());
    EXPECT_EQ(found.problem.W.to_dense(), example_W());
    EXPECT_EQ(found.problem.delta_free, content.problem.delta_free);
    EXPECT_EQ(found.problem.mu, content.problem.mu);
    EXPECT_EQ(found.title, "two contacts");
    EXPECT_EQ(found.description, "of a test");
    ASSERT_TRUE(found.solution);
    EXPECT_EQ(found.solution->r, content.solution->r);
    EXPECT_EQ(found.solution->u, content.solution->u);
    ASSERT_EQ(found.guesses.size(), 2u);
    EXPECT_EQ(found.guesses[0].u.size(), 0);
    EXPECT_EQ(found.guesses[1].u, content.guesses[1].u);
  }
}

TEST_F(Fclib, EmptyProblemIsAProblem) {
  FclibFile content;
  content.problem.W = BlockMatrix::dense(MatX(0, 0));
  write_fclib(file(), content);
  EXPECT_EQ(read_fclib(file()).problem.contact_count(), 0);
}

TEST_F(Fclib, SaysWhatIsWrongInOneLine) {
  struct Case {
    const char* expected;
    std::function<void(Stored&)> spoil;
  };
  const double nan = std::nan("");
  const std::vector<Case> cases = {
      {"vectors/mu[1] is nan", [&](Stored& s) { s.mu[1] = nan; }},
      {"mu[1] is -0.5", [](Stored& s) { s.mu[1] = -0.5; }},
      {"vectors/q[2] is inf", [](Stored& s) { s.q[2] = HUGE_VAL; }},
      {"W/x[4] is nan", [&](Stored& s) { s.x[4] = nan; }},
      {"q has 5 entries, must have 6", [](Stored& s) { s.q.pop_back(); }},
      {"q has 6 entries, must have 9", [](Stored& s) { s.mu.push_back(0.1); }},
      {"W/m is 2147483646", [](Stored& s) { s.m = 2147483646; }},
      {"W/n is -3", [](Stored& s) { s.n = -3; }},
      {"W/nz is -7", [](Stored& s) { s.nz = -7; }},
      {"W/nz is 2000000000", [](Stored& s) { s.nz = 2000000000; }},
      {"W/p has 6 entries, must have 7", [](Stored& s) { s.p.pop_back(); }},
      {"W/p must start at 0", [](Stored& s) { std::swap(s.p[1], s.p[3]); }},
      {"W/p ends at 2000000000", [](Stored& s) { s.p.back() = 2000000000; }},
      {"W/i[3] is 6, must be from 0 to 5", [](Stored& s) { s.i[3] = 6; }},
      {"W/i[3] is -1", [](Stored& s) { s.i[3] = -1; }},
      {"spacedim is 2", [](Stored& s) { s.dimension = 2; }},
  };
  for (const Case& test : cases) {
    Stored content = stored(-2);
    test.spoil(content);
    write(file(), content);
    const std::string found = complaint(file());
    EXPECT_NE(found.find(test.expected), std::string::npos) << test.expected << " / " << found;
    EXPECT_NE(found.find("problem.hdf5"), std::string::npos);
    EXPECT_EQ(found.find('\n'), std::string::npos);
  }
}

TEST_F(Fclib, ForeignAndDamagedFilesAreRefused) {
  testing::internal::CaptureStderr();
  EXPECT_NE(complaint(file("absent.hdf5")).find("no such file"), std::string::npos);
  std::ofstream(file("text.hdf5")) << "not a problem";
  EXPECT_NE(complaint(file("text.hdf5")).find("not an HDF5 file"), std::string::npos);
  std::ofstream(file("empty.hdf5")).flush();
  EXPECT_NE(complaint(file("empty.hdf5")).find("not an HDF5 file"), std::string::npos);
  {
    Hdf5File foreign = Hdf5File::create(file("foreign.hdf5"));
    foreign.make_group("/weather");
  }
  EXPECT_NE(complaint(file("foreign.hdf5")).find("fclib_local is missing"), std::string::npos);
  {
    Hdf5File global = Hdf5File::create(file("global.hdf5"));
    global.make_group("/fclib_global");
  }
  EXPECT_NE(complaint(file("global.hdf5")).find("condense"), std::string::npos);
  {
    Hdf5File hollow = Hdf5File::create(file("hollow.hdf5"));
    hollow.make_group("/fclib_local");
  }
  EXPECT_NE(complaint(file("hollow.hdf5")).find("spacedim is missing"), std::string::npos);

  // HDF5 itself printed nothing
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(Fclib, FileCutShortAnywhereIsRefused) {
  write(file(), stored(-2));
  std::ifstream whole(file(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  for (std::size_t length = 0; length + 1 < bytes.size(); length += bytes.size() / 97) {
    std::ofstream(file("cut.hdf5"), std::ios::binary) << bytes.substr(0, length);
    EXPECT_NE(complaint(file("cut.hdf5")), "no complaint") << length;
  }
}

TEST_F(Fclib, DamagedBytesNeverCrash) {
#ifdef __SANITIZE_ADDRESS__
  // HDF5 itself loses a little memory over some damaged files
  const __lsan::ScopedDisabler hdf5_leaks;
#endif
  write(file(), stored(-2));
  std::ifstream whole(file(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
  for (std::size_t at = 0; at < bytes.size(); at += 41) {
    std::string spoilt = bytes;
    spoilt[at] = static_cast<char>(~spoilt[at]);
    std::ofstream(file("spoilt.hdf5"), std::ios::binary) << spoilt;
    try {
      read_fclib(file("spoilt.hdf5"));
    } catch (const InputError&) {
    }
  }
}

TEST_F(Fclib, UnwritablePlaceIsAnInputError) {
  FclibFile content;
  content.problem.W = BlockMatrix::dense(MatX(0, 0));
  EXPECT_THROW(write_fclib(file("no/such/folder/x.hdf5"), content), InputError);
}

TEST_F(Fclib, ProblemsOfTheWorldAreReadAndWrittenBack) {
  const char* asked = std::getenv("STICKSLIP_FC3D");
  const std::filesystem::path folder =
      asked != nullptr ? asked : STICKSLIP_SOURCE_DIR "/../shared/fc3d";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no problems in " << folder;
  for (const char* name : {"RockPile_tob1", "Rover1040", "synth_dense_m0050a"}) {
    const FclibFile content = read_fclib(folder / (std::string(name) + ".hdf5"));
    EXPECT_EQ(content.problem.W.is_dense(), std::string(name) != "RockPile_tob1");
    write_fclib(file(), content);
    const FclibFile again = read_fclib(file());
    EXPECT_EQ(again.problem.W.to_dense(), content.problem.W.to_dense());
    EXPECT_EQ(again.problem.delta_free, content.problem.delta_free);
    EXPECT_EQ(again.title, content.title);
  }
}

}  // namespace
}  // namespace stickslip
