#include "stickslip/math/capacity_vec.hpp"

#include <gtest/gtest.h>

namespace stickslip {
namespace {

TEST(CapacityVec, KeepsItsRoomWhenItShrinks) {
  CapacityVec v;
  v.reserve(12);
  v.setZero(12);
  const double* room = v.data();
  for (const int size : {3, 0, 12, 7}) {
    v.setZero(size);
    EXPECT_EQ(v.size(), size);
    EXPECT_EQ(v.data(), room);
  }
  v.resize(13);
  EXPECT_EQ(v.size(), 13);
}

TEST(CapacityVec, ReservingKeepsTheEntries) {
  CapacityVec v = VecX::LinSpaced(5, 1.0, 5.0);
  v.reserve(1000);
  EXPECT_EQ(v, VecX::LinSpaced(5, 1.0, 5.0));
}

TEST(CapacityVec, IsCopiedMovedAndExchangedWithItsSize) {
  CapacityVec one = VecX::Ones(4);
  CapacityVec copy = one;
  copy[0] = 2.0;
  EXPECT_EQ(one[0], 1.0);
  one.resize(2);
  CapacityVec longer = VecX::Constant(6, 3.0);
  one.swap(longer);
  EXPECT_EQ(one, VecX::Constant(6, 3.0));
  EXPECT_EQ(longer, VecX::Ones(2));
  const CapacityVec moved = std::move(one);
  EXPECT_EQ(moved, VecX::Constant(6, 3.0));
  copy = longer;
  EXPECT_EQ(copy, VecX::Ones(2));
  copy = copy * 2.0 + VecX::Ones(2);
  EXPECT_EQ(copy, VecX::Constant(2, 3.0));
}

TEST(CapacityVec, IsSeenThroughViewsWithoutACopy) {
  CapacityVec v = VecX::Zero(6);
  const auto fill = [](VecView view) { view.setOnes(); };
  fill(v);
  EXPECT_EQ(v.sum(), 6.0);
  const auto address = [](const ConstVecView& view) { return view.data(); };
  EXPECT_EQ(address(v), v.data());
}

}  // namespace
}  // namespace stickslip
