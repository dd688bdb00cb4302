#include "apps/viewer/http_guard.hpp"

#include <gtest/gtest.h>

namespace stickslip::viewer {
namespace {

TEST(AllowedHosts, AreThisMachineByItsOwnNamesAndThePort) {
  const AllowedHosts hosts("", 8484);
  for (const char* good : {"127.0.0.1:8484", "[::1]:8484", "localhost:8484", "LocalHost:8484"}) {
    EXPECT_TRUE(hosts.allows_host(good)) << good;
    EXPECT_TRUE(hosts.allows_origin(std::string("http://") + good)) << good;
  }
  for (const char* bad :
       {"", "127.0.0.1", "127.0.0.1:8485", "127.0.0.1:84840", "127.0.0.1:08484", "evil.com:8484",
        "localhost.evil.com:8484", "evil.com@localhost:8484", "localhost:8484.evil.com",
        " localhost:8484", "localhost:8484 ", "127.0.0.1:8484\t", "::1:8484", "127.1:8484",
        "2130706433:8484", "0.0.0.0:8484", "localhost:8484,evil.com", "127.0.0.1.nip.io:8484"}) {
    EXPECT_FALSE(hosts.allows_host(bad)) << bad;
  }
  for (const char* bad : {"", "null", "https://localhost:8484", "http://localhost",
                          "localhost:8484", "http://localhost:8484/", "http://evil.com", "file://",
                          "http://localhost:8484@evil.com", "http://http://localhost:8484"}) {
    EXPECT_FALSE(hosts.allows_origin(bad)) << bad;
  }
}

TEST(AllowedHosts, OfAnotherAddressAreThatAddressAlone) {
  const AllowedHosts hosts("192.168.1.5", 9000);
  EXPECT_TRUE(hosts.allows_host("192.168.1.5:9000"));
  EXPECT_FALSE(hosts.allows_host("127.0.0.1:9000"));
  EXPECT_TRUE(AllowedHosts("fe80::1", 9000).allows_host("[fe80::1]:9000"));
}

TEST(Target, HasOneSpelling) {
  ASSERT_TRUE(parse_target("/main.js"));
  EXPECT_EQ(parse_target("/main.js")->path, "/main.js");
  const auto target = parse_target("/socket?a=1&token=abc&b=2");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/socket");
  EXPECT_EQ(target->token, "abc");
  EXPECT_EQ(parse_target("/?token=")->token, "");
  EXPECT_EQ(parse_target("/?xtoken=abc")->token, "");

  for (const char* bad :
       {"", "main.js", "/../main.js", "/..", "/%2e%2e/etc/passwd", "/..%2fetc", "/%2e/", "/a/../b",
        "/a\\..\\b", "/..%5c..", "/%252e%252e/", "/\xc0\xae\xc0\xae/", "//etc/passwd",
        "http://localhost/", "/a b", "/%00", "/....//", "/;/", "*"}) {
    EXPECT_FALSE(parse_target(bad)) << bad;
  }
  EXPECT_FALSE(parse_target("/" + std::string(1000, 'a')));
}

TEST(Token, IsNewEveryTimeAndComparedWhole) {
  const std::string token = make_token();
  EXPECT_EQ(token.size(), 32U);
  EXPECT_NE(token, make_token());
  EXPECT_TRUE(is_good_token(token));
  EXPECT_FALSE(is_good_token("short"));
  EXPECT_FALSE(is_good_token(std::string(20, ' ')));
  EXPECT_TRUE(is_same_token(token, token));
  for (const std::string& wrong : {std::string(), token.substr(1), token + "0", token + token,
                                   token.substr(0, 31) + "x", std::string(32, '\0')}) {
    EXPECT_FALSE(is_same_token(wrong, token)) << wrong;
  }
}

}  // namespace
}  // namespace stickslip::viewer
