#include "apps/cli/mesh_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace stickslip::cli {

namespace {

using Json = nlohmann::ordered_json;

/// One line; names that are not UTF-8 are shown with replacement characters.
std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void measure_box(const std::vector<Vec3>& points, MeshSummary& summary) {
  summary.low_m = Vec3::Constant(std::numeric_limits<double>::infinity());
  summary.high_m = -summary.low_m;
  for (const Vec3& p : points) {
    summary.low_m = summary.low_m.cwiseMin(p);
    summary.high_m = summary.high_m.cwiseMax(p);
  }
}

void count_quality(const std::vector<double>& qualities, MeshSummary& summary) {
  double sum = 0.0;
  for (const double quality : qualities) {
    sum += quality;
    const int tenth = std::clamp(static_cast<int>(std::floor(quality * 10.0)), -1, 9);
    ++summary.quality_histogram[uz(tenth + 1)];
  }
  summary.quality_min = *std::min_element(qualities.begin(), qualities.end());
  summary.quality_mean = sum / static_cast<double>(qualities.size());
}

std::string histogram_text(const std::array<int, 11>& histogram) {
  constexpr int widest = 40;
  const int most = std::max(1, *std::max_element(histogram.begin(), histogram.end()));
  std::string text;
  for (std::size_t i = 0; i < histogram.size(); ++i) {
    // the row of inverted elements shows only when there are any
    if (i == 0 && histogram[0] == 0) continue;
    const std::string label = i == 0
                                  ? std::string("below 0")
                                  : fmt::format("{:.1f}-{:.1f}", 0.1 * static_cast<double>(i - 1),
                                                0.1 * static_cast<double>(i));
    // even one element shows
    const int length = static_cast<int>(
        std::ceil(static_cast<double>(widest) * histogram[i] / static_cast<double>(most)));
    text += fmt::format("  {:>7} |{:<{}} {}\n", label, std::string(uz(length), '#'), widest,
                        histogram[i]);
  }
  return text;
}

const char* kind_name(int dimension) {
  constexpr std::array<const char*, 4> names = {"node set", "curve", "surface", "volume"};
  return names[uz(dimension)];
}

std::size_t region_cells(const Region& region) {
  if (region.dimension == 3) return region.elements.size();
  if (region.nodes_per_cell == 0) return region.nodes.size();
  return region.cells.size() / uz(region.nodes_per_cell);
}

}  // namespace

MeshSummary summarize(const std::filesystem::path& path, const TetMesh& mesh) {
  MeshSummary summary;
  summary.file = path.string();
  summary.nodes = mesh.node_count();
  summary.elements = mesh.element_count();
  summary.element_type = mesh.type == ElementType::tet4 ? "tet4" : "tet10";
  summary.volume_m3 = volume(mesh);
  measure_box(mesh.nodes, summary);
  summary.regions = mesh.regions;
  for (const Region& region : mesh.regions) {
    std::array<Vec3, 2> box = {Vec3::Zero(), Vec3::Zero()};
    if (!region.nodes.empty()) box.fill(mesh.nodes[uz(region.nodes.front())]);
    for (const int node : region.nodes) {
      box[0] = box[0].cwiseMin(mesh.nodes[uz(node)]);
      box[1] = box[1].cwiseMax(mesh.nodes[uz(node)]);
    }
    summary.region_boxes.push_back(box);
  }
  std::vector<double> qualities;
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto nodes = mesh.element(e);
    const auto at = [&](std::size_t c) -> const Vec3& { return mesh.nodes[uz(nodes[c])]; };
    qualities.push_back(tet_quality(at(0), at(1), at(2), at(3)));
  }
  count_quality(qualities, summary);
  return summary;
}

MeshSummary summarize(const std::filesystem::path& path, const Surface& surface) {
  MeshSummary summary;
  summary.file = path.string();
  summary.nodes = surface.point_count();
  summary.elements = surface.triangle_count();
  summary.element_type = "triangle";
  summary.area_m2 = area(surface);
  const std::vector<Finding> findings = check_surface(surface);
  const bool closed = std::none_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.code == "open_surface" || f.code == "contradicting_normals";
  });
  if (closed) summary.volume_m3 = enclosed_volume(surface);
  measure_box(surface.points, summary);
  std::vector<double> qualities;
  for (const auto& [a, b, c] : surface.triangles) {
    qualities.push_back(
        triangle_quality(surface.points[uz(a)], surface.points[uz(b)], surface.points[uz(c)]));
  }
  count_quality(qualities, summary);
  return summary;
}

std::string summary_text(const MeshSummary& summary) {
  std::string text = fmt::format("{}\n", summary.file);
  const auto row = [&](std::string_view name, const std::string& value) {
    text += fmt::format("  {:<13} {}\n", name, value);
  };
  const bool surface = summary.element_type == "triangle";
  row(surface ? "points" : "nodes", fmt::format("{}", summary.nodes));
  row("elements", fmt::format("{} {}", summary.elements, summary.element_type));
  if (summary.area_m2) row("area", fmt::format("{:.6g} m^2", *summary.area_m2));
  row("volume", summary.volume_m3 ? fmt::format("{:.6g} m^3", *summary.volume_m3)
                                  : std::string("none, the surface has holes"));
  if (summary.density_kg_m3 && summary.volume_m3) {
    row("mass", fmt::format("{:.6g} kg at {:g} kg/m^3", *summary.density_kg_m3 * *summary.volume_m3,
                            *summary.density_kg_m3));
  }
  const Vec3& low = summary.low_m;
  const Vec3& high = summary.high_m;
  const Vec3 size = high - low;
  row("bounding box", fmt::format("({:.6g}, {:.6g}, {:.6g}) to ({:.6g}, {:.6g}, {:.6g}) m", low.x(),
                                  low.y(), low.z(), high.x(), high.y(), high.z()));
  row("size", fmt::format("{:.6g} x {:.6g} x {:.6g} m", size.x(), size.y(), size.z()));
  row("quality", fmt::format("min {:.3f}, mean {:.3f}", summary.quality_min, summary.quality_mean));
  text += histogram_text(summary.quality_histogram);
  if (summary.regions.empty()) return text;
  text += "  regions\n";
  std::size_t widest = 0;
  for (const Region& region : summary.regions) widest = std::max(widest, region.name.size());
  for (std::size_t r = 0; r < summary.regions.size(); ++r) {
    const Region& region = summary.regions[r];
    const auto& [low_corner, high_corner] = summary.region_boxes[r];
    text += fmt::format("    {:<{}}  {:<8}  {:>7} nodes", region.name, widest,
                        kind_name(region.dimension), region.nodes.size());
    text += region.dimension == 0 ? std::string(18, ' ')
                                  : fmt::format("  {:>7} elements", region_cells(region));
    text += fmt::format("  ({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g}) m\n",
                        low_corner.x(), low_corner.y(), low_corner.z(), high_corner.x(),
                        high_corner.y(), high_corner.z());
  }
  return text;
}

std::string summary_json(const MeshSummary& summary) {
  const auto list = [](const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); };
  Json json = {{"file", summary.file},
               {"nodes", summary.nodes},
               {"elements", summary.elements},
               {"element_type", summary.element_type},
               {"volume_m3", nullptr}};
  if (summary.volume_m3) json["volume_m3"] = *summary.volume_m3;
  if (summary.area_m2) json["area_m2"] = *summary.area_m2;
  if (summary.density_kg_m3 && summary.volume_m3) {
    json["density_kg_m3"] = *summary.density_kg_m3;
    json["mass_kg"] = *summary.density_kg_m3 * *summary.volume_m3;
  }
  json["bounding_box_m"] = {{"min", list(summary.low_m)}, {"max", list(summary.high_m)}};
  json["regions"] = Json::array();
  for (std::size_t r = 0; r < summary.regions.size(); ++r) {
    const Region& region = summary.regions[r];
    json["regions"].push_back(
        {{"name", region.name},
         {"dimension", region.dimension},
         {"elements", region_cells(region)},
         {"nodes", region.nodes.size()},
         {"box_m",
          {{"min", list(summary.region_boxes[r][0])}, {"max", list(summary.region_boxes[r][1])}}}});
  }
  json["quality"] = {{"min", summary.quality_min},
                     {"mean", summary.quality_mean},
                     {"below_zero", summary.quality_histogram[0]},
                     {"histogram", Json::array()}};
  for (std::size_t i = 1; i < summary.quality_histogram.size(); ++i) {
    json["quality"]["histogram"].push_back(summary.quality_histogram[i]);
  }
  return one_line(json);
}

std::string finding_text(const Finding& finding) {
  return fmt::format("{}: {}{}; {} [{}]", finding.severity == Severity::error ? "error" : "warning",
                     finding.message, finding.where.empty() ? "" : " (" + finding.where + ")",
                     finding.remedy, finding.code);
}

std::string findings_json(const std::filesystem::path& path, const std::vector<Finding>& findings) {
  Json json = {
      {"file", path.string()}, {"ok", can_be_simulated(findings)}, {"findings", Json::array()}};
  for (const Finding& finding : findings) {
    json["findings"].push_back(
        {{"code", finding.code},
         {"severity", finding.severity == Severity::error ? "error" : "warning"},
         {"where", finding.where},
         {"message", finding.message},
         {"remedy", finding.remedy}});
  }
  return one_line(json);
}

}  // namespace stickslip::cli
