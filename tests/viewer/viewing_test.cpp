#include "apps/viewer/viewing.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/viewer/page_client.hpp"
#include "tests/viewer/watched_scene.hpp"

namespace stickslip::viewer {
namespace {

using test::PageClient;
using test::RawClient;
using test::WatchedScene;
using Message = PageClient::Message;

std::uint32_t u32(const Message& message, std::size_t offset) {
  return PageClient::number<std::uint32_t>(message, offset);
}
float f32(const Message& message, std::size_t offset) {
  return PageClient::number<float>(message, offset);
}
double time_of(const Message& frame) {
  return PageClient::number<double>(frame, 16);
}
bool runs(const Message& frame) {
  return (u32(frame, 12) & 1) != 0;
}

/// Where the sections of a frame begin, as docs/viewer_protocol.md has them.
struct Layout {
  explicit Layout(const Message& frame) {
    const std::size_t bodies = u32(frame, 44);
    const std::size_t vertices = u32(frame, 48);
    const std::size_t hand_count = u32(frame, 60);
    scalars = 112 + 4 * (7 * bodies + 3 * vertices);
    contacts = scalars + 4 * u32(frame, 52);
    hands = contacts + 4 * std::size_t{14} * u32(frame, 56);
    ticks = hands + 4 * 36 * hand_count;
    steps = ticks + 4 * u32(frame, 64) * (1 + 10 * hand_count);
    end = steps + 4 * std::size_t{19} * u32(frame, 68);
  }
  std::size_t scalars, contacts, hands, ticks, steps, end;
};

/// Frames until one is as it should be.
template <class Condition>
std::optional<Message> frame_where(PageClient& page, const Condition& condition,
                                   double seconds = 10.0) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    std::optional<Message> frame = page.next_frame();
    if (frame && condition(*frame)) return frame;
  }
  return std::nullopt;
}

TEST(Viewing, GreetsWithSceneAndMeshesAndThenMoves) {
  WatchedScene watched("snap_in");
  PageClient page(watched.port(), watched.token());
  const auto hello = nlohmann::json::parse(page.next()->bytes);
  EXPECT_EQ(hello["type"], "hello");
  EXPECT_EQ(hello["controls"], true);
  EXPECT_EQ(hello["scene"]["name"], "snap_in");
  EXPECT_EQ(hello["bodies"][1]["kind"], "corotational");
  EXPECT_EQ(hello["hands"][0]["can_be_taken"], true);
  EXPECT_EQ(hello["step_columns"].size(), 19U);

  std::size_t meshes = 0;
  std::optional<Message> message;
  while ((message = page.next()) && (message->opcode != 2 || u32(*message, 0) == 1)) {
    if (message->opcode != 2) continue;
    const std::size_t vertices = u32(*message, 12);
    EXPECT_EQ(vertices, hello["bodies"][meshes]["vertices"]);
    EXPECT_EQ(message->bytes.size(), 24 + 12 * vertices + 12 * u32(*message, 16));
    ++meshes;
  }
  EXPECT_EQ(meshes, 2U);
  ASSERT_TRUE(message);
  page.acknowledge(*message);
  const auto later = frame_where(page, [&](const Message& frame) {
    return time_of(frame) > time_of(*message) && u32(frame, 64) > 0 && u32(frame, 68) > 0;
  });
  ASSERT_TRUE(later);
  EXPECT_EQ(Layout(*later).end, later->bytes.size());
}

TEST(Viewing, WarnsOnceWhereTheLinearModelEnds) {
  WatchedScene watched("../tests/scenes/overbent_arm");
  PageClient page(watched.port(), watched.token());
  const std::string told = "body arm: strain";
  EXPECT_NE(page.wait_for(told).find("warning"), std::string::npos);
  EXPECT_EQ(page.wait_for(told, 0.3), "");

  // who comes later is told, too
  PageClient later(watched.port(), watched.token());
  EXPECT_NE(later.wait_for(told), "");
}

TEST(Viewing, TimeBeginsWhenAPageHasDrawn) {
  WatchedScene watched("snap_in");
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  PageClient page(watched.port(), watched.token());
  std::optional<Message> frame;
  do {
    frame = page.next();
    ASSERT_TRUE(frame);
  } while (frame->opcode != 2 || u32(*frame, 0) != 2);
  // one that is not answered is not drawn yet
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(u32(*frame, 40), 0U);
  EXPECT_TRUE(runs(*frame));
  page.acknowledge(*frame);
  frame = page.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_LT(time_of(*frame), 0.3);
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return time_of(f) > 0.0; }));
}

TEST(Viewing, SendsNoMoreThanTwoFramesUnanswered) {
  WatchedScene watched("snap_in");
  PageClient page(watched.port(), watched.token());
  page.say(R"({"type":"run"})");
  std::vector<Message> frames;
  while (const auto message = page.next(600)) {
    if (message->opcode == 2 && u32(*message, 0) == 2) frames.push_back(*message);
  }
  ASSERT_EQ(frames.size(), 2U);
  // an answer to something else counts for nothing
  page.say(R"({"type":"ack","frame":99})");
  EXPECT_FALSE(page.next(300));
  page.acknowledge(frames[0]);
  const auto next = page.next(1000);
  ASSERT_TRUE(next);
  EXPECT_EQ(u32(*next, 8), 3U);
  // the newest, not the one after the last
  EXPECT_GT(time_of(*next), time_of(frames[1]) + 0.3);
}

TEST(Viewing, PausesStepsAndResets) {
  WatchedScene watched("incline", true);
  PageClient page(watched.port(), watched.token());
  auto frame = page.next_frame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(u32(*frame, 40), 0U);
  EXPECT_FALSE(runs(*frame));
  page.say(R"({"type":"step","count":5})");
  // steps take their time, so that frames of some of them may come before that of the last
  frame = frame_where(page, [](const Message& f) { return u32(f, 40) >= 5; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(u32(*frame, 40), 5U);
  page.say(R"({"type":"run"})");
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return runs(f) && u32(f, 40) > 20; }));
  page.say(R"({"type":"pause"})");
  ASSERT_TRUE(frame_where(page, [](const Message& f) { return !runs(f); }));
  page.say(R"({"type":"reset"})");
  frame = frame_where(page, [](const Message& f) { return u32(f, 40) == 0; });
  ASSERT_TRUE(frame);
  EXPECT_EQ(u32(*frame, 4), 2U);
  EXPECT_DOUBLE_EQ(time_of(*frame), 0.0);
}

TEST(Viewing, ItsPaceIsNeverNegative) {
  WatchedScene watched("incline");
  PageClient page(watched.port(), watched.token());
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(frame_where(page, [](const Message& f) { return time_of(f) > 0.7; }));
    page.say(R"({"type":"reset"})");
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    while (std::chrono::steady_clock::now() < end) {
      const auto frame = page.next_frame();
      ASSERT_TRUE(frame);
      EXPECT_GE(f32(*frame, 84), 0.0F) << "at " << time_of(*frame) << " s";
    }
  }
}

TEST(Viewing, SlowMotionIsSlow) {
  WatchedScene watched("incline");
  PageClient page(watched.port(), watched.token());
  page.say(R"({"type":"speed","speed":0.1})");
  auto first = frame_where(page, [](const Message& f) { return f32(f, 80) < 0.2F; });
  ASSERT_TRUE(first);
  const auto start = std::chrono::steady_clock::now();
  const auto last =
      frame_where(page, [&](const Message& f) { return time_of(f) > time_of(*first) + 0.1; });
  ASSERT_TRUE(last);
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(800));
}

TEST(Viewing, ThePersonTakesOverAndFeelsTheContact) {
  WatchedScene watched("snap_in");
  PageClient page(watched.port(), watched.token());
  ASSERT_TRUE(page.next_frame());
  page.say(R"({"type":"grab","hand":0})");
  const auto is_held = [](const Message& f) { return f32(f, Layout(f).hands + 4 * 27) == 1.0F; };
  const auto is_taken = [](const Message& f) { return f32(f, Layout(f).hands + 4 * 28) == 1.0F; };
  const auto taken = frame_where(page, [&](const Message& f) { return is_taken(f) && is_held(f); });
  ASSERT_TRUE(taken);
  const auto later =
      frame_where(page, [&](const Message& f) { return u32(f, 40) > u32(*taken, 40) + 20; });
  ASSERT_TRUE(later);
  EXPECT_TRUE(is_held(*later)) << "goes on holding the clip";

  // down onto the pipe, the clip resists; its contacts are told
  const auto lead = [&](double y) {
    page.say(R"({"type":"hand","hand":0,"position":[0,)" + std::to_string(y) +
             R"(,0],"orientation":[0,0,0,1]})");
  };
  lead(0.04);
  const auto pressed = frame_where(page, [](const Message& f) {
    return f32(f, Layout(f).hands + 4 * 22) > 0.5F && u32(f, 56) > 0;
  });
  ASSERT_TRUE(pressed);

  page.say(R"({"type":"release","hand":0})");
  const auto released =
      frame_where(page, [](const Message& f) { return f32(f, Layout(f).hands + 4 * 27) == -1.0F; });
  ASSERT_TRUE(released);
  EXPECT_TRUE(is_taken(*released)) << "still the person's";
  page.say(R"({"type":"grab","hand":0})");
  EXPECT_TRUE(frame_where(page, is_held));
  page.say(R"({"type":"grab","hand":7})");
  EXPECT_FALSE(page.wait_for("there is no hand 7").empty());
}

TEST(Viewing, AnyFreeBodyOfASceneWithoutHandsCanBeTaken) {
  WatchedScene watched("brick_stack");
  PageClient page(watched.port(), watched.token());
  const auto hello = nlohmann::json::parse(page.next()->bytes);
  ASSERT_EQ(hello["hands"].size(), 1U);
  EXPECT_EQ(hello["hands"][0]["device"], "mouse");
  EXPECT_EQ(hello["hands"][0]["bodies"].size(), 10U);
  const auto height_of = [](const Message& f, std::size_t body) {
    return f32(f, 112 + 4 * (7 * body + 2));
  };
  const auto is_held = [](const Message& f, int body) {
    return f32(f, Layout(f).hands + 4 * 27) == static_cast<float>(body);
  };

  // the topmost brick comes along, the one under it stays
  const auto first = page.next_frame();
  ASSERT_TRUE(first);
  page.say(R"({"type":"grab","hand":0,"body":10})");
  const auto held = frame_where(page, [&](const Message& f) { return is_held(f, 10); });
  ASSERT_TRUE(held);
  page.say(R"({"type":"hand","hand":0,"position":[0.1,0.05,0.5],"orientation":[0,0,0,1]})");
  const auto lifted = frame_where(page, [&](const Message& f) { return height_of(f, 10) > 0.45F; });
  ASSERT_TRUE(lifted);
  EXPECT_NEAR(height_of(*lifted, 9), height_of(*first, 9), 1e-3);

  // another one instead
  page.say(R"({"type":"grab","hand":0,"body":9})");
  EXPECT_TRUE(frame_where(page, [&](const Message& f) { return is_held(f, 9); }));
  page.say(R"({"type":"grab","hand":0,"body":0})");
  EXPECT_FALSE(page.wait_for("hand 0 cannot hold body 0").empty());
}

TEST(Viewing, ParametersActAtOnceOrRestart) {
  WatchedScene watched("snap_in", true);
  PageClient page(watched.port(), watched.token());
  const auto value_of = [&](const std::string& answer, const std::string& path) -> nlohmann::json {
    const auto message = nlohmann::json::parse(answer, nullptr, false);
    for (const auto& parameter : message["parameters"]) {
      if (parameter["path"] == path) return parameter["value"];
    }
    return nullptr;
  };
  page.say(R"({"type":"set","path":"contact.friction","value":0.7})");
  std::string answer = page.wait_for("\"parameters\",\"scene\":1");
  EXPECT_EQ(value_of(answer, "contact.friction"), 0.7);
  page.say(R"({"type":"set","path":"simulation.solver","value":"gauss-seidel"})");
  answer = page.wait_for("\"parameters\",\"scene\":1");
  EXPECT_EQ(value_of(answer, "simulation.solver"), "gauss-seidel");
  EXPECT_EQ(value_of(answer, "contact.friction"), 0.7);
  page.say(R"({"type":"step","count":2})");
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 40) == 2; }));

  // judged as scene files are, and nothing else can be set
  page.say(R"({"type":"set","path":"contact.friction","value":-1})");
  EXPECT_FALSE(page.wait_for("at least 0").empty());
  page.say(R"({"type":"set","path":"simulation.solver","value":"magic"})");
  EXPECT_FALSE(page.wait_for("magic").empty());
  page.say(R"({"type":"set","path":"body.clip.mesh","value":"passwd"})");
  EXPECT_FALSE(page.wait_for("there is no parameter body.clip.mesh").empty());

  page.say(R"({"type":"set","path":"material.polyethylene.young","value":5e8})");
  answer = page.wait_for("\"parameters\",\"scene\":2", 60.0);
  EXPECT_EQ(value_of(answer, "material.polyethylene.young"), 5e8);
  EXPECT_EQ(value_of(answer, "contact.friction"), 0.7);
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 4) == 2; }));
}

TEST(Viewing, ScenesBesideTheFirstCanBePicked) {
  WatchedScene watched("incline");
  PageClient page(watched.port(), watched.token());
  page.say(R"({"type":"scene","name":"brick_stack"})");
  EXPECT_FALSE(page.wait_for("\"name\":\"brick_stack\"", 30.0).empty());
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 4) == 2 && runs(f); }));
  page.say(R"({"type":"scene","name":"nothing"})");
  EXPECT_FALSE(page.wait_for("there is no nothing").empty());
}

TEST(Viewing, FieldsAndTheDelassusOperatorComeWhenAskedFor) {
  WatchedScene watched("soft_press");
  PageClient page(watched.port(), watched.token());
  for (const char* field : {"displacement", "stress", "pressure"}) {
    page.say(std::string(R"({"type":"show","field":")") + field + R"("})");
    const auto frame = frame_where(
        page, [](const Message& f) { return u32(f, 52) > 0 && f32(f, 76) > 0.0F; }, 20.0);
    ASSERT_TRUE(frame) << field;
    EXPECT_EQ(u32(*frame, 52), u32(*frame, 48));
    EXPECT_EQ(Layout(*frame).end, frame->bytes.size());
  }
  page.say(R"({"type":"show","field":"none","delassus":true})");
  std::optional<Message> message;
  do {
    message = page.next();
    ASSERT_TRUE(message);
    page.acknowledge(*message);
  } while (message->opcode != 2 || u32(*message, 0) != 3 || u32(*message, 12) == 0);
  const std::size_t m = u32(*message, 12);
  ASSERT_EQ(message->bytes.size(), 16 + 36 * m * m);
  // W is symmetric, with a diagonal above zero
  const auto W = [&](std::size_t i, std::size_t j) {
    return f32(*message, 16 + 4 * (3 * m * i + j));
  };
  for (std::size_t i = 0; i < 3 * m; ++i) {
    EXPECT_GT(W(i, i), 0.0F);
    EXPECT_NEAR(W(i, 0), W(0, i), 1e-5 * W(0, 0));
  }
}

TEST(Viewing, RecordsScrubsPlaysAndExports) {
  WatchedScene watched("incline", true);
  PageClient page(watched.port(), watched.token());
  page.say(R"({"type":"record","do":"start"})");
  EXPECT_FALSE(page.wait_for("\"recording\":\"incline-1\"").empty());
  page.say(R"({"type":"step","count":100})");
  const auto at_100 = frame_where(page, [](const Message& f) { return u32(f, 40) == 100; });
  ASSERT_TRUE(at_100);
  page.say(R"({"type":"step","count":100})");
  ASSERT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 40) == 200; }));
  page.say(R"({"type":"record","do":"stop"})");
  EXPECT_FALSE(page.wait_for("\"recording\":null").empty());

  page.say(R"({"type":"record","do":"open","name":"incline-1"})");
  EXPECT_FALSE(page.wait_for("\"last_step\":200", 20.0).empty());
  // the course of the whole comes at once, for who opened it and for who comes later
  const auto has_course = [](const Message& f) { return u32(f, 68) >= 200; };
  const auto opened = frame_where(page, has_course);
  ASSERT_TRUE(opened);
  EXPECT_EQ(u32(*opened, 64), u32(*opened, 68));
  const std::size_t last_row = Layout(*opened).steps + 4 * std::size_t{19} * (u32(*opened, 68) - 1);
  const double dt = time_of(*at_100) / 100.0;
  EXPECT_NEAR(PageClient::number<double>(*opened, 32) + f32(*opened, last_row), 200.0 * dt, 1e-5);
  EXPECT_GT(f32(*opened, last_row + 4 * 16), 0.0F) << "contacts under force";
  EXPECT_GT(f32(*opened, last_row + 4 * 18), 0.0F) << "and their normal forces";
  {
    PageClient later(watched.port(), watched.token());
    EXPECT_TRUE(frame_where(later, has_course));
  }
  page.say(R"({"type":"record","do":"go","step":100})");
  const auto again = frame_where(
      page, [](const Message& f) { return u32(f, 40) == 100 && (u32(f, 12) & 4) != 0; });
  ASSERT_TRUE(again);
  EXPECT_EQ(u32(*again, 12) & 32, 0U) << "repeated bit by bit";
  const std::size_t poses = 4 * 7 * u32(*again, 44);
  EXPECT_EQ(again->bytes.substr(112, poses), at_100->bytes.substr(112, poses));
  page.say(R"({"type":"speed","speed":4})");
  page.say(R"({"type":"record","do":"play"})");
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 40) == 200; }));

  page.say(R"({"type":"record","do":"export","name":"incline-1"})");
  EXPECT_FALSE(page.wait_for("/recordings/incline-1.csv").empty());
  const std::string request = "GET /recordings/incline-1.csv?token=" + watched.token() +
                              " HTTP/1.1\r\nHost: " + watched.host() + "\r\n\r\n";
  const std::string table = test::ask(watched.port(), request);
  EXPECT_EQ(test::status_of(table), 200);
  EXPECT_NE(table.find("attachment"), std::string::npos);
  EXPECT_GE(std::count(table.begin(), table.end(), '\n'), 201);

  page.say(R"({"type":"hand","hand":0,"position":[0,0,0],"orientation":[0,0,0,1]})");
  EXPECT_FALSE(page.wait_for("cannot be touched").empty());
  page.say(R"({"type":"record","do":"close"})");
  EXPECT_TRUE(frame_where(page, [](const Message& f) { return (u32(f, 12) & 4) == 0; }));
}

TEST(Viewing, ComparesTheFrameByAllMethods) {
  WatchedScene watched("press_and_slide", true);
  PageClient page(watched.port(), watched.token());
  page.say(R"({"type":"step","count":200})");
  page.say(R"({"type":"compare"})");
  const auto first = nlohmann::json::parse(page.wait_for("\"comparison\"", 30.0), nullptr, false);
  EXPECT_EQ(first["of"], 9);
  EXPECT_TRUE(first["next"].is_string()) << "told as it goes on";
  const auto answer = nlohmann::json::parse(page.wait_for("\"next\":null", 60.0), nullptr, false);
  ASSERT_EQ(answer["methods"].size(), 9U);
  EXPECT_EQ(answer["methods"][0]["name"], "exact");
  EXPECT_GT(answer["methods"][0]["normal_force_N"], 0.0);
  EXPECT_EQ(answer["methods"][0]["difference_percent"], 0.0);
  EXPECT_GT(answer["methods"][2]["difference_percent"], 0.0);
}

// pyramids of 16 sides over the 138 contacts of the stack are half a minute's work
class LongComparison : public testing::Test {
 protected:
  void SetUp() override {
    page.say(R"({"type":"step","count":3})");
    ASSERT_TRUE(frame_where(page, [](const Message& f) { return u32(f, 40) == 3; }));
    page.say(R"({"type":"compare"})");
    ASSERT_FALSE(page.wait_for("\"next\":\"pyramid-8\"", 60.0).empty());
  }
  WatchedScene watched{"brick_stack", true};
  PageClient page{watched.port(), watched.token()};
};

TEST_F(LongComparison, IsGivenUpForAnythingElse) {
  page.say(R"({"type":"cancel"})");
  const auto answer = nlohmann::json::parse(page.wait_for("\"next\":null", 20.0), nullptr, false);
  EXPECT_GE(answer["methods"].size(), 3U);
  EXPECT_LT(answer["methods"].size(), 9U);
  page.say(R"({"type":"compare"})");
  ASSERT_FALSE(page.wait_for("\"next\":\"pyramid-8\"", 60.0).empty());
  page.say(R"({"type":"run"})");
  EXPECT_TRUE(frame_where(
      page, [](const Message& f) { return runs(f) && u32(f, 40) > 3; }, 20.0));
}

TEST_F(LongComparison, DoesNotKeepTheEngineFromEnding) {
  const auto start = std::chrono::steady_clock::now();
  watched.stop();
  // a pivot takes some ten milliseconds
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Viewing, SolversWithoutFrictionAreOfferedWhereThereIsNone) {
  WatchedScene watched("incline", true);
  PageClient page(watched.port(), watched.token());
  const auto offers_lemke = [](const nlohmann::json& message) {
    for (const auto& parameter : message["parameters"]) {
      if (parameter["path"] != "simulation.solver") continue;
      const std::string choices = parameter["choices"].dump();
      EXPECT_NE(choices.find("block-gauss-seidel"), std::string::npos);
      return choices.find("frictionless-lemke") != std::string::npos;
    }
    return false;
  };
  EXPECT_FALSE(offers_lemke(nlohmann::json::parse(page.next()->bytes)));
  page.say(R"({"type":"set","path":"contact.friction","value":0})");
  const std::string without = page.wait_for("\"parameters\",\"scene\":1");
  EXPECT_TRUE(offers_lemke(nlohmann::json::parse(without, nullptr, false)));
  page.say(R"({"type":"set","path":"simulation.solver","value":"frictionless-lemke"})");
  EXPECT_FALSE(page.wait_for("\"parameters\",\"scene\":1").empty());
  page.say(R"({"type":"set","path":"contact.friction","value":0.3})");
  EXPECT_FALSE(page.wait_for("knows no friction").empty());
}

TEST(Viewing, TheFirstHoldsTheControlsAndTheyPassOn) {
  WatchedScene watched("incline");
  auto first = std::make_unique<PageClient>(watched.port(), watched.token());
  ASSERT_TRUE(first->next_frame());
  PageClient second(watched.port(), watched.token());
  EXPECT_FALSE(second.wait_for("\"controls\":false").empty());
  EXPECT_TRUE(second.next_frame());
  second.say(R"({"type":"pause"})");
  EXPECT_FALSE(second.wait_for("another viewer holds the controls").empty());
  first->say(R"({"type":"pause"})");
  EXPECT_TRUE(frame_where(second, [](const Message& f) { return !runs(f); }));
  first.reset();
  EXPECT_FALSE(second.wait_for("\"controls\":true").empty());
  second.say(R"({"type":"run"})");
  EXPECT_TRUE(frame_where(second, [](const Message& f) { return runs(f); }));
}

/// Steps that a scene makes in a while.
std::uint32_t steps_while(PageClient& page, const std::function<void()>& happening) {
  const auto step_now = [&] {
    const auto frame = page.next_frame();
    return frame ? u32(*frame, 40) : 0;
  };
  const std::uint32_t before = step_now();
  happening();
  // what has waited meanwhile is old
  step_now();
  step_now();
  return step_now() - before;
}

TEST(Viewing, GoesOnWhateverClientsDo) {
  WatchedScene watched("incline");
  PageClient page(watched.port(), watched.token());
  // as many threads as an attack keeps busy, but busy with themselves
  const std::uint32_t in_peace = steps_while(page, [] {
    const auto spin = [end = std::chrono::steady_clock::now() + std::chrono::seconds(1)] {
      while (std::chrono::steady_clock::now() < end) {
      }
    };
    std::thread other(spin);
    spin();
    other.join();
  });
  ASSERT_GT(in_peace, 0U);
  const std::uint32_t under_attack = steps_while(page, [&] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    std::vector<RawClient> idle;
    for (int k = 0; k < 500; ++k) idle.emplace_back(watched.port());
    std::string many;
    for (int k = 0; k < 1000; ++k)
      many += PageClient::frame(PageClient::text, "{\"type\":\"run\"}");
    while (std::chrono::steady_clock::now() < end) {
      PageClient flood(watched.port(), watched.token());
      while (flood.raw().send(many) && !flood.raw().is_closed() &&
             std::chrono::steady_clock::now() < end) {
        flood.raw().receive(10);
      }
      test::ask(watched.port(), std::string(100'000, '\0'));
    }
  });
  EXPECT_GT(under_attack, 0.7 * in_peace);
}

}  // namespace
}  // namespace stickslip::viewer
