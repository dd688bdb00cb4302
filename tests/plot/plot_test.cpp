#include "apps/plot/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace stickslip {
namespace {

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Plot, ShowsEveryPointThatItsAxesCanShow) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Plot plot;
  plot.title = "a < b & c";
  plot.x = {"time [s]", true};
  plot.y = {"error", true};
  // no logarithm of 0, -1 and nan
  plot.series = {{"only", {1.0, 10.0, 100.0, 0.0, 5.0, 7.0}, {1e-3, 1e-5, 1e-8, 1.0, -1.0, nan}}};
  const std::string svg = to_svg(plot);
  EXPECT_EQ(count(svg, "<circle"), 3 + 1);  // and the one of the legend
  EXPECT_EQ(count(svg, "nan"), 0);
  EXPECT_EQ(count(svg, "inf"), 0);
  EXPECT_EQ(count(svg, "a &lt; b &amp; c"), 1);
  EXPECT_EQ(count(svg, "time [s]"), 1);
}

TEST(Plot, WithoutPointsIsStillAPage) {
  Plot plot;
  plot.series = {{"none", {}, {}}};
  for (const bool is_log : {false, true}) {
    plot.y.is_log = is_log;
    EXPECT_EQ(count(to_svg(plot), "nan"), 0);
  }
}

}  // namespace
}  // namespace stickslip
