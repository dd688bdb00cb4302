#include "stickslip/io/recording_export.hpp"

#include <fmt/core.h>

#include <array>

#include "stickslip/mesh/appended_data.hpp"

namespace stickslip {

namespace {

constexpr std::uint8_t vtk_vertex = 1;
constexpr std::uint8_t vtk_triangle = 5;

std::string vtu_start(std::size_t points, std::size_t cells) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n<UnstructuredGrid>\n"
      "<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n",
      points, cells);
}

template <class Number>
std::string array(AppendedData& data, std::string_view type, std::string_view name, int components,
                  const std::vector<Number>& values) {
  std::string xml = data.begin(type, name, components);
  data.add(values.data(), sizeof(Number) * values.size());
  return xml;
}

std::string vectors(AppendedData& data, std::string_view name, const std::vector<Vec3>& values) {
  return array(data, "Float64", name, 3, values);
}

/// Cells with the same number of corners each.
std::string cells(AppendedData& data, const std::vector<std::int64_t>& corners, std::size_t each,
                  std::uint8_t type) {
  std::vector<std::int64_t> ends;
  for (std::size_t end = each; end <= corners.size(); end += each) {
    ends.push_back(static_cast<std::int64_t>(end));
  }
  const std::vector<std::uint8_t> types(ends.size(), type);
  std::string xml = "<Cells>\n";
  xml += array(data, "Int64", "connectivity", 1, corners);
  xml += array(data, "Int64", "offsets", 1, ends);
  xml += array(data, "UInt8", "types", 1, types);
  return xml + "</Cells>\n</Piece>\n</UnstructuredGrid>\n";
}

Vec3 vector_at(const std::vector<double>& numbers, std::size_t index) {
  return Eigen::Map<const Vec3>(numbers.data() + 3 * index);
}

constexpr std::array<char, 4> axes = {'x', 'y', 'z', 'w'};

}  // namespace

std::vector<ContactReport> contacts_of(const Recording::Details& details, std::size_t row) {
  std::vector<ContactReport> contacts;
  for (std::size_t c = details.contact_start[row]; c < details.contact_start[row + 1]; ++c) {
    ContactReport& contact = contacts.emplace_back();
    contact.body_1 = static_cast<int>(details.contact_bodies[2 * c]);
    contact.body_2 = static_cast<int>(details.contact_bodies[2 * c + 1]);
    contact.P = vector_at(details.P, c);
    contact.Q = vector_at(details.Q, c);
    contact.normal = vector_at(details.normal, c);
    contact.gap = details.gap[c];
    contact.force = vector_at(details.force, c);
    contact.sticks = details.contact_sticks[c] != 0;
  }
  return contacts;
}

std::string surfaces_vtu(const Scene& scene, const State& state) {
  const State start = initial_state(scene);
  std::vector<Vec3> points;
  std::vector<Vec3> displacement;
  std::vector<Vec3> deformation;
  std::vector<std::int64_t> corners;
  std::vector<std::int32_t> bodies;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const Body& body = scene.bodies[b].body;
    const Surface& surface = body.surface();
    const auto first = static_cast<std::int64_t>(points.size());
    std::vector<Vec3> now(surface.points.size());
    std::vector<Vec3> before(surface.points.size());
    body.surface_positions(state.bodies[b], now);
    body.surface_positions(start.bodies[b], before);
    for (std::size_t i = 0; i < now.size(); ++i) {
      points.push_back(now[i]);
      displacement.emplace_back(now[i] - before[i]);
      deformation.emplace_back(now[i] - state.bodies[b].frame.to_world(surface.points[i]));
    }
    for (const auto& triangle : surface.triangles) {
      for (const int corner : triangle) corners.push_back(first + corner);
      bodies.push_back(static_cast<std::int32_t>(b));
    }
  }

  AppendedData data;
  std::string xml = vtu_start(points.size(), bodies.size());
  xml += "<PointData>\n";
  xml += vectors(data, "displacement", displacement);
  xml += vectors(data, "deformation", deformation);
  xml += "</PointData>\n<CellData>\n" + array(data, "Int32", "body", 1, bodies) + "</CellData>\n";
  xml += "<Points>\n" + vectors(data, "Points", points) + "</Points>\n";
  xml += cells(data, corners, 3, vtk_triangle);
  return xml + data.text();
}

std::string contacts_vtu(std::span<const ContactReport> contacts) {
  std::vector<Vec3> points;
  std::vector<Vec3> forces;
  std::vector<Vec3> normals;
  std::vector<double> gaps;
  std::vector<std::int32_t> bodies;
  std::vector<std::uint8_t> sticks;
  std::vector<std::int64_t> corners;
  for (const ContactReport& contact : contacts) {
    corners.push_back(static_cast<std::int64_t>(points.size()));
    points.emplace_back(0.5 * (contact.P + contact.Q));
    forces.push_back(contact.force);
    normals.push_back(contact.normal);
    gaps.push_back(contact.gap);
    bodies.insert(bodies.end(), {contact.body_1, contact.body_2});
    sticks.push_back(contact.sticks ? 1 : 0);
  }
  AppendedData data;
  std::string xml = vtu_start(points.size(), points.size());
  xml += "<PointData>\n";
  xml += vectors(data, "force_N", forces);
  xml += vectors(data, "normal", normals);
  xml += array(data, "Float64", "gap_m", 1, gaps);
  xml += array(data, "Int32", "bodies", 2, bodies);
  xml += array(data, "UInt8", "sticks", 1, sticks);
  xml += "</PointData>\n";
  xml += "<Points>\n" + vectors(data, "Points", points) + "</Points>\n";
  xml += cells(data, corners, 1, vtk_vertex);
  return xml + data.text();
}

std::string pvd_text(std::span<const TimedFile> files) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n";
  for (const TimedFile& entry : files) {
    xml += fmt::format("<DataSet timestep=\"{}\" part=\"{}\" file=\"{}\"/>\n", entry.time_s,
                       entry.part, xml_escaped(entry.file));
  }
  return xml + "</Collection>\n</VTKFile>\n";
}

std::string table_header(const Recording& recording) {
  std::string header = "step,time_s";
  for (const std::string& name : recording.body_names()) {
    for (std::size_t d = 0; d < 3; ++d) header += fmt::format(",{}.position_{}_m", name, axes[d]);
    for (const char axis : axes) header += fmt::format(",{}.orientation_{}", name, axis);
    for (std::size_t d = 0; d < 3; ++d) header += fmt::format(",{}.force_{}_N", name, axes[d]);
  }
  for (int d = 1; d <= recording.drive_count(); ++d) {
    for (int k = 1; k <= 6; ++k) header += fmt::format(",input_{}_{}", d, k);
  }
  return header +
         ",penetration_m,energy_J,work_in_J,friction_J,contacts,iterations,error,flags,total_us";
}

std::string table_line(const Recording& recording, const Recording::Details& details,
                       std::size_t first_row, std::size_t row) {
  const std::vector<ContactReport> contacts = contacts_of(details, row);
  const std::size_t bodies = recording.body_names().size();
  std::vector<Vec3> forces(bodies, Vec3::Zero());
  for (const ContactReport& contact : contacts) {
    forces[uz(contact.body_1)] += contact.force;
    forces[uz(contact.body_2)] -= contact.force;
  }
  std::string line =
      fmt::format("{},{}", recording.step(first_row + row), recording.time(first_row + row));
  for (std::size_t b = 0; b < bodies; ++b) {
    for (std::size_t k = 0; k < 7; ++k) {
      line += fmt::format(",{}", details.frames[7 * (row * bodies + b) + k]);
    }
    for (const double force : forces[b]) line += fmt::format(",{}", force);
  }
  for (const double input : recording.inputs(first_row + row)) line += fmt::format(",{}", input);
  const double* energy = details.energy.data() + 3 * row;
  return line + fmt::format(",{},{},{},{},{},{},{},{},{:.2f}", details.penetration[row], energy[0],
                            energy[1], energy[2], contacts.size(), details.iterations[row],
                            details.error[row], details.flags[row], details.total_us[row]);
}

}  // namespace stickslip
