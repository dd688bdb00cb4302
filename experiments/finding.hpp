#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/plot/drawing.hpp"

namespace stickslip::experiments {

/// How an experiment is run, and where it leaves what it made.
struct Settings {
  std::filesystem::path out;         ///< folder, there already
  std::filesystem::path scenes;      ///< folder of the scenes and their models
  std::filesystem::path fine_table;  ///< a finer mesh of the table, for more contacts; may be empty
  bool is_quick = false;             ///< a small version of everything
  std::function<void(double share)> progress = {};

  void show(double share) const {
    if (progress) progress(share);
  }
};

enum class Verdict {
  agrees,
  corrected,  ///< the paper's words hold under conditions that it does not tell
  differs,
};
std::string_view to_string(Verdict verdict);

/// A measured number, for readers and for tests.
struct Number {
  std::string name;
  double value = 0.0;
  std::string unit = {};
};

/// What became of one figure of the paper.
struct Finding {
  std::string paper;  ///< what it shows and says, with its section
  std::string ours;   ///< what we get
  Verdict verdict = Verdict::agrees;
  std::string why;
  std::vector<Number> numbers = {};
  std::vector<std::string> pictures = {};  ///< files in the folder, .svg
  std::vector<std::string> tables = {};    ///< .csv

  void add(std::string name, double value, std::string unit = {}) {
    numbers.push_back({std::move(name), value, std::move(unit)});
  }
  /// The number of that name, which is there.
  double number(std::string_view name) const;
};

/// Writes NAME.svg, and NAME.png where that is possible, and notes it in the finding. Throws
/// InputError where the folder cannot be written; so does the next.
void save_picture(const Settings& settings, Finding& finding, const std::string& name,
                  const Drawing& drawing);
/// Writes NAME.csv.
void save_table(const Settings& settings, Finding& finding, const std::string& name,
                std::string_view csv);

/// An experiment of the paper.
struct Experiment {
  std::string_view name;   ///< as on the command line
  std::string_view title;  ///< of its part of the page
  Finding (*run)(const Settings& settings);
};
const std::vector<Experiment>& all_experiments();

/// One that was run.
struct Result {
  const Experiment* experiment = nullptr;
  Finding finding;
  double seconds = 0.0;
};

/// index.html: for each figure what the paper says, what we get, and the verdict; pictures are in
/// the page itself. Throws InputError.
void write_page(const Settings& settings, const std::vector<Result>& results);

}  // namespace stickslip::experiments
