#include "stickslip/io/scene_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "places.hpp"
#include "stickslip/error.hpp"
#include "stickslip/io/scene_file.hpp"
#include "tests/support/test_folder.hpp"

namespace stickslip {
namespace {

const std::filesystem::path shelf = STICKSLIP_SOURCE_DIR "/scenes";

bool is_same(const TomlValue& a, const TomlValue& b) {
  if (a.kind != b.kind || a.boolean != b.boolean || a.integer != b.integer || a.text != b.text) {
    return false;
  }
  if (a.real != b.real || a.items.size() != b.items.size()) return false;
  if (a.entries.size() != b.entries.size()) return false;
  for (std::size_t i = 0; i < a.items.size(); ++i) {
    if (!is_same(a.items[i], b.items[i])) return false;
  }
  return std::all_of(a.entries.begin(), a.entries.end(), [&](const TomlEntry& entry) {
    const TomlValue* other = b.find(entry.key);
    return other != nullptr && is_same(entry.value, *other);
  });
}

TEST(SceneText, EverySceneOfTheShelfIsWrittenAndReadAgain) {
  for (const auto& entry : std::filesystem::directory_iterator(shelf)) {
    if (entry.path().extension() != ".toml") continue;
    const TomlValue document = read_toml(entry.path());
    EXPECT_TRUE(is_same(parse_toml(to_toml(document), "text"), document)) << to_toml(document);
  }
}

TEST(SceneText, KeepsWhatIsHardToWrite) {
  const TomlValue document = parse_toml(R"(
"two words" = "a \"quote\", a \\, a tab\t and \u00e9 \u0001"
empty = []
whole = 1.0
tiny = -1e-300
endless = [inf, -inf]
mixed = [[0, 1.5], []]
inner = [{ a = 1 }, { a = 2, b = [true] }]
[by."odd.name"]
x = 1
[by.other]
[[list.of]]
y = 1
[[list.of]]
)",
                                        "text");
  EXPECT_TRUE(is_same(parse_toml(to_toml(document), "again"), document)) << to_toml(document);
  // a real stays one, and a table without keys stays there
  EXPECT_NE(to_toml(document).find("whole = 1.0\n"), std::string::npos);
  EXPECT_NE(to_toml(document).find("[by.other]\n"), std::string::npos);
}

TEST(SceneText, FilesAreFoundFromAnotherFolder) {
  const TestFolder folder;
  const auto source = shelf / "table.toml";
  const TomlValue document = read_toml(source);
  const SceneDescription description = read_scene_description(source);
  const auto place = folder / "moved.toml";
  std::ofstream(place) << scene_text(document, description.files, place.parent_path());
  const SceneDescription moved = read_scene_description(place);
  ASSERT_EQ(moved.bodies.size(), description.bodies.size());
  for (std::size_t b = 0; b < moved.bodies.size(); ++b) {
    if (description.bodies[b].mesh.empty()) continue;
    EXPECT_TRUE(std::filesystem::equivalent(moved.bodies[b].mesh, description.bodies[b].mesh));
  }
}

TEST(SceneText, ATextIsRefusedByItsNameAndLine) {
  try {
    parse_toml("a = 1\nb = \n", "scene");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("scene:2: not TOML")) << error.what();
  }
}

}  // namespace
}  // namespace stickslip
