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
      {"sec2", "Sections 2.3 to 2.5: other ways of contact", section_2_methods},
      {"fig3", "Figure 3: contacts of two triangles", figure_03_triangles},
      {"fig4", "Figure 4: Coulomb's law, traced", figure_04_friction_law},
      {"fig5", "Figure 5: the pyramid beside the cone", figure_05_pyramid},
      {"fig6", "Figure 6: the same table, other friction", figure_06_legs},
      {"fig7", "Figure 7: how far pyramids are from the cone", figure_07_gap},
      {"fig8", "Figure 8: time of the cone and of pyramids", figure_08_time},
      {"fig9", "Figure 9: the Delassus operator of the table", figure_09_delassus},
      {"fig10", "Figure 10: the table with reinforcements", figure_10_reinforcements},
      {"fig11", "Figure 11: its Delassus operator", figure_11_delassus_reinforced},
      {"sec5.4", "Section 5.4: precision for time", section_5_tolerance},
      {"sec6.1", "Section 6.1: stiffness at a fixed step, by Eq. 27 alone", section_6_time_step},
      {"sec6.2", "Section 6.2: the same by the corotational model", section_6_corotational},
      {"fig12", "Figure 12: two motions of a deformable body", figure_12_two_motions},
      {"fig13", "Figure 13: a rigid and a quasi-rigid block", figure_13_block},
      {"fig14", "Figure 14: the snap-in on a rigid pipe", figure_14_snap_in},
      {"fig15", "Figure 15: the snap-in with two hands", figure_15_two_hands},
      {"fig16", "Figure 16: the snap-in on deformable pipes", figure_16_deformable_pipes},
      {"fig17", "Figure 17: time of thirty contacts without friction", figure_17_frictionless},
      {"fig18", "Figure 18: time of twenty contacts with friction", figure_18_friction},
  };
  return experiments;
}

}  // namespace stickslip::experiments
