#include "stickslip/proximity/shape_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "stickslip/mesh/round_mesh.hpp"
#include "stickslip/proximity/mesh_proximity.hpp"
#include "tests/proximity/example_shapes.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

using namespace testing_support;

constexpr double alarm_distance = 5e-3;
constexpr ExactShape sphere{0.02, 0.0, true};
constexpr ExactShape capsule{0.01, 0.03, true};
constexpr ExactShape cylinder{0.015, 0.02, false};
constexpr ExactShape coin{0.02, 0.002, false};
constexpr std::array<ExactShape, 4> shapes = {sphere, capsule, cylinder, coin};

/// A shape or a box, as a body.
struct Solid {
  explicit Solid(const ExactShape& exact)
      : shape(exact),
        surface(extract_surface(make_round_mesh(exact, 24, ElementType::tet4, 6.0))) {}
  explicit Solid(const Vec3& box, int cells)
      : half(0.5 * box),
        surface(extract_surface(make_box(box, {cells, cells, cells}, ElementType::tet4))) {
    for (Vec3& point : surface.points) point -= half;
  }

  /// The place of it nearest to p, or p itself.
  Vec3 project(const PlacedSurface& at, const Vec3& p) const {
    const Vec3 local = at.R.transpose() * (p - at.position);
    if (!shape) return at.position + at.R * local.cwiseMax(-half).cwiseMin(half);
    const auto nearest = shape->nearest(local);
    return nearest.distance <= 0.0 ? p : Vec3(at.position + at.R * nearest.point);
  }

  std::optional<ExactShape> shape;
  Vec3 half = Vec3::Zero();
  Surface surface;
};

class ShapePair {
 public:
  ShapePair(const Solid& one, const Solid& two) : one_(one), two_(two) {
    const std::array<ProximityBody, 2> bodies = {
        ProximityBody{.surface = &one_.surface, .exact = one_.shape ? &*one_.shape : nullptr},
        ProximityBody{.surface = &two_.surface, .exact = two_.shape ? &*two_.shape : nullptr}};
    method_.emplace(bodies);
    placed.resize(2);
    placed[0].points = one_.surface.points;
    placed[1].points = two_.surface.points;
    placed[0].has_new_shape = placed[1].has_new_shape = false;
  }

  const std::vector<Proximity>& find() {
    method_->find(placed, alarm_distance, found);
    return found;
  }

  /// By alternating projections, which know nothing of features.
  double distance() const {
    Vec3 p = placed[0].position;
    Vec3 q = placed[1].position;
    constexpr int rounds = 20'000;
    for (int k = 0; k < rounds; ++k) {
      const Vec3 before = p;
      q = two_.project(placed[1], p);
      p = one_.project(placed[0], q);
      if ((p - before).norm() < 1e-15) break;
    }
    return (p - q).norm();
  }

  Vec3 at(int body, const SurfacePoint& point) const {
    const Surface& surface = body == 0 ? one_.surface : two_.surface;
    Vec3 local = Vec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      local += point.weight[k] * surface.points[uz(point.corner[k])];
    }
    return placed[uz(body)].position + placed[uz(body)].R * local;
  }

  /// How far a point is from a body.
  double off(int body, const Vec3& p) const {
    return ((body == 0 ? one_ : two_).project(placed[uz(body)], p) - p).norm();
  }

  std::vector<PlacedSurface> placed;
  std::vector<Proximity> found;

 private:
  Solid one_, two_;
  std::optional<MeshProximity> method_;
};

/// Whether contacts are what they say: points on both bodies, apart by the gap along the normal.
void expect_sound(const ShapePair& pair) {
  for (const Proximity& where : pair.found) {
    const Vec3 QP = pair.at(0, where.P) - pair.at(1, where.Q);
    EXPECT_NEAR(where.normal.norm(), 1.0, 1e-12);
    EXPECT_LT((QP - where.gap * where.normal).norm(), 1e-12);
    EXPECT_LT(pair.off(0, pair.at(0, where.P)), 1e-12);
    EXPECT_LT(pair.off(1, pair.at(1, where.Q)), 1e-12);
  }
}

TEST(ShapeContacts, ShapeOverAFloorHasItsOwnGapAndNormalHoweverItIsTurned) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> height(-1e-3, 4e-3);
  for (const ExactShape& shape : shapes) {
    ShapePair pair(Solid(shape), Solid(Vec3(1.0, 1.0, 0.1), 7));
    pair.placed[1].position.z() = -0.05;
    for (int k = 0; k < 300; ++k) {
      const Mat3 R = random_rotation(random);
      // how far it reaches down: along the axis and across it
      const double along = std::abs(R(2, 2));
      const double across = std::sqrt(1.0 - along * along);
      const double reach = shape.has_round_ends ? shape.radius + shape.half_length * along
                                                : shape.radius * across + shape.half_length * along;
      const double gap = height(random);
      pair.placed[0].R = R;
      pair.placed[0].position = Vec3(0.01, 0.02, reach + gap);
      pair.find();
      ASSERT_FALSE(pair.found.empty());
      const auto nearest =
          std::min_element(pair.found.begin(), pair.found.end(),
                           [](const Proximity& a, const Proximity& b) { return a.gap < b.gap; });
      EXPECT_NEAR(nearest->gap, gap, 1e-12);
      expect_sound(pair);
      for (const Proximity& where : pair.found) {
        EXPECT_LT((where.normal - Vec3::UnitZ()).norm(), 1e-12);
      }
      if (shape.half_length == 0.0) {
        EXPECT_EQ(pair.found.size(), 1U);
        EXPECT_LT((pair.at(0, nearest->P) - Vec3(0.01, 0.02, gap)).norm(), 1e-12);
      }
    }
  }
}

TEST(ShapeContacts, WhatLiesTouchesAtBothEndsAndWhatStandsAllAround) {
  const Mat3 lying = Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitY()).toRotationMatrix();
  const auto touch = [&](const ExactShape& shape, const Mat3& R, double height) {
    ShapePair pair(Solid(shape), Solid(Vec3(1.0, 1.0, 0.1), 1));
    pair.placed[1].position.z() = -0.05;
    pair.placed[0].R = R;
    pair.placed[0].position.z() = height;
    pair.find();
    expect_sound(pair);
    Eigen::AlignedBox3d box;
    for (const Proximity& where : pair.found) {
      EXPECT_NEAR(where.gap, 0.0, 1e-14);
      box.extend(pair.at(0, where.P));
    }
    return std::pair(pair.found.size(), Vec3(box.sizes()));
  };
  const auto [capsule_count, capsule_span] = touch(capsule, lying, capsule.radius);
  EXPECT_EQ(capsule_count, 2U);
  EXPECT_NEAR(capsule_span.x(), 2.0 * capsule.half_length, 1e-12);
  const auto [cylinder_count, cylinder_span] = touch(cylinder, lying, cylinder.radius);
  EXPECT_EQ(cylinder_count, 2U);
  EXPECT_NEAR(cylinder_span.x(), 2.0 * cylinder.half_length, 1e-12);
  const auto [ring_count, ring_span] = touch(cylinder, Mat3::Identity(), cylinder.half_length);
  EXPECT_EQ(ring_count, 8U);
  EXPECT_NEAR(ring_span.x(), 2.0 * cylinder.radius, 1e-12);
  EXPECT_NEAR(ring_span.y(), 2.0 * cylinder.radius, 1e-12);
}

TEST(ShapeContacts, SmallestGapIsTheDistanceOfTheSolids) {
  std::mt19937 random(2);
  std::vector<Solid> solids(shapes.begin(), shapes.end());
  solids.emplace_back(Vec3(0.04, 0.05, 0.06), 1);
  solids.emplace_back(Vec3(0.04, 0.05, 0.06), 3);
  for (std::size_t i = 0; i < solids.size(); ++i) {
    for (std::size_t j = 0; j < solids.size(); ++j) {
      if (!solids[i].shape && !solids[j].shape) continue;
      ShapePair pair(solids[i], solids[j]);
      for (int k = 0; k < 60; ++k) {
        pair.placed[0].R = random_rotation(random);
        pair.placed[1].R = random_rotation(random);
        pair.placed[1].position = Vec3(0.3, -0.2, 0.1);
        const Vec3 direction = random_rotation(random).col(0);
        pair.placed[0].position =
            pair.placed[1].position + 0.2 * direction + 0.01 * random_rotation(random).col(0);
        // nearer along the way until they are within the alarm distance
        double apart = pair.distance();
        for (int step = 0; step < 50 && apart > 2e-3; ++step) {
          pair.placed[0].position -= (apart - 1e-3) * direction;
          apart = pair.distance();
        }
        if (apart < 1e-6 || apart > 4e-3) continue;
        pair.find();
        expect_sound(pair);
        double least = 1.0;
        for (const Proximity& where : pair.found) least = std::min(least, where.gap);
        // points of both that are so near show that it is no less; the projections, that no more
        EXPECT_LE(least, apart + 1e-12) << i << ' ' << j << " try " << k;
      }
    }
  }
}

TEST(ShapeContacts, AllocateNothingOnceTheyHaveGrown) {
  ShapePair pair{Solid(cylinder), Solid(capsule)};
  ShapePair on_box(Solid(cylinder), Solid(Vec3(0.04, 0.05, 0.06), 3));
  pair.placed[0].position.x() = cylinder.radius + capsule.radius;
  on_box.placed[0].position.z() = 0.03 + cylinder.half_length;
  pair.find();
  on_box.find();
  const std::size_t before = allocation_count();
  for (int k = 0; k < 10; ++k) {
    EXPECT_FALSE(pair.find().empty());
    EXPECT_FALSE(on_box.find().empty());
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace stickslip
