#include <fmt/core.h>

#include <cmath>
#include <cstring>

#include "stickslip/mesh/coincident_points.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

namespace {

constexpr std::size_t header_size = 84;
constexpr std::size_t triangle_size = 50;

/// Three points per triangle, shared ones repeated.
using Corners = std::vector<Vec3>;

Vec3 read_corner(FileCursor& file) {
  const double x = file.short_real("a coordinate");
  const double y = file.short_real("a coordinate");
  const double z = file.short_real("a coordinate");
  return {x, y, z};
}

Corners read_binary(FileCursor& file, std::uint32_t triangles) {
  Corners corners;
  corners.reserve(std::size_t{3} * triangles);
  file.set_binary(false);
  for (std::size_t t = 0; t < triangles; ++t) {
    constexpr std::size_t normal_size = 12;
    file.jump_to(header_size + t * triangle_size + normal_size);
    for (int c = 0; c < 3; ++c) corners.push_back(read_corner(file));
  }
  return corners;
}

void expect(FileCursor& file, std::string_view expected) {
  const std::string_view word = file.next_word();
  if (word.empty()) file.fail_truncated(fmt::format("'{}'", expected));
  if (word != expected) {
    file.fail(fmt::format("expected '{}', found '{}'", expected, printable(word)),
              "export the surface again");
  }
}

Corners read_ascii(FileCursor& file) {
  Corners corners;
  std::string_view name;
  file.next_line(name);
  bool closed = false;
  for (std::string_view word = file.next_word(); !word.empty(); word = file.next_word()) {
    // several solids may follow each other
    if (word == "endsolid" || word == "solid") {
      closed = word == "endsolid";
      file.next_line(name);
      continue;
    }
    if (word != "facet") {
      file.fail(fmt::format("expected 'facet', found '{}'", printable(word)),
                "export the surface again");
    }
    expect(file, "normal");
    for (int k = 0; k < 3; ++k) file.real("a normal");
    expect(file, "outer");
    expect(file, "loop");
    for (int c = 0; c < 3; ++c) {
      expect(file, "vertex");
      const double x = file.real("a coordinate");
      const double y = file.real("a coordinate");
      const double z = file.real("a coordinate");
      corners.emplace_back(x, y, z);
    }
    expect(file, "endloop");
    expect(file, "endfacet");
  }
  if (!closed) file.fail_truncated("'endsolid'");
  return corners;
}

/// Makes one point of the corners that differ by no more than the rounding of 32-bit numbers.
/// Triangles that shrink to an edge or a point disappear.
Surface weld(const Corners& corners) {
  double largest = 0.0;
  for (const Vec3& p : corners) {
    if (p.allFinite()) largest = std::max(largest, p.cwiseAbs().maxCoeff());
  }
  constexpr double rounding = 2.4e-7;  // four units in the last place
  const std::vector<int> first = first_coincident(corners, rounding * largest);
  Surface surface;
  std::vector<int> point_of(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (first[i] == static_cast<int>(i)) {
      point_of[i] = surface.point_count();
      surface.points.push_back(corners[i]);
    } else {
      point_of[i] = point_of[uz(first[i])];
    }
  }
  for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
    const int a = point_of[i];
    const int b = point_of[i + 1];
    const int c = point_of[i + 2];
    if (a != b && b != c && c != a) surface.triangles.push_back({a, b, c});
  }
  return surface;
}

}  // namespace

Surface read_stl(const std::filesystem::path& path) {
  FileCursor file(path, "a surface (.stl)");
  const std::string_view contents = file.contents();

  // the size tells a binary file, for some of those begin with "solid" too
  std::uint32_t promised = 0;
  if (contents.size() >= header_size) {
    std::memcpy(&promised, contents.data() + header_size - sizeof promised, sizeof promised);
  }
  const std::uint64_t binary_size = header_size + std::uint64_t{promised} * triangle_size;
  Corners corners;
  if (contents.size() >= header_size && contents.size() == binary_size) {
    corners = read_binary(file, promised);
  } else if (file.next_word() == "solid") {
    corners = read_ascii(file);
  } else if (contents.size() < header_size) {
    file.jump_to(0);
    file.fail(fmt::format("expected 'solid', found '{}'", printable(contents)),
              "give an .stl file, or copy it again if it is cut off");
  } else {
    file.set_binary(false);
    file.fail(fmt::format("neither ASCII ('solid ...') nor binary .stl: the header promises {} "
                          "triangles in {} bytes, the file has {}",
                          promised, binary_size, contents.size()),
              "give an .stl file, or copy it again if it is cut off");
  }
  Surface surface = weld(corners);
  if (surface.triangles.empty()) {
    file.set_binary(false);
    file.fail("holds no triangles", "export the surface again");
  }
  return surface;
}

std::string stl_text(const Surface& surface, bool binary) {
  std::string text;
  const auto append = [&](const void* data, std::size_t size) {
    text.append(static_cast<const char*>(data), size);
  };
  if (binary) {
    constexpr std::string_view title = "binary STL, metres";
    text.assign(title);
    text.resize(header_size - sizeof(std::uint32_t), ' ');
    const auto count = static_cast<std::uint32_t>(surface.triangle_count());
    append(&count, sizeof count);
  } else {
    text = "solid surface\n";
  }
  for (const auto& triangle : surface.triangles) {
    const auto corner = [&](std::size_t c) -> const Vec3& {
      return surface.points[uz(triangle[c])];
    };
    const Vec3 n = (corner(1) - corner(0)).cross(corner(2) - corner(0)).stableNormalized();
    if (binary) {
      for (const Vec3& v : {n, corner(0), corner(1), corner(2)}) {
        const Eigen::Vector3f rounded = v.cast<float>();
        append(rounded.data(), 3 * sizeof(float));
      }
      text.append(2, '\0');
      continue;
    }
    text += fmt::format("facet normal {} {} {}\nouter loop\n", n.x(), n.y(), n.z());
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3& p = corner(c);
      text += fmt::format("vertex {} {} {}\n", p.x(), p.y(), p.z());
    }
    text += "endloop\nendfacet\n";
  }
  if (!binary) text += "endsolid surface\n";
  return text;
}

}  // namespace stickslip
