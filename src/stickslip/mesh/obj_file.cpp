#include <fmt/core.h>

#include <charconv>
#include <limits>

#include "stickslip/error.hpp"
#include "stickslip/mesh/file_cursor.hpp"
#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {

namespace {

/// Cuts the next word off the front of a line.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// The point that a corner such as "7/2/3" or "-1//3" names, counted from zero. It may lie
/// behind the last point, never before the first.
int corner_index(std::string_view corner, const Surface& surface, const std::string& place) {
  std::int64_t number = 0;
  if (!parse_integer(corner.substr(0, corner.find('/')), number)) {
    throw InputError(fmt::format("{}: corner '{}' is not a point number; export the file again",
                                 place, printable(corner)));
  }
  const std::int64_t index = number > 0 ? number - 1 : surface.point_count() + number;
  if (number == 0 || index < 0 || index >= std::numeric_limits<int>::max()) {
    throw InputError(
        fmt::format("{}: corner '{}' names no point, {} precede it; numbers start "
                    "at 1, or at -1 for the last point",
                    place, printable(corner), surface.point_count()));
  }
  return static_cast<int>(index);
}

}  // namespace

Surface read_obj(const std::filesystem::path& path) {
  FileCursor file(path, "a surface (.obj)");
  Surface surface;
  std::string_view line;
  std::string joined;
  bool recognised = false;
  for (int number = 1; file.next_line(line); ++number) {
    const std::string place = fmt::format("{}:{}", path.string(), number);
    // a backslash continues the line
    if (line.ends_with('\\')) {
      joined.clear();
      while (line.ends_with('\\')) {
        joined.append(line.substr(0, line.size() - 1)).push_back(' ');
        line = {};
        if (file.next_line(line)) ++number;
      }
      joined.append(line);
      line = joined;
    }
    line = line.substr(0, line.find('#'));
    const std::string_view keyword = take_word(line);
    if (keyword == "v") {
      Vec3 point;
      for (int k = 0; k < 3; ++k) {
        const std::string_view word = take_word(line);
        if (!parse_real(word, point[k])) {
          throw InputError(fmt::format("{}: coordinate '{}' is not a number; export the file again",
                                       place, printable(word)));
        }
      }
      surface.points.push_back(point);
      recognised = true;
    } else if (keyword == "f") {
      // polygons are cut into a fan
      std::vector<int> corners;
      for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
        corners.push_back(corner_index(word, surface, place));
      }
      if (corners.size() < 3) {
        throw InputError(
            fmt::format("{}: a face of {} corners; a face has at least 3", place, corners.size()));
      }
      for (std::size_t k = 2; k < corners.size(); ++k) {
        surface.triangles.push_back({corners[0], corners[k - 1], corners[k]});
      }
      recognised = true;
    } else if (!recognised &&
               keyword.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string_view::npos) {
      throw InputError(fmt::format("{}: '{}' is no statement of an .obj file; give an .obj file",
                                   place, printable(keyword)));
    }
  }
  if (surface.triangles.empty()) {
    throw InputError(
        fmt::format("{}: holds no faces ({} points); export the surface again, or "
                    "copy the file again if it is cut off",
                    path.string(), surface.point_count()));
  }
  return surface;
}

std::string obj_text(const Surface& surface) {
  std::string text;
  for (const Vec3& p : surface.points) text += fmt::format("v {} {} {}\n", p.x(), p.y(), p.z());
  for (const auto& [a, b, c] : surface.triangles) {
    text += fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
  }
  return text;
}

}  // namespace stickslip
