#pragma once

#include <span>
#include <string>
#include <vector>

#include "stickslip/io/recording.hpp"
#include "stickslip/simulation/contact_report.hpp"
#include "stickslip/simulation/step.hpp"

namespace stickslip {

/// The recorded contacts of a row of details, in single precision.
std::vector<ContactReport> contacts_of(const Recording::Details& details, std::size_t row);

/// All surfaces of a scene in a state, as a VTU file for ParaView. Points have their displacement
/// since the scene's start and their elastic part of it [m], triangles the number of their body.
std::string surfaces_vtu(const Scene& scene, const State& state);

/// Contacts as points with force on the first body [N], normal, gap [m], bodies and whether they
/// stick.
std::string contacts_vtu(std::span<const ContactReport> contacts);

/// What a time index names: a file beside it, and which part of the picture it is.
struct TimedFile {
  double time_s = 0.0;
  int part = 0;
  std::string file;
};

/// A PVD file: ParaView plays the files in order.
std::string pvd_text(std::span<const TimedFile> files);

/// A table of a recording: a header, and one line a row.
std::string table_header(const Recording& recording);
std::string table_line(const Recording& recording, const Recording::Details& details,
                       std::size_t first_row, std::size_t row);

}  // namespace stickslip
