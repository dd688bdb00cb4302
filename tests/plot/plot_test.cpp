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

TEST(Plot, BarsBandsLevelsAndNamedTicksAreDrawn) {
  Plot plot;
  plot.x = {"phase", false, {1, 2}, 0.5, 2.5, {"first", "second"}};
  plot.y = {"time [ms]", true, {}, 0.01, 10.0};
  plot.series = {{"", {1.0, 2.0}, {0.1, 1.0}, {}, {}, {}, Look::bars}};
  plot.levels = {{5.0, "limit"}};
  plot.bands = {{0.5, 1.5, "begin"}};
  const std::string svg = to_svg(plot);
  for (const char* text : {"first", "second", "limit", "begin"}) EXPECT_EQ(count(svg, text), 1);
  // page, band, frame and the two bars; the second is twice as high: from 0.01 two decades, not one
  EXPECT_EQ(count(svg, "<rect"), 5);
}

TEST(Plot, PointsBeyondTheEndsOfAnAxisAreLeftOut) {
  Plot plot;
  plot.x = {"x", false, {}, 0.0, 1.0};
  plot.series = {{"s", {-1.0, 0.5, 2.0}, {1.0, 1.0, 1.0}}};
  EXPECT_EQ(count(to_svg(plot), "<circle"), 1 + 1);
}

}  // namespace
}  // namespace stickslip
