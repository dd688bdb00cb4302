#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "stickslip/mesh/appended_data.hpp"
#include "stickslip/mesh/mesh_formats.hpp"

namespace stickslip {
namespace {

/// Reads a .vtu file as VTK's documentation tells.
class VtuText {
 public:
  explicit VtuText(std::string text) : text_(std::move(text)) {
    const std::string_view mark = "<AppendedData encoding=\"raw\">\n_";
    raw_ = text_.find(mark) + mark.size();
  }

  /// The text of an attribute of the first element that holds `near`.
  std::string attribute(const std::string& near, const std::string& name) const {
    const std::size_t element = text_.rfind('<', text_.find(near));
    const std::size_t begin = text_.find(" " + name + "=\"", element) + name.size() + 3;
    return text_.substr(begin, text_.find('"', begin) - begin);
  }

  template <class Value>
  std::vector<Value> array(const std::string& name, const std::string& type) const {
    const std::string near = "Name=\"" + name + "\"";
    EXPECT_EQ(attribute(near, "type"), type) << name;
    const std::size_t at = raw_ + std::stoul(attribute(near, "offset"));
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text_.data() + at, sizeof bytes);
    EXPECT_EQ(bytes % sizeof(Value), 0) << name;
    EXPECT_LE(at + sizeof bytes + bytes, text_.size()) << name;
    std::vector<Value> values(bytes / sizeof(Value));
    std::memcpy(values.data(), text_.data() + at + sizeof bytes, bytes);
    return values;
  }

 private:
  std::string text_;
  std::size_t raw_ = 0;
};

TEST(VtuWriter, HoldsAllOfTheMesh) {
  for (const ElementType type : {ElementType::tet4, ElementType::tet10}) {
    TetMesh mesh = make_box({0.03, 0.02, 0.01}, {3, 2, 1}, type);
    mesh.regions.push_back({"a <\"b\"> & c", 0, {}, {}, 0, {1, 4}});
    const VtuText file(vtu_text(mesh));
    EXPECT_EQ(file.attribute("NumberOfPoints", "NumberOfPoints"),
              std::to_string(mesh.node_count()));
    EXPECT_EQ(file.attribute("NumberOfCells", "NumberOfCells"),
              std::to_string(mesh.element_count()));
    EXPECT_EQ(file.attribute("header_type", "header_type"), "UInt64");

    const auto points = file.array<double>("Points", "Float64");
    ASSERT_EQ(points.size(), 3 * mesh.nodes.size());
    EXPECT_EQ(std::memcmp(points.data(), mesh.nodes.data(), 8 * points.size()), 0);

    // cells end where their offsets say
    const auto offsets = file.array<std::int64_t>("offsets", "Int64");
    const auto connectivity = file.array<std::int64_t>("connectivity", "Int64");
    ASSERT_EQ(offsets.size(), uz(mesh.element_count()));
    EXPECT_EQ(connectivity.size(), mesh.connectivity.size());
    std::int64_t begin = 0;
    for (int e = 0; e < mesh.element_count(); ++e) {
      EXPECT_EQ(offsets[uz(e)] - begin, nodes_per_element(type));
      for (std::int64_t c = 0; c < 4; ++c) {
        EXPECT_EQ(connectivity[uz(begin + c)], mesh.element(e)[uz(c)]);
      }
      begin = offsets[uz(e)];
    }
    const auto types = file.array<std::uint8_t>("types", "UInt8");
    EXPECT_EQ(types,
              std::vector<std::uint8_t>(offsets.size(), type == ElementType::tet4 ? 10 : 24));

    const auto quality = file.array<double>("quality", "Float64");
    ASSERT_EQ(quality.size(), offsets.size());
    for (const double q : quality) {
      EXPECT_GT(q, 0.0);
      EXPECT_LE(q, 1.0);
    }
    for (const Region& region : mesh.regions) {
      const auto marks = file.array<char>(xml_escaped(region.name), "UInt8");
      ASSERT_EQ(marks.size(), mesh.nodes.size()) << region.name;
      for (int i = 0; i < mesh.node_count(); ++i) {
        const bool is_in = std::binary_search(region.nodes.begin(), region.nodes.end(), i);
        EXPECT_EQ(marks[uz(i)], is_in ? 1 : 0) << region.name;
      }
    }
  }
}

TEST(AppendedData, StandsAtItsOffsetsWhateverItsSize) {
  std::mt19937 random(5);
  AppendedData data;
  std::vector<std::string> expected;
  std::string xml;
  for (int k = 0; k < 30; ++k) {
    // some are empty, some come in pieces
    std::string bytes(random() % 50 * (random() % 3), '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 256);
    xml += data.begin("UInt8", "array" + std::to_string(k), 1);
    const std::size_t half = bytes.size() / 2;
    data.add(bytes.data(), half);
    data.add(bytes.data() + half, bytes.size() - half);
    expected.push_back(bytes);
  }
  const VtuText file(xml + data.text());
  for (int k = 0; k < 30; ++k) {
    const auto found = file.array<char>("array" + std::to_string(k), "UInt8");
    EXPECT_EQ(std::string(found.begin(), found.end()), expected[uz(k)]) << k;
  }
}

TEST(XmlEscaped, LeavesNothingThatXmlWouldTakeForItsOwn) {
  EXPECT_EQ(xml_escaped("a<b>\"c\" & 'd'"), "a&lt;b&gt;&quot;c&quot; &amp; 'd'");
  EXPECT_EQ(xml_escaped("&amp;"), "&amp;amp;");
  EXPECT_EQ(xml_escaped(""), "");
}

}  // namespace
}  // namespace stickslip
