#include "apps/bench/step_times.hpp"

#include <algorithm>

namespace stickslip::bench {

void StepTimes::add(const StepReport& report, double thread_us) {
  constexpr auto total = static_cast<std::size_t>(Phase::total);
  if (next_ == steps_.size()) {
    steps_.push_back(report);
    totals_us_.emplace_back();
  }
  for (std::size_t p = 0; p < phase_count; ++p) {
    double& least = steps_[next_].phase_us[p];
    least = std::min(least, report.phase_us[p]);
  }
  steps_[next_].phase_us[total] = std::min(steps_[next_].phase_us[total], thread_us);
  totals_us_[next_].push_back(report.phase_us[total]);
  ++next_;
}

Figure StepTimes::figure(const std::function<bool(std::size_t)>& is_wanted,
                         const std::function<double(int)>& limit_us) const {
  Times contacts, loaded, iterations, passes, as_it_came;
  std::array<Times, phase_count> phases;
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    if (!is_wanted(k)) continue;
    contacts.add(steps_[k].contacts);
    loaded.add(steps_[k].loaded_contacts);
    iterations.add(steps_[k].iterations);
    passes.add(steps_[k].passes);
    for (std::size_t p = 0; p < phase_count; ++p) phases[p].add(steps_[k].phase_us[p]);
    for (const double us : totals_us_[k]) as_it_came.add(us);
  }
  Figure figure = figure_of(phases[static_cast<std::size_t>(Phase::total)]);
  if (contacts.count() == 0) {
    figure.remark = "no such step in the run";
    return figure;
  }
  figure.limit = limit_us(static_cast<int>(loaded.quantile(0.5)));
  figure.columns = {{"limit of all found", limit_us(static_cast<int>(contacts.quantile(0.5)))},
                    {"p99 as it came", as_it_came.quantile(0.99)},
                    {"contacts", contacts.quantile(0.5)},
                    {"loaded", loaded.quantile(0.5)},
                    {"iterations", iterations.quantile(0.5)},
                    {"passes", passes.quantile(0.5)}};
  for (std::size_t p = 0; p < static_cast<std::size_t>(Phase::total); ++p) {
    figure.columns.emplace_back(phase_names[p], phases[p].quantile(0.5));
  }
  return figure;
}

}  // namespace stickslip::bench
