#include "stickslip/devices/haply_device.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "stickslip/devices/device_doctor.hpp"
#include "stickslip/math/rotation.hpp"
#include "tests/devices/haply_service.hpp"
#include "tests/support/allocations.hpp"

namespace stickslip {
namespace {

using testing_support::HaplyService;
using Manner = HaplyService::Manner;

HaplyOptions options_for(const HaplyService& service) {
  HaplyOptions options;
  options.host = "127.0.0.1";
  options.port = service.port();
  options.device_id = "049D";
  return options;
}

/// Ticks of a loop until something is the case; false after five seconds.
bool tick_until(HaplyDevice& device, const std::function<bool(bool, const DeviceReading&)>& holds,
                const Vec6& wrench = Vec6::Zero()) {
  DeviceReading reading;
  for (int i = 0; i < 5000; ++i) {
    const bool is_there = device.read(reading);
    if (holds(is_there, reading)) return true;
    device.write(wrench);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

bool is_there(bool there, const DeviceReading& /*reading*/) {
  return there;
}
bool is_lost(bool there, const DeviceReading& /*reading*/) {
  return !there;
}

TEST(HaplyDevice, ReadsPoseVelocityAndButtonsAndSendsTheForce) {
  HaplyService service;
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  Vec6 wrench = Vec6::Zero();
  wrench << 0.25, -0.5, 1.5, 7.0, 7.0, 7.0;
  ASSERT_TRUE(tick_until(
      device, [](bool, const DeviceReading& reading) { return reading.sequence > 300; }, wrench));
  DeviceReading reading;
  device.read(reading);
  EXPECT_EQ(reading.position.y(), 0.02);
  EXPECT_GT(reading.position.x(), 0.0);
  EXPECT_EQ(reading.velocity, Vec3(0.1, 0.0, -0.2));
  EXPECT_EQ(reading.buttons, 0b110u);
  EXPECT_NEAR(reading.orientation.norm(), 1.0, 1e-12);
  EXPECT_NEAR(reading.angular_velocity.z(), 1.5, 0.5);

  const auto first = nlohmann::json::parse(service.first_message());
  EXPECT_EQ(first["session"]["configure"]["basis"]["permutation"], "XYZ");
  const auto last = nlohmann::json::parse(service.last_message());
  EXPECT_FALSE(last.contains("session"));
  EXPECT_EQ(last["inverse3"][0]["device_id"], "049D");
  const auto vector = last["inverse3"][0]["commands"]["set_cursor_force"]["vector"];
  EXPECT_EQ(vector["x"], 0.25);
  EXPECT_EQ(vector["y"], -0.5);
  EXPECT_EQ(vector["z"], 1.5);
}

TEST(HaplyDevice, ForceBecomesZeroWhenTheLoopFallsSilent) {
  HaplyService service;
  HaplyOptions options = options_for(service);
  options.force_key = "values";
  HaplyDevice device(options);
  ASSERT_TRUE(device.wait_for_device(5.0));
  device.write(Vec6::Ones());
  const auto sent_x = [&] {
    const auto json = nlohmann::json::parse(service.last_message());
    return json["inverse3"][0]["commands"]["set_cursor_force"]["values"]["x"].get<double>();
  };
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(sent_x(), 0.0);
  // states go on coming; the loop is told once that its force was dropped
  DeviceReading reading;
  EXPECT_FALSE(device.read(reading));
  EXPECT_TRUE(device.read(reading));
}

TEST(HaplyDevice, IsLostWhenTheServiceMisbehavesAndComesBack) {
  HaplyService service;
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  for (const Manner manner : {Manner::late, Manner::garbled, Manner::lacking, Manner::not_ready,
                              Manner::mute, Manner::nowhere}) {
    SCOPED_TRACE(static_cast<int>(manner));
    service.behave(manner);
    EXPECT_TRUE(tick_until(device, is_lost));
    service.behave(Manner::sound);
    EXPECT_TRUE(tick_until(device, is_there));
  }
  EXPECT_GT(device.garbled(), 0u);
  const int connections = service.connections();
  service.hang_up();
  EXPECT_TRUE(tick_until(device, [&](bool there, const DeviceReading&) {
    return there && service.connections() > connections;
  }));
}

const Vec6 push = (Vec6() << 0.0, 0.0, 2.0, 0.0, 0.0, 0.0).finished();

/// Ticks of a loop that pushes, whatever it reads.
void push_for(HaplyDevice& device, int ticks) {
  DeviceReading reading;
  for (int i = 0; i < ticks; ++i) {
    device.read(reading);
    device.write(push);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(HaplyDevice, SilentServiceIsSentZeroForce) {
  HaplyService service;
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  ASSERT_TRUE(tick_until(
      device, [&](bool, const DeviceReading&) { return service.last_force() == 2.0; }, push));
  service.behave(Manner::mute);
  push_for(device, 150);
  const int before = service.messages();
  push_for(device, 400);
  EXPECT_GE(service.messages(), before + 5);
  EXPECT_EQ(service.last_force(), 0.0);
}

TEST(HaplyDevice, EndsAtZero) {
  HaplyService service;
  int before = 0;
  {
    HaplyDevice device(options_for(service));
    ASSERT_TRUE(device.wait_for_device(5.0));
    ASSERT_TRUE(tick_until(
        device, [&](bool, const DeviceReading&) { return service.last_force() == 2.0; }, push));
    before = service.messages();
  }
  EXPECT_EQ(service.last_force(), 0.0);
  EXPECT_GE(service.messages(), before + 3);
}

TEST(HaplyDevice, EndsInTimeWhenTheServiceHangs) {
  HaplyService service;
  service.behave(Manner::sound);
  auto device = std::make_unique<HaplyDevice>(options_for(service));
  ASSERT_TRUE(device->wait_for_device(5.0));
  service.behave(Manner::mute);
  push_for(*device, 20);
  const double start = steady_seconds();
  device.reset();
  EXPECT_LT(steady_seconds() - start, 2.0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(service.last_force(), 0.0);
}

TEST(HaplyDevice, StatesThatComeTwiceDoNotQueueUp) {
  HaplyService service;
  service.behave(Manner::twice);
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  push_for(device, 300);
  // the position tells how many messages the service had heard
  DeviceReading reading;
  int behind = 1000;
  ASSERT_TRUE(tick_until(device, [&](bool there, const DeviceReading& now) {
    behind = std::min(behind, service.messages() - static_cast<int>(1e6 * now.position.x() + 0.5));
    return there && behind < 10;
  })) << behind;
}

TEST(HaplyDevice, CopiesOfAStateThatTrickleInAreNoSignOfLife) {
  HaplyService service;
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  push_for(device, 50);
  // every 5 ms for 200 ms after each of our messages
  service.behave(Manner::trickle);
  EXPECT_TRUE(tick_until(device, is_lost, push));
  service.behave(Manner::sound);
  EXPECT_TRUE(tick_until(device, is_there, push));
}

TEST(HaplyDevice, LinkIsMeasured) {
  HaplyService service;
  HaplyDevice device(options_for(service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  push_for(device, 200);
  EXPECT_GT(device.link().delay_s, 1e-5);
  EXPECT_LT(device.link().delay_s, 0.1);
  EXPECT_GT(device.link().rate_hz, 20.0);
}

TEST(HaplyDevice, GoesByTheClockThatItIsGiven) {
  HaplyService service;
  HaplyOptions options = options_for(service);
  std::atomic<double> now = 100.0;
  options.clock = [&now] { return now.load(); };
  HaplyDevice device(options);
  ASSERT_TRUE(device.wait_for_device(5.0));
  service.behave(Manner::mute);
  DeviceReading reading;
  now = 100.09;
  EXPECT_TRUE(device.read(reading));
  EXPECT_NEAR(reading.age_s, 0.09, 1e-9);
  now = 100.11;
  EXPECT_FALSE(device.read(reading));
}

TEST(HaplyDevice, WaitsForAServiceThatGoesAndComesBack) {
  std::optional<HaplyService> service(std::in_place);
  const std::uint16_t port = service->port();
  HaplyDevice device(options_for(*service));
  ASSERT_TRUE(device.wait_for_device(5.0));
  service.reset();
  EXPECT_TRUE(tick_until(device, is_lost));
  service.emplace(port);
  EXPECT_TRUE(tick_until(device, is_there));
}

TEST(HaplyDevice, EndsWhileNobodyListens) {
  HaplyOptions options;
  options.host = "127.0.0.1";
  options.port = 1;
  HaplyDevice device(options);
  EXPECT_FALSE(device.wait_for_device(0.05));
}

TEST(HaplyDevice, MessagesLackingAnythingAreUnderstoodAsFarAsTheyGo) {
  EXPECT_FALSE(haply::parse("").has_value());
  EXPECT_FALSE(haply::parse("[1, 2]").has_value());
  EXPECT_FALSE(haply::parse("{\"inverse3\":").has_value());
  const auto empty = haply::parse("{}");
  ASSERT_TRUE(empty.has_value());
  EXPECT_TRUE(empty->devices.empty());
  const auto odd = haply::parse(
      R"({"inverse3":[3,{"device_id":5,"state":{"cursor_position":{"x":1,"y":"2","z":3}},
          "status":{"ready":"yes","calibrated":false}}],
          "verse_grip":[{"state":{"orientation":{"w":0,"x":0,"y":0,"z":0},"button":true}}]})");
  ASSERT_TRUE(odd.has_value());
  ASSERT_EQ(odd->devices.size(), 2u);
  EXPECT_FALSE(odd->devices[1].position.has_value());
  EXPECT_FALSE(odd->devices[1].status.ready.has_value());
  EXPECT_EQ(odd->devices[1].status.calibrated, false);
  ASSERT_EQ(odd->grips.size(), 1u);
  EXPECT_FALSE(odd->grips[0].orientation.has_value());
  EXPECT_EQ(odd->grips[0].buttons, 1u);
}

TEST(HaplyDevice, DoctorNamesTheStepThatFails) {
  HaplyService service;
  DeviceSpec spec = parse_device_spec("haply");
  spec.haply = options_for(service);
  DoctorOptions doctor;
  doctor.measure_s = 0.3;
  const auto last_step = [&] { return examine_device(spec, doctor).back(); };
  EXPECT_NE(last_step().health, Health::bad);
  EXPECT_EQ(last_step().name, "delay");

  service.behave(Manner::twice);
  EXPECT_EQ(last_step().name, "messages");
  service.behave(Manner::not_ready);
  EXPECT_EQ(last_step().name, "ready");
  EXPECT_EQ(last_step().health, Health::bad);
  service.behave(Manner::nowhere);
  EXPECT_EQ(last_step().name, "states");
  EXPECT_NE(last_step().message.find("no position"), std::string::npos);
  service.behave(Manner::garbled);
  EXPECT_EQ(last_step().name, "inventory");
  service.behave(Manner::sound);
  spec.haply.device_id = "BEEF";
  EXPECT_NE(last_step().message.find("0001, 049D"), std::string::npos);
  spec.haply.port = 1;
  EXPECT_EQ(last_step().name, "connect");
  EXPECT_EQ(last_step().health, Health::bad);
  EXPECT_FALSE(last_step().remedy.empty());
}

}  // namespace
}  // namespace stickslip
