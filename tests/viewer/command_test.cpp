#include "apps/viewer/command.hpp"

#include <gtest/gtest.h>

#include <string>

namespace stickslip::viewer {
namespace {

Command command_of(const std::string& text) {
  const PageMessage message = parse_message(text);
  EXPECT_TRUE(std::holds_alternative<Command>(message)) << text;
  return std::holds_alternative<Command>(message) ? std::get<Command>(message) : Command{};
}

TEST(Command, IsTakenAsItWasSaid) {
  EXPECT_EQ(command_of(R"({"type":"pause"})").kind, Command::Kind::pause);
  EXPECT_EQ(command_of(R"({"type":"record","do":"play"})").kind, Command::Kind::run);
  EXPECT_EQ(command_of(R"({"type":"step","count":12})").count, 12);
  EXPECT_EQ(command_of(R"({"type":"step"})").count, 1);
  EXPECT_DOUBLE_EQ(command_of(R"({"type":"speed","speed":0.25})").speed, 0.25);
  const Command set = command_of(R"({"type":"set","path":"contact.friction","value":0.5})");
  EXPECT_EQ(set.name, "contact.friction");
  EXPECT_EQ(set.value, "0.5");
  EXPECT_EQ(command_of(R"({"type":"set","path":"simulation.solver","value":"auto"})").value,
            "\"auto\"");
  const Command hand = command_of(
      R"({"type":"hand","hand":1,"position":[0.1,-0.2,0.3],"orientation":[0,0,0.6,0.8]})");
  EXPECT_EQ(hand.hand, 1);
  EXPECT_EQ(hand.pose.position, Vec3(0.1, -0.2, 0.3));
  EXPECT_NEAR(hand.pose.orientation.w(), 0.8, 1e-12);
}

TEST(Command, AsksTheServerItself) {
  EXPECT_EQ(std::get<Ack>(parse_message(R"({"type":"ack","frame":7})")).frame, 7U);
  const Show show = std::get<Show>(parse_message(R"({"type":"show","field":"stress"})"));
  EXPECT_TRUE(show.has_field);
  EXPECT_EQ(show.field, Field::stress);
  EXPECT_FALSE(show.has_delassus);
}

TEST(Command, IsRefusedWhereItIsNotOfItsForm) {
  for (const char* bad :
       {"",
        "x",
        "[]",
        "1",
        "{}",
        R"({"type":1})",
        R"({"type":"nothing"})",
        R"({"type":"step","count":0})",
        R"({"type":"step","count":1001})",
        R"({"type":"step","count":1.5})",
        R"({"type":"step","count":"1"})",
        R"({"type":"speed"})",
        R"({"type":"speed","speed":0})",
        R"({"type":"speed","speed":1e9})",
        R"({"type":"scene","name":"../../etc/passwd"})",
        R"({"type":"scene","name":""})",
        R"({"type":"scene","name":".hidden"})",
        R"({"type":"scene","name":"a/b"})",
        R"({"type":"set","path":"contact.friction"})",
        R"({"type":"set","path":"contact.friction","value":[1]})",
        R"({"type":"set","path":"contact.friction","value":"0\nname=1"})",
        R"({"type":"set","path":"contact.friction=1 ","value":1})",
        R"({"type":"hand","hand":0})",
        R"({"type":"hand","hand":-1,"position":[0,0,0],"orientation":[0,0,0,1]})",
        R"({"type":"hand","hand":0,"position":[0,0],"orientation":[0,0,0,1]})",
        R"({"type":"hand","hand":0,"position":[0,0,1e9],"orientation":[0,0,0,1]})",
        R"({"type":"hand","hand":0,"position":[0,0,null],"orientation":[0,0,0,1]})",
        R"({"type":"hand","hand":0,"position":[0,0,0],"orientation":[0,0,0,0]})",
        R"({"type":"record"})",
        R"({"type":"record","do":"erase"})",
        R"({"type":"record","do":"open","name":"/etc/passwd"})",
        R"({"type":"record","do":"go","step":-1})",
        R"({"type":"ack","frame":-1})",
        R"({"type":"ack"})",
        R"({"type":"show","field":"heat"})",
        R"({"type":"show","delassus":1})"}) {
    EXPECT_TRUE(std::holds_alternative<Refusal>(parse_message(bad))) << bad;
  }
  EXPECT_TRUE(std::holds_alternative<Refusal>(parse_message(std::string(4000, '['))));
}

}  // namespace
}  // namespace stickslip::viewer
