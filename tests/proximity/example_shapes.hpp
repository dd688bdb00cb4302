#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "places.hpp"
#include "stickslip/math/rotation.hpp"
#include "stickslip/mesh/mesh_file.hpp"
#include "stickslip/proximity/feature_distance.hpp"
#include "stickslip/proximity/proximity.hpp"

namespace stickslip::testing_support {

/// The surfaces of the small shipped models, around their middles.
inline std::vector<std::pair<std::string, Surface>> model_surfaces() {
  std::vector<std::pair<std::string, Surface>> models;
  for (const auto& entry :
       std::filesystem::directory_iterator(STICKSLIP_SOURCE_DIR "/scenes/models")) {
    if (!entry.path().stem().string().ends_with("_500")) continue;
    Surface surface = read_surface(entry.path());
    Vec3 mean = Vec3::Zero();
    for (const Vec3& p : surface.points) mean += p / surface.point_count();
    for (Vec3& p : surface.points) p -= mean;
    models.emplace_back(entry.path().stem().string(), std::move(surface));
  }
  std::sort(models.begin(), models.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return models;
}

/// A block from -size/2 to size/2, its sides in squares of two triangles.
inline Surface block_surface(const Vec3& size, const std::array<int, 3>& cells) {
  TetMesh mesh = make_box(size, cells, ElementType::tet4);
  Vec3 low = mesh.nodes.front();
  Vec3 high = low;
  for (const Vec3& p : mesh.nodes) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  for (Vec3& p : mesh.nodes) p -= 0.5 * (low + high);
  return extract_surface(mesh);
}

/// An open sheet in the plane z = 0, looking up.
inline Surface sheet_surface(double size, int cells) {
  Surface sheet;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      sheet.points.emplace_back(size * i / cells - 0.5 * size, size * j / cells - 0.5 * size, 0.0);
    }
  }
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i;
      const int b = a + cells + 1;
      sheet.triangles.push_back({a, a + 1, b + 1});
      sheet.triangles.push_back({a, b + 1, b});
    }
  }
  return sheet;
}

/// Bent and stretched smoothly, by about the given share of the size.
inline std::vector<Vec3> deformed(const Surface& surface, std::mt19937& random, double share) {
  std::normal_distribution<double> normal;
  double size = 0.0;
  for (const Vec3& p : surface.points) size = std::max(size, p.norm());
  const auto random_vector = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  const Vec3 wave_1 = random_vector() / size;
  const Vec3 wave_2 = random_vector() / size;
  const Vec3 way_1 = share * size * random_vector();
  const Vec3 way_2 = share * size * random_vector();
  std::vector<Vec3> points = surface.points;
  for (Vec3& p : points) {
    const Vec3 rest = p;
    p += std::sin(wave_1.dot(rest)) * way_1 + std::cos(wave_2.dot(rest)) * way_2;
  }
  return points;
}

inline Mat3 random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Quat(normal(random), normal(random), normal(random), normal(random))
      .normalized()
      .toRotationMatrix();
}

inline std::vector<Vec3> world_points(const PlacedSurface& placed) {
  std::vector<Vec3> points;
  for (const Vec3& p : placed.points) points.push_back(placed.position + placed.R * p);
  return points;
}

inline Vec3 world_position(const PlacedSurface& placed, const SurfacePoint& place) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < 3; ++k) sum += place.weight[k] * placed.points[uz(place.corner[k])];
  return placed.position + placed.R * sum;
}

/// The distance between two surfaces that do not cut each other, over all pairs of triangles.
inline double surface_distance(const Surface& a, const std::vector<Vec3>& points_a,
                               const Surface& b, const std::vector<Vec3>& points_b) {
  struct Ball {
    Vec3 centre;
    double radius;
  };
  const auto balls = [](const Surface& surface, const std::vector<Vec3>& points) {
    std::vector<Ball> result;
    for (const auto& t : surface.triangles) {
      const Vec3 centre = (points[uz(t[0])] + points[uz(t[1])] + points[uz(t[2])]) / 3.0;
      double radius = 0.0;
      for (const int p : t) radius = std::max(radius, (points[uz(p)] - centre).norm());
      result.push_back({centre, radius});
    }
    return result;
  };
  const auto balls_a = balls(a, points_a);
  const auto balls_b = balls(b, points_b);
  // bounded by the vertices, so that far triangles can be passed over
  double best = 1e300;
  for (const Vec3& p : points_a) {
    for (const Vec3& q : points_b) best = std::min(best, (p - q).squaredNorm());
  }
  for (std::size_t i = 0; i < a.triangles.size(); ++i) {
    const double root = std::sqrt(best);
    for (std::size_t j = 0; j < b.triangles.size(); ++j) {
      const double reach = balls_a[i].radius + balls_b[j].radius + root;
      if ((balls_a[i].centre - balls_b[j].centre).squaredNorm() > reach * reach) continue;
      std::array<Vec3, 3> p;
      std::array<Vec3, 3> q;
      for (std::size_t k = 0; k < 3; ++k) {
        p[k] = points_a[uz(a.triangles[i][k])];
        q[k] = points_b[uz(b.triangles[j][k])];
      }
      for (std::size_t k = 0; k < 3; ++k) {
        best = std::min(best, closest_on_triangle(p[k], q[0], q[1], q[2]).squared_distance);
        best = std::min(best, closest_on_triangle(q[k], p[0], p[1], p[2]).squared_distance);
        for (std::size_t l = 0; l < 3; ++l) {
          best = std::min(
              best,
              closest_on_segments(p[k], p[(k + 1) % 3], q[l], q[(l + 1) % 3]).squared_distance);
        }
      }
    }
  }
  return std::sqrt(best);
}

}  // namespace stickslip::testing_support
