#include "apps/plot/solids.hpp"

#include <gtest/gtest.h>

#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

TEST(View, FitsPointsIntoTheirPartOfThePage) {
  View view({0.3, -1.0, 0.5}, Vec3::UnitZ());
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.emplace_back(k & 1 ? 0.2 : 0.0, k & 2 ? 0.1 : 0.0, k & 4 ? 0.05 : 0.0);
  }
  const Area area{10.0, 20.0, 300.0, 200.0};
  view.fit(corners, area);
  Eigen::AlignedBox2d box;
  for (const Vec3& corner : corners) box.extend(view.place(corner));
  EXPECT_NEAR((box.center() - area.centre()).norm(), 0.0, 1e-9);
  EXPECT_NEAR(std::max(box.sizes().x() / area.width, box.sizes().y() / area.height), 1.0, 1e-9);
  // up is up
  EXPECT_LT(view.place({0.0, 0.0, 1.0}).y(), view.place({0.0, 0.0, 0.0}).y());
  EXPECT_NEAR(view.place({0.0, 0.0, 1.0}).x(), view.place({0.0, 0.0, 0.0}).x(), 1e-9);
}

TEST(Solids, WhatFacesAwayIsNotDrawnUnlessItIsSeenThrough) {
  Solid triangle{{{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, {{0, 1, 2}}};
  const auto shapes = [&](const Vec3& toward_eye) {
    Drawing drawing(100.0, 100.0);
    View view(toward_eye, Vec3::UnitY());
    view.fit(triangle.points, {0.0, 0.0, 100.0, 100.0});
    draw_solids(drawing, view, std::array{triangle});
    const std::string svg = drawing.to_svg();
    return svg.find("<path") != svg.npos;
  };
  EXPECT_TRUE(shapes(Vec3::UnitZ()));
  EXPECT_FALSE(shapes(-Vec3::UnitZ()));
  triangle.opacity = 0.5;
  EXPECT_TRUE(shapes(-Vec3::UnitZ()));
}

TEST(Solids, ConeHasTheSlopeOfItsFriction) {
  const Vec3 apex(1.0, 2.0, 3.0);
  const Solid cone = cone_solid(apex, Vec3(0.0, 0.0, 2.0), 0.4, 0.5, 8);
  ASSERT_EQ(cone.points.size(), 9U);
  for (std::size_t i = 1; i < cone.points.size(); ++i) {
    const Vec3 arm = cone.points[i] - apex;
    EXPECT_NEAR(arm.head<2>().norm(), 0.4 * arm.z(), 1e-12);
  }
}

TEST(Drawing, BecomesAPngOfTwiceItsSizeWhereTheConverterIsInstalled) {
  const TestFolder folder;
  write_svg(folder / "page.svg", Drawing(30.0, 20.0));
  if (!write_png(folder / "page.svg")) GTEST_SKIP() << "rsvg-convert is not installed";
  const std::string png = folder.read("page.png");
  ASSERT_GT(png.size(), 24U);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(static_cast<unsigned char>(png[19]), 60);  // width, then height, big-endian
  EXPECT_EQ(static_cast<unsigned char>(png[23]), 40);
  EXPECT_FALSE(write_png(folder / "none.svg"));
}

}  // namespace
}  // namespace stickslip
