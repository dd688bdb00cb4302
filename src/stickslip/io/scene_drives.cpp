#include "stickslip/io/scene_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "stickslip/error.hpp"
#include "stickslip/io/drive_table.hpp"
#include "stickslip/io/scene_keys.hpp"
#include "stickslip/io/scene_values.hpp"

namespace stickslip {

namespace {

constexpr std::array<std::string_view, 3> drive_names = {"motion", "force", "spring"};

TimeTable read_ramp(const TomlValue& ramp) {
  double start = 0.0;
  double duration = 0.0;
  read(ramp, "start", start);
  read(ramp, "duration", duration);
  const TomlValue* from = ramp.find("from");
  const Vec6 low = from == nullptr ? Vec6(Vec6::Zero()) : six_numbers(*from);
  return TimeTable({{start, low}, {start + duration, six_numbers(*ramp.find("to"))}});
}

}  // namespace

std::string_view to_string(DriveKind kind) {
  return drive_names[static_cast<std::size_t>(kind)];
}

void SceneReader::read_drive(const TomlValue& table) {
  DriveDescription drive;
  drive.name = std::to_string(scene_.drives.size() + 1);
  read(table, "name", drive.name);
  drive.places = places_of(table);
  const std::string path = fmt::format("drive.{}", drive.name);
  for (const DriveDescription& other : scene_.drives) {
    if (other.name == drive.name) {
      refuse(table.where, fmt::format("{}: two drives have that name; rename one", path));
    }
  }
  drive.body = require_body(table, path);
  const BodyDescription& body = scene_.bodies[uz(drive.body)];
  const std::string& kind = table.find("kind")->text;
  drive.kind = static_cast<DriveKind>(std::find(drive_names.begin(), drive_names.end(), kind) -
                                      drive_names.begin());
  read(table, "region", drive.region);
  read(table, "pivot", drive.pivot);
  read(table, "stiffness", drive.stiffness);
  read(table, "damping", drive.damping);
  read(table, "rotational_stiffness", drive.rotational_stiffness);
  read(table, "rotational_damping", drive.rotational_damping);
  drive.table = read_course(table, path, drive.kind);

  // what the kind of body can be driven by
  const auto refuse_kind = [&](std::string_view remedy) {
    refuse_value(*table.find("kind"), path + ".kind",
                 fmt::format("body \"{}\" is {}; {}", body.name, to_string(body.kind), remedy));
  };
  if (drive.kind != DriveKind::spring) {
    refuse_keys(table, path, {"stiffness", "damping", "rotational_stiffness", "rotational_damping"},
                "belongs to a spring");
  }
  switch (drive.kind) {
    case DriveKind::motion:
      refuse_keys(table, path, {"region"}, "a motion moves the whole frame with what is held");
      if (has_free_frame(body.kind)) {
        refuse_kind("a motion drives fixed and deformable ones; tie this one to a spring");
      }
      for (const DriveDescription& other : scene_.drives) {
        if (other.kind == DriveKind::motion && other.body == drive.body) {
          refuse_kind(fmt::format("drive \"{}\" moves it already; remove one", other.name));
        }
      }
      break;
    case DriveKind::force:
      refuse_keys(table, path, {"pivot"}, "belongs to a motion or spring");
      if (body.kind == BodyKind::fixed) refuse_kind("no force moves it; use a motion");
      if (deforms_in_place(body.kind) && drive.region.empty()) {
        refuse_kind("its frame stands still; name the region that the force acts on");
      }
      break;
    case DriveKind::spring:
      refuse_keys(table, path, {"region"}, "a spring holds the whole frame");
      if (!has_free_frame(body.kind)) refuse_kind("nothing but a motion moves it");
      if (drive.stiffness + drive.damping + drive.rotational_stiffness + drive.rotational_damping ==
          0.0) {
        refuse(table.where,
               fmt::format("{} is a spring without stiffness; add stiffness = ... [N/m]", path));
      }
      break;
  }
  scene_.drives.push_back(std::move(drive));
}

TimeTable SceneReader::read_course(const TomlValue& table, const std::string& path,
                                   DriveKind kind) {
  const TomlValue* given = nullptr;
  for (const char* key : {"value", "ramp", "table", "csv"}) {
    const TomlValue* value = table.find(key);
    if (value == nullptr) continue;
    if (given != nullptr) {
      refuse(value->where,
             fmt::format("{} has more than one of value, ramp, table and csv; keep one", path));
    }
    given = value;
  }
  if (given == nullptr) {
    refuse(table.where,
           fmt::format("{} does not say how much; add value, ramp, table or csv", path));
  }
  TimeTable course;
  if (given == table.find("value")) {
    course = TimeTable(six_numbers(*given));
  } else if (given == table.find("ramp")) {
    course = read_ramp(*given);
  } else if (given == table.find("csv")) {
    try {
      course = read_drive_csv(place_of(given->text), kind);
    } catch (const InputError& error) {
      refuse(given->where, fmt::format("{}.csv: {}", path, error.what()));
    }
  } else {
    course = read_rows(*given, path + ".table");
  }
  const bool has_torque = std::any_of(course.rows().begin(), course.rows().end(), [](auto& row) {
    return !row.value.template tail<3>().isZero(0.0);
  });
  if (table.find("region") != nullptr && has_torque) {
    refuse(given->where,
           fmt::format("{}: a force on a region has no torque; give three numbers", path));
  }
  return course;
}

}  // namespace stickslip
