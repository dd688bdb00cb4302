#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "stickslip/error.hpp"
#include "stickslip/mesh/mesh_formats.hpp"
#include "stickslip/mesh/msh_contents.hpp"

namespace stickslip {

namespace {

/// Numbers from first to last in steps.
struct NumberRange {
  std::int64_t first;
  std::int64_t last;
  std::int64_t step;
};

/// A named set of nodes or elements. Names do not heed case.
struct NamedSet {
  std::string name;
  std::vector<NumberRange> ranges;
};
using Sets = std::map<std::string, NamedSet>;

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\"");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\"") - begin + 1);
}

/// The parts of a line between commas; an empty one at the end is left out.
std::vector<std::string_view> fields(std::string_view line) {
  std::vector<std::string_view> list;
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find(','), line.size());
    list.push_back(trimmed(line.substr(0, comma)));
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  if (!list.empty() && list.back().empty()) list.pop_back();
  return list;
}

/// A line such as "*ELEMENT, TYPE=C3D4, ELSET=body".
struct Keyword {
  std::string name;
  std::map<std::string, std::string> parameters;

  std::string parameter(const std::string& key) const {
    const auto found = parameters.find(key);
    return found == parameters.end() ? std::string() : found->second;
  }
};

Keyword parse_keyword(std::string_view line) {
  Keyword keyword;
  for (const std::string_view field : fields(line)) {
    const std::size_t equals = std::min(field.find('='), field.size());
    const std::string key = upper(trimmed(field.substr(0, equals)));
    if (keyword.name.empty()) {
      keyword.name = key;
    } else {
      keyword.parameters[key] = trimmed(field.substr(std::min(equals + 1, field.size())));
    }
  }
  return keyword;
}

/// gmsh's number of an element type of Abaqus: tetrahedra and triangles; 0 for what carries no
/// volume and is not needed.
int gmsh_type(const FileCursor& file, const std::string& name) {
  if (name.starts_with("C3D10")) return 11;
  if (name == "C3D4" || name == "C3D4H" || name == "C3D4T") return 4;
  if (name.starts_with("C3D") || name.starts_with("SC")) {
    file.fail(fmt::format("element type '{}' is not read, only C3D4 and C3D10", printable(name)),
              "mesh the part with tetrahedra");
  }
  for (const char* triangle : {"CPS3", "CPE3", "S3", "S3R", "M3D3", "R3D3", "STRI3", "SFM3D3"}) {
    if (name == triangle) return 2;
  }
  for (const char* triangle : {"CPS6", "CPE6", "STRI65", "M3D6", "SFM3D6", "DS6"}) {
    if (name == triangle) return 9;
  }
  return 0;
}

/// Reads an Abaqus file line by line into lists.
class InpParser {
 public:
  explicit InpParser(FileCursor& file) : file_(file) {}

  void parse() {
    std::string_view line;
    while (file_.next_line(line)) {
      line = trimmed(line);
      if (line.empty() || line.starts_with("**")) continue;
      if (line.starts_with('*')) {
        begin(parse_keyword(line));
      } else {
        data(line);
      }
    }
    finish_element();
    if (nodes.empty() || elements.empty()) {
      file_.fail(fmt::format("holds {} nodes and {} elements", nodes.size(), elements.size()),
                 "give an Abaqus file with *NODE and *ELEMENT, whole and not cut off");
    }
  }

  struct Element {
    int type;
    std::vector<std::int64_t> nodes;
  };

  std::map<std::int64_t, Vec3> nodes;
  std::map<std::int64_t, Element> elements;
  Sets node_sets;
  Sets element_sets;

 private:
  void begin(Keyword keyword) {
    finish_element();
    keyword_ = std::move(keyword);
    type_ = 0;
    set_ = nullptr;
    if (keyword_.name == "*INCLUDE") {
      file_.fail("*INCLUDE is not read", "write everything into one file");
    } else if (keyword_.name == "*PART" && ++parts_ > 1) {
      file_.fail("holds several parts", "export each part into a file of its own");
    } else if (keyword_.name == "*ELEMENT") {
      type_ = gmsh_type(file_, upper(keyword_.parameter("TYPE")));
      set_ = find_set(element_sets, keyword_.parameter("ELSET"));
    } else if (keyword_.name == "*NODE" || keyword_.name == "*NSET") {
      set_ = find_set(node_sets, keyword_.parameter("NSET"));
    } else if (keyword_.name == "*ELSET") {
      set_ = find_set(element_sets, keyword_.parameter("ELSET"));
    }
  }

  static NamedSet* find_set(Sets& sets, const std::string& name) {
    if (name.empty()) return nullptr;
    return &sets.try_emplace(upper(name), NamedSet{name, {}}).first->second;
  }

  void data(std::string_view line) {
    if (keyword_.name.empty()) {
      file_.fail(fmt::format("expected a keyword, found '{}'", printable(line)),
                 "give an Abaqus input file");
    }
    if (keyword_.name == "*NODE") {
      read_node(fields(line));
    } else if (keyword_.name == "*ELEMENT" && type_ != 0) {
      for (const std::string_view field : fields(line)) pending_.push_back(integer(field));
      // a line that ends with a comma goes on
      if (pending_.size() > uz(find_msh_element_type(type_)->nodes)) finish_element();
    } else if (keyword_.name == "*NSET" || keyword_.name == "*ELSET") {
      read_set(fields(line), keyword_.name == "*NSET" ? node_sets : element_sets);
    }
  }

  std::int64_t integer(std::string_view field) const {
    std::int64_t value = 0;
    constexpr std::int64_t largest = 1'000'000'000'000'000;
    if (!parse_integer(field, value) || value < 0 || value > largest) {
      file_.fail(fmt::format("'{}' is not a number of a node or an element", printable(field)),
                 "export it again");
    }
    return value;
  }

  void read_node(const std::vector<std::string_view>& values) {
    Vec3 point = Vec3::Zero();
    bool good = values.size() >= 4;
    for (std::size_t k = 0; good && k < 3; ++k) {
      good = parse_real(values[k + 1], point[static_cast<int>(k)]);
    }
    if (!good) file_.fail("a node is not: number, x, y, z", "export it again");
    const std::int64_t number = integer(values[0]);
    nodes[number] = point;
    if (set_ != nullptr) set_->ranges.push_back({number, number, 1});
  }

  void finish_element() {
    if (pending_.empty()) return;
    const auto expected = uz(find_msh_element_type(type_)->nodes);
    if (pending_.size() != expected + 1) {
      file_.fail(fmt::format("element {} has {} nodes, not {}", pending_[0], pending_.size() - 1,
                             expected),
                 "export it again");
    }
    // Abaqus has the mid-side nodes of edges (1,3) and (2,3) in the other order
    if (type_ == 11) std::swap(pending_[9], pending_[10]);
    const std::int64_t number = pending_[0];
    pending_.erase(pending_.begin());
    elements[number] = {type_, std::move(pending_)};
    pending_.clear();
    if (set_ != nullptr) set_->ranges.push_back({number, number, 1});
  }

  void read_set(const std::vector<std::string_view>& values, Sets& sets) {
    if (set_ == nullptr) file_.fail("a set has no name", "name it (NSET= or ELSET=)");
    if (keyword_.parameters.contains("GENERATE")) {
      if (values.size() < 2) file_.fail("GENERATE needs: first, last, step", "export it again");
      const std::int64_t step = values.size() > 2 ? integer(values[2]) : 1;
      if (step <= 0) file_.fail(fmt::format("step {} is not positive", step), "export it again");
      set_->ranges.push_back({integer(values[0]), integer(values[1]), step});
      return;
    }
    for (const std::string_view value : values) {
      // a number, or another set by its name
      std::int64_t number = 0;
      const auto other = sets.find(upper(value));
      if (parse_integer(value, number)) {
        set_->ranges.push_back({number, number, 1});
      } else if (other != sets.end() && &other->second != set_) {
        set_->ranges.insert(set_->ranges.end(), other->second.ranges.begin(),
                            other->second.ranges.end());
        // sets of sets of sets grow without end
        if (set_->ranges.size() > file_.contents().size()) {
          file_.fail(fmt::format("set '{}' is too large", printable(set_->name)),
                     "list its members by their numbers");
        }
      } else {
        file_.fail(fmt::format("'{}' is neither a number nor a set", printable(value)),
                   "export it again");
      }
    }
  }

  FileCursor& file_;
  Keyword keyword_;
  int type_ = 0;
  int parts_ = 0;
  NamedSet* set_ = nullptr;
  std::vector<std::int64_t> pending_;  ///< the number and nodes of the element being read
};

/// Those of the ascending numbers that the set names, in the set's order.
std::vector<std::int64_t> members(const NamedSet& set, const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> found;
  for (const NumberRange& range : set.ranges) {
    for (auto number = std::lower_bound(numbers.begin(), numbers.end(), range.first);
         number != numbers.end() && *number <= range.last; ++number) {
      if ((*number - range.first) % range.step == 0) found.push_back(*number);
    }
  }
  return found;
}

}  // namespace

TetMeshFile read_inp(const std::filesystem::path& path) {
  FileCursor file(path, "an Abaqus mesh");
  InpParser parser(file);
  parser.parse();
  MshContents contents;
  for (const auto& [number, point] : parser.nodes) {
    contents.node_tags.push_back(number);
    contents.nodes.push_back(point);
  }

  // sets become groups; a set with triangles and tetrahedra becomes two
  std::vector<std::int64_t> element_numbers;
  for (const auto& entry : parser.elements) element_numbers.push_back(entry.first);
  std::map<std::int64_t, std::vector<int>> groups;
  std::map<std::pair<int, int>, std::string> names;
  int tag = 0;
  for (const auto& [key, set] : parser.element_sets) {
    ++tag;
    for (const std::int64_t number : members(set, element_numbers)) {
      std::vector<int>& of_element = groups[number];
      if (of_element.empty() || of_element.back() != tag) of_element.push_back(tag);
      names[{find_msh_element_type(parser.elements[number].type)->dimension, tag}] = set.name;
    }
  }
  std::map<std::pair<int, std::vector<int>>, MshBlock> blocks;
  for (const auto& [number, element] : parser.elements) {
    MshBlock& block = blocks[{element.type, groups[number]}];
    block.type = find_msh_element_type(element.type);
    block.groups = groups[number];
    block.element_tags.push_back(number);
    block.node_tags.insert(block.node_tags.end(), element.nodes.begin(), element.nodes.end());
  }
  for (auto& [key, block] : blocks) contents.blocks.push_back(std::move(block));

  // node sets become points
  constexpr int point_type = 15;
  for (const auto& [key, set] : parser.node_sets) {
    ++tag;
    names[{0, tag}] = set.name;
    MshBlock& block = contents.blocks.emplace_back();
    block.type = find_msh_element_type(point_type);
    block.groups = {tag};
    block.element_tags = members(set, contents.node_tags);
    block.node_tags = block.element_tags;
  }
  for (const auto& [group, name] : names) {
    contents.names.push_back({group.first, group.second, name});
  }
  return make_tet_mesh(file, contents);
}

}  // namespace stickslip
