#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "stickslip/io/fclib_file.hpp"
#include "stickslip/problem/contact_error.hpp"
#include "tests/support/npz_bytes.hpp"
#include "tests/support/program.hpp"

namespace stickslip {
namespace {

struct Output {
  int exit_code = -1;
  std::vector<std::string> lines;
  std::vector<std::string> complaints;
};

class SolveCommand : public testing::Test {
 protected:
  SolveCommand() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::temp_directory_path() / (std::string("stickslip_solve_") + test->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~SolveCommand() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A block that slides on `contacts` feet.
  void write_problem(const std::string& name, int contacts = 3, double mu = 0.4) const {
    FclibFile content;
    const int n = 3 * contacts;
    content.problem.W = BlockMatrix::dense(1e-3 * (MatX::Identity(n, n) + 0.1 * MatX::Ones(n, n)));
    content.problem.delta_free = VecX::Constant(n, -1e-3);
    content.problem.delta_free[1] = 5e-3;
    content.problem.mu = VecX::Constant(contacts, mu);
    content.title = name;
    write_fclib(path(name), content);
  }

  Output run(const std::string& arguments) const {
    const auto answer = testing_support::run_program(folder_, "solve " + arguments);
    Output output;
    output.exit_code = answer.exit_code;
    std::istringstream lines(answer.output);
    for (std::string line; std::getline(lines, line);) output.lines.push_back(line);
    std::istringstream complaints(answer.errors);
    for (std::string line; std::getline(complaints, line);) output.complaints.push_back(line);
    return output;
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(SolveCommand, PrintsOneJsonLinePerFileInOrder) {
  write_problem("b.hdf5", 2);
  write_problem("a.hdf5", 5);
  const Output output = run("--json " + path("b.hdf5") + " " + path("a.hdf5"));
  EXPECT_EQ(output.exit_code, 0);
  ASSERT_EQ(output.lines.size(), 2u);
  const auto line = nlohmann::ordered_json::parse(output.lines[0]);
  std::vector<std::string> keys;
  for (const auto& item : line.items()) keys.push_back(item.key());
  EXPECT_EQ(keys, (std::vector<std::string>{"file", "name", "contacts", "solver", "status",
                                            "criterion", "tolerance", "error", "error_rescaled",
                                            "iterations", "seconds", "message"}));
  EXPECT_EQ(line["file"], path("b.hdf5"));
  EXPECT_EQ(line["name"], "b");
  EXPECT_EQ(line["contacts"], 2);
  EXPECT_EQ(line["status"], "converged");
  EXPECT_EQ(line["criterion"], "plain");
  EXPECT_LE(line["error"].get<double>(), 1e-8);
  EXPECT_EQ(nlohmann::json::parse(output.lines[1])["name"], "a");
}

TEST_F(SolveCommand, FolderIsTakenAsItsFiles) {
  std::filesystem::create_directories(path("set"));
  write_problem("set/two.hdf5");
  write_problem("set/one.hdf5");
  std::ofstream(path("set/notes.txt")) << "not a problem";
  const Output output = run("--json --criterion rescaled " + path("set"));
  EXPECT_EQ(output.exit_code, 0);
  ASSERT_EQ(output.lines.size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(output.lines[0])["name"], "one");
  EXPECT_EQ(nlohmann::json::parse(output.lines[1])["criterion"], "rescaled");
}

TEST_F(SolveCommand, BadFileDoesNotStopTheOthers) {
  write_problem("good.hdf5");
  std::ofstream(path("bad.hdf5")) << "rubbish";
  const Output output =
      run("--json " + path("bad.hdf5") + " " + path("none.hdf5") + " " + path("good.hdf5"));
  EXPECT_EQ(output.exit_code, 2);
  ASSERT_EQ(output.lines.size(), 3u);
  const auto bad = nlohmann::json::parse(output.lines[0]);
  EXPECT_EQ(bad["status"], "bad_input");
  EXPECT_NE(bad["message"].get<std::string>().find("not an HDF5 file"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(output.lines[1])["status"], "bad_input");
  EXPECT_EQ(nlohmann::json::parse(output.lines[2])["status"], "converged");
  EXPECT_EQ(output.complaints.size(), 2u);
}

TEST_F(SolveCommand, ArchiveOfNumPyIsSolvedLikeAnyOther) {
  using namespace testing_support;
  // one contact pressed by 1 m onto a compliance of 2 m/N
  const std::vector<double> W = {2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0};
  const std::string archive = zip({{"W.npy", npy("<f8", "(3, 3)", raw(W))},
                                   {"q.npy", npy("<f8", "(3,)", raw<double>({-1.0, 0.0, 0.0}))},
                                   {"mu.npy", npy("<f8", "(1,)", raw<double>({0.5}))}},
                                  Packing::deflated);
  std::ofstream(path("a.npz"), std::ios::binary) << archive;
  const Output output = run(path("a.npz") + " --json --out " + path("solved.hdf5"));
  EXPECT_EQ(output.exit_code, 0);
  ASSERT_EQ(output.lines.size(), 1U);
  EXPECT_EQ(nlohmann::json::parse(output.lines[0])["contacts"], 1);
  EXPECT_NEAR(read_fclib(path("solved.hdf5")).solution->r[0], 0.5, 1e-8);
}

TEST_F(SolveCommand, BrokenArchiveOfNumPyIsBadInput) {
  write_problem("a.hdf5");
  std::ofstream(path("b.npz")) << "PK";
  const Output output = run(path("") + " --json");
  EXPECT_EQ(output.exit_code, 2);
  ASSERT_EQ(output.lines.size(), 2U);
  EXPECT_EQ(nlohmann::json::parse(output.lines[0])["status"], "converged");
  const auto refused = nlohmann::json::parse(output.lines[1]);
  EXPECT_EQ(refused["name"], "b");
  EXPECT_EQ(refused["status"], "bad_input");
  ASSERT_EQ(output.complaints.size(), 1U);
  EXPECT_NE(output.complaints[0].find("b.npz"), std::string::npos);
  // solutions go to HDF5
  EXPECT_EQ(run(path("a.hdf5") + " --out " + path("c.npz")).exit_code, 2);
}

TEST_F(SolveCommand, MissedToleranceIsExitCodeOne) {
  write_problem("a.hdf5");
  const Output output =
      run("--json --tolerance 1e-15 --max-iterations 1 --solver gauss-seidel " + path("a.hdf5"));
  EXPECT_EQ(output.exit_code, 1);
  const auto line = nlohmann::json::parse(output.lines.at(0));
  EXPECT_EQ(line["status"], "max_iterations");
  EXPECT_EQ(line["iterations"], 1);
}

/// A body between walls whose normals are opposite, W times `compliance`; with `room` it is free.
FclibFile squeezed_body(double compliance, double room) {
  MatX H(6, 3);
  H << MatX::Identity(3, 3), MatX(Vec3(-1, -1, 1).asDiagonal());
  FclibFile content;
  content.problem.W = BlockMatrix::dense(compliance * H * H.transpose());
  content.problem.delta_free = VecX::Zero(6);
  content.problem.delta_free[0] = -1.0;
  content.problem.delta_free[3] = 1.0 + room;
  content.problem.mu = VecX::Constant(2, 0.5);
  return content;
}

TEST_F(SolveCommand, ThatNoForceCanKeepThemApartIsSaidWithExitCodeOne) {
  write_fclib(path("a.hdf5"), squeezed_body(1.0, -0.5));
  write_fclib(path("w0.hdf5"), squeezed_body(0.0, -0.5));
  write_fclib(path("free.hdf5"), squeezed_body(1.0, 0.5));
  for (const std::string solver : {"auto", "gauss-seidel", "block-gauss-seidel"}) {
    for (const char* tolerance : {"1e-2", "1e-4", "1e-6", "1e-8"}) {
      for (const char* file : {"a.hdf5", "w0.hdf5"}) {
        const Output output =
            run("--json --solver " + solver + " --tolerance " + tolerance + " " + path(file));
        EXPECT_EQ(output.exit_code, 1) << solver << " " << tolerance << " " << file;
        const auto line = nlohmann::json::parse(output.lines.at(0));
        EXPECT_EQ(line["status"], "failed");
        EXPECT_TRUE(std::string(line["message"]).starts_with("no force can keep these apart"));
      }
    }
    EXPECT_EQ(run("--solver " + solver + " " + path("free.hdf5")).exit_code, 0);
  }
}

/// A wedge that does not turn, in a groove whose sides, with friction of 0.5, come closer. Upwards
/// it can leave: friction lets it where the tangent of its half angle is above 0.5.
FclibFile wedge_in_groove(double tangent) {
  const double cosine = 1.0 / std::hypot(1.0, tangent);
  const double sine = tangent * cosine;
  MatX J(6, 3);
  J << cosine, 0, sine, 0, 1, 0, -sine, 0, cosine, -cosine, 0, sine, 0, 1, 0, sine, 0, cosine;
  FclibFile content;
  content.problem.W = BlockMatrix::dense(J * J.transpose());
  content.problem.delta_free = VecX::Zero(6);
  content.problem.delta_free[0] = content.problem.delta_free[3] = -1.0;
  content.problem.mu = VecX::Constant(2, 0.5);
  return content;
}

TEST_F(SolveCommand, ThatFrictionJamsIsSaidWithExitCodeOne) {
  write_fclib(path("steep.hdf5"), wedge_in_groove(0.4));
  write_fclib(path("flat.hdf5"), wedge_in_groove(0.6));
  for (const std::string solver : {"auto", "gauss-seidel", "block-gauss-seidel"}) {
    for (const char* tolerance : {"1e-2", "1e-4", "1e-8"}) {
      const std::string options = "--solver " + solver + " --tolerance " + tolerance + " ";
      const Output output = run("--json " + options + path("steep.hdf5"));
      EXPECT_EQ(output.exit_code, 1) << options;
      const auto line = nlohmann::json::parse(output.lines.at(0));
      EXPECT_EQ(line["status"], "failed") << options;
      EXPECT_NE(std::string(line["message"]).find("friction jams these contacts"),
                std::string::npos)
          << options << line["message"];
      EXPECT_EQ(run(options + path("flat.hdf5")).exit_code, 0) << options;
    }
  }
}

TEST_F(SolveCommand, NumbersBeyondReasonAreRefusedWithFieldAndValue) {
  FclibFile content = squeezed_body(1.0, 0.5);
  content.problem.delta_free[1] = 1e170;
  write_fclib(path("a.hdf5"), content);
  const Output output = run(path("a.hdf5"));
  EXPECT_EQ(output.exit_code, 2);
  ASSERT_EQ(output.complaints.size(), 1u);
  EXPECT_NE(output.complaints[0].find("[1] is 1e+170"), std::string::npos) << output.complaints[0];
}

TEST_F(SolveCommand, BothErrorsAreToldWhereTheyDiffer) {
  write_fclib(path("soft.hdf5"), squeezed_body(1.0, 0.5));
  FclibFile stiff;
  const int n = 9;
  stiff.problem.W = BlockMatrix::dense(1e-6 * (MatX::Identity(n, n) + 0.3 * MatX::Ones(n, n)));
  stiff.problem.delta_free = VecX::Constant(n, -1.0);
  stiff.problem.mu = VecX::Constant(3, 0.5);
  write_fclib(path("stiff.hdf5"), stiff);
  const Output soft = run("--json " + path("soft.hdf5"));
  EXPECT_EQ(nlohmann::json::parse(soft.lines.at(0))["message"], "");
  // in newtons beside metres all is well after a sweep, in metres it is not
  const std::string options = " --tolerance 1e-4 --solver block-gauss-seidel ";
  const Output output = run("--json" + options + path("stiff.hdf5"));
  const auto line = nlohmann::json::parse(output.lines.at(0));
  EXPECT_EQ(line["status"], "converged");
  EXPECT_GT(line["error_rescaled"], 1e-3);
  EXPECT_NE(std::string(line["message"]).find("the rescaled one"), std::string::npos);
  const Output text = run(options + path("stiff.hdf5"));
  ASSERT_EQ(text.complaints.size(), 1u);
  EXPECT_NE(text.complaints[0].find("the rescaled one"), std::string::npos);
  EXPECT_TRUE(run("--criterion rescaled" + options + path("stiff.hdf5")).complaints.empty());
}

/// Many contacts that sweeps never bring to nothing.
void write_endless(const std::string& name) {
  FclibFile content;
  const int n = 3 * 60;
  MatX W = MatX::Identity(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) W(i, j) += 1.0 / (1.0 + std::abs(i / 3 - j / 3));
  }
  content.problem.W = BlockMatrix::dense(W);
  content.problem.delta_free = VecX::LinSpaced(n, -1.0, 0.3);
  content.problem.mu = VecX::Constant(60, 0.7);
  write_fclib(name, content);
}

TEST_F(SolveCommand, TheTimeLimitEndsASolveAndItsProgressIsTold) {
  write_endless(path("a.hdf5"));
  const std::string endless =
      "--json --tolerance 0 --max-iterations 2000000000 --solver block-gauss-seidel ";
  const Output soon = run(endless + "--time-limit 0.2 " + path("a.hdf5"));
  EXPECT_EQ(soon.exit_code, 1);
  const auto line = nlohmann::json::parse(soon.lines.at(0));
  EXPECT_EQ(line["status"], "deadline");
  EXPECT_LT(line["seconds"], 1.0);
  EXPECT_NE(std::string(line["message"]).find("--time-limit"), std::string::npos);
  EXPECT_TRUE(soon.complaints.empty());

  const Output later = run(endless + "--time-limit 3.5 " + path("a.hdf5"));
  ASSERT_GE(later.complaints.size(), 1u);
  EXPECT_NE(later.complaints[0].find("a: 2 s, "), std::string::npos) << later.complaints[0];
  EXPECT_NE(later.complaints[0].find(" iterations, error "), std::string::npos);
  EXPECT_EQ(run("--time-limit 0 " + path("a.hdf5")).exit_code, 2);
}

TEST_F(SolveCommand, BadUseIsExitCodeTwo) {
  write_problem("a.hdf5");
  write_problem("b.hdf5");
  const std::string both = path("a.hdf5") + " " + path("b.hdf5");
  for (const std::string& arguments :
       {std::string(), "--solver magic " + both, "--tolerance -1 " + both,
        "--criterion best " + both, "--order random " + both, "--repeat 0 " + both,
        "--deadline-us 0 " + both, "--solver pyramid --sides 5 " + both, "--out x.hdf5 " + both,
        "--out " + path("a.hdf5") + "/x/ " + both}) {
    const Output output = run(arguments);
    EXPECT_EQ(output.exit_code, 2) << arguments;
    EXPECT_FALSE(output.complaints.empty()) << arguments;
  }
}

TEST_F(SolveCommand, SolutionIsWrittenWithTheProblem) {
  write_problem("a.hdf5", 4);
  write_problem("b.hdf5", 2);
  EXPECT_EQ(run("--out " + path("solved.hdf5") + " " + path("a.hdf5")).exit_code, 0);
  const FclibFile content = read_fclib(path("solved.hdf5"));
  EXPECT_EQ(content.title, "a.hdf5");
  ASSERT_TRUE(content.solution);
  EXPECT_LE(natural_map_error(content.problem, content.solution->r).plain, 1e-8);
  VecX u;
  content.problem.W.multiply(content.solution->r, u);
  EXPECT_NEAR((u + content.problem.delta_free - content.solution->u).norm(), 0.0, 1e-15);

  const std::string both = path("a.hdf5") + " " + path("b.hdf5");
  EXPECT_EQ(run("--out " + path("all/") + " " + both).exit_code, 0);
  EXPECT_TRUE(read_fclib(path("all/a.hdf5")).solution);
  EXPECT_TRUE(read_fclib(path("all/b.hdf5")).solution);
}

TEST_F(SolveCommand, ComparisonShowsEverySolverLawByLaw) {
  write_problem("a.hdf5");
  const Output output = run("--json --compare --repeat 2 " + path("a.hdf5"));
  EXPECT_EQ(output.exit_code, 0);
  ASSERT_GE(output.lines.size(), 5u);
  for (const std::string& text : output.lines) {
    const auto line = nlohmann::json::parse(text);
    EXPECT_TRUE(line["laws"].contains("penetration_m"));
    if (line["solver"] == "block-gauss-seidel") {
      EXPECT_LE(line["laws"]["unopposed_slip_m"].get<double>(), 1e-8);
    }
  }
  EXPECT_GE(run("--compare " + path("a.hdf5")).lines.size(), 6u);
}

TEST_F(SolveCommand, OrdersAndTheRuleOfThePaperAreTaken) {
  write_problem("a.hdf5", 6);
  EXPECT_EQ(run("--order reversed " + path("a.hdf5")).exit_code, 0);
  EXPECT_EQ(run("--order shuffled --seed 3 " + path("a.hdf5")).exit_code, 0);
  const Output output = run("--json --solver gauss-seidel --epsilon-2 1e-3 " + path("a.hdf5"));
  EXPECT_EQ(output.exit_code, 0);
  EXPECT_GT(nlohmann::json::parse(output.lines.at(0))["error"].get<double>(), 1e-8);
}

}  // namespace
}  // namespace stickslip
