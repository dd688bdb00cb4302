#include "experiments/finding.hpp"

#include <algorithm>
#include <cassert>

#include "experiments/figures.hpp"
#include "stickslip/mesh/atomic_file.hpp"

namespace stickslip::experiments {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::corrected:
      return "corrected";
    case Verdict::differs:
      break;
  }
  return "differs";
}

double Finding::number(std::string_view name) const {
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const Number& number) { return number.name == name; });
  assert(found != numbers.end());
  return found->value;
}

void save_picture(const Settings& settings, Finding& finding, const std::string& name,
                  const Drawing& drawing) {
  const std::filesystem::path path = settings.out / (name + ".svg");
  write_svg(path, drawing);
  write_png(path);
  finding.pictures.push_back(path.filename().string());
}

void save_table(const Settings& settings, Finding& finding, const std::string& name,
                std::string_view csv) {
  const std::filesystem::path path = settings.out / (name + ".csv");
  write_file_atomically(path, csv);
  finding.tables.push_back(path.filename().string());
}

const std::vector<Experiment>& all_experiments() {
  static const std::vector<Experiment> experiments = {
      {"fig7", "Figure 7: how far pyramids are from the cone", figure_07_gap},
      {"fig8", "Figure 8: time of the cone and of pyramids", figure_08_time},
      {"sec5.4", "Section 5.4: precision for time", section_5_tolerance},
  };
  return experiments;
}

}  // namespace stickslip::experiments
