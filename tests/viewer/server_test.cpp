#include "apps/viewer/server.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "stickslip/error.hpp"
#include "tests/viewer/page_client.hpp"

namespace stickslip::viewer {
namespace {

using test::ask;
using test::PageClient;
using test::RawClient;
using test::status_of;
using test::upgrade_request;

/// A server with nothing to show.
class ServerTest : public testing::Test {
 protected:
  std::string get(const std::string& target) const {
    return ask(server.port(), "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  Exchange exchange;
  Server server{ServerOptions{}, exchange};
  std::string host = "127.0.0.1:" + std::to_string(server.port());
  std::string socket_target = "/socket?token=" + server.token();
};

TEST_F(ServerTest, GivesThePageWithAStrictPolicy) {
  const std::string answer = get("/?token=whatever");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_NE(answer.find("default-src 'none'; script-src 'self'"), std::string::npos);
  EXPECT_NE(answer.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(answer.find("X-Content-Type-Options: nosniff"), std::string::npos);
  EXPECT_NE(answer.find("Content-Type: text/html"), std::string::npos);
  EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
  EXPECT_EQ(status_of(get("/nothing.js")), 404);
}

TEST_F(ServerTest, AnswersHeadWithoutABody) {
  const std::string answer = ask(server.port(), "HEAD / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_TRUE(answer.ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, TellsItsStatusToWhoHasTheToken) {
  EXPECT_EQ(status_of(get("/status?token=" + server.token())), 200);
  EXPECT_EQ(status_of(get("/status?token=0")), 403);
  EXPECT_EQ(status_of(get("/status")), 403);
}

TEST_F(ServerTest, RefusesMethodsOtherThanGetAndHead) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT"}) {
    const std::string answer =
        ask(server.port(), std::string(method) + " / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
    EXPECT_TRUE(status_of(answer) == 405 || status_of(answer) == 400) << method << answer;
  }
}

TEST_F(ServerTest, RefusesForgedHosts) {
  const std::string port = std::to_string(server.port());
  for (const std::string& fields :
       {std::string(""), std::string("Host: evil.com\r\n"), "Host: evil.com:" + port + "\r\n",
        std::string("Host: 127.0.0.1\r\n"), "Host: 127.0.0.1.evil.com:" + port + "\r\n",
        "Host: " + host + "\r\nHost: evil.com\r\n", "Host: evil.com\r\nHost: " + host + "\r\n",
        "Host: " + host + ", evil.com\r\n", "Host: user@" + host + "\r\n"}) {
    for (const char* target : {"/", "/socket"}) {
      const std::string answer =
          ask(server.port(), "GET " + std::string(target) + " HTTP/1.1\r\n" + fields + "\r\n");
      EXPECT_TRUE(status_of(answer) == 403 || status_of(answer) == 400) << fields << answer;
    }
  }
}

TEST_F(ServerTest, RefusesPathsThatLeadElsewhere) {
  for (const char* target : {"/../../../../etc/passwd",
                             "/..%2f..%2f..%2fetc%2fpasswd",
                             "/%2e%2e/%2e%2e/etc/passwd",
                             "/%252e%252e%252fetc%252fpasswd",
                             "/..\\..\\etc\\passwd",
                             "/%5c..%5c..%5cetc",
                             "/%c0%ae%c0%ae/etc/passwd",
                             "/.%00./etc/passwd",
                             "//etc/passwd",
                             "/./index.html",
                             "/....//....//etc/passwd",
                             "/;/../etc/passwd",
                             "http://evil.com/",
                             "/index.html/../../x",
                             "/recordings/../../etc/passwd",
                             "/recordings/%2e%2e%2fx.csv",
                             "/recordings/.csv",
                             "/recordings//etc/passwd",
                             "/assets/..;/..;/etc/passwd",
                             "*",
                             "/index.html%00.js"}) {
    const int status = status_of(get(target));
    EXPECT_TRUE(status == 400 || status == 404 || status == 403) << target << " " << status;
    const int with_token = status_of(get(std::string(target) + "?token=" + server.token()));
    EXPECT_TRUE(with_token == 400 || with_token == 404) << target << " " << with_token;
  }
}

TEST_F(ServerTest, RefusesWhatIsNoRequest) {
  for (const std::string& text :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"), std::string(64, '\xff') + "\r\n\r\n",
        "GET / HTTP/9.9\r\nHost: " + host + "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: " + host + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "GET / HTTP/1.1\r\nHost: " + host + "\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n",
        "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n"}) {
    const int status = status_of(ask(server.port(), text));
    EXPECT_TRUE(status == 0 || status == 400 || status == 431) << status << text.substr(0, 80);
  }
  EXPECT_EQ(status_of(get("/")), 200);
}

TEST_F(ServerTest, LetsOnlyItsOwnPageWithTheTokenConnect) {
  const std::string origin = "http://" + host;
  EXPECT_EQ(PageClient(server.port(), server.token()).status(), 101);
  const auto status = [&](const std::string& target, const std::string& from) {
    return status_of(ask(server.port(), upgrade_request(target, host, from)));
  };
  EXPECT_EQ(status(socket_target, ""), 403);
  for (const char* forged : {"http://evil.com", "null", "https://127.0.0.1", "file://"}) {
    EXPECT_EQ(status(socket_target, forged), 403) << forged;
  }
  EXPECT_EQ(status(socket_target, origin + ".evil.com"), 403);
  EXPECT_EQ(status("/socket", origin), 403);
  EXPECT_EQ(status("/socket?token=", origin), 403);
  EXPECT_EQ(status("/socket?token=" + server.token().substr(1), origin), 403);
  EXPECT_EQ(status("/socket?token=" + server.token() + "0", origin), 403);
  EXPECT_EQ(status(socket_target + "x&token=1", origin), 403);
  EXPECT_EQ(status_of(get(socket_target)), 426);
}

TEST_F(ServerTest, TokensOfTwoLaunchesDiffer) {
  Exchange other;
  const Server second({}, other);
  EXPECT_NE(second.token(), server.token());
  EXPECT_EQ(PageClient(second.port(), server.token()).status(), 403);
}

TEST_F(ServerTest, ListensOnLoopbackOnly) {
  // whatever address the machine has besides, nobody answers there
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(server.port());
  any.sin_addr.s_addr = htonl(0x7f000002);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_NE(::connect(socket, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
  ::close(socket);
  Exchange other;
  const auto at = [](const std::string& address, std::uint16_t port) {
    ServerOptions options;
    options.address = address;
    options.port = port;
    return options;
  };
  EXPECT_THROW(Server(at("0.0.0.0", 0), other), InputError);
  EXPECT_THROW(Server(at("not an address", 0), other), InputError);
  EXPECT_THROW(Server(at("", server.port()), other), InputError);
  const Server elsewhere(at("127.0.0.2", 0), other);
  EXPECT_EQ(elsewhere.url().rfind("http://127.0.0.2:", 0), 0U);
}

TEST_F(ServerTest, ClosesOnMessagesThatAreTooBigOrBinary) {
  const auto code_after = [&](const std::string& bytes) {
    PageClient page(server.port(), server.token());
    EXPECT_EQ(page.status(), 101);
    page.raw().send(bytes);
    return page.close_code();
  };
  EXPECT_EQ(code_after(PageClient::frame(PageClient::text, std::string(5000, ' '))), 1009);
  EXPECT_EQ(code_after(PageClient::frame(PageClient::text, std::string(100'000, ' '))), 1009);
  EXPECT_EQ(code_after(PageClient::frame(PageClient::binary, "x")), 1003);
  // in pieces that are small enough each
  std::string pieces = PageClient::frame(PageClient::text, std::string(1000, ' '), false);
  for (int k = 0; k < 10; ++k) {
    pieces += PageClient::frame(PageClient::continuation, std::string(1000, ' '), false);
  }
  EXPECT_EQ(code_after(pieces), 1009);
  // not of the protocol: no mask, reserved bits, a control frame that is too long
  EXPECT_EQ(code_after(std::string("\x81\x02{}", 4)), 1002);
  EXPECT_EQ(code_after(std::string("\xf1\x80\0\0\0\0", 6)), 1002);
  EXPECT_EQ(code_after(PageClient::frame(PageClient::ping, std::string(126, 'x'))), 1002);
}

TEST_F(ServerTest, AMessageInPiecesIsOneMessage) {
  PageClient page(server.port(), server.token());
  std::string bytes = PageClient::frame(PageClient::text, "{\"type\":", false);
  bytes += PageClient::frame(PageClient::continuation, "\"non", false);
  bytes += PageClient::frame(PageClient::continuation, "sense\"}");
  page.raw().send(bytes);
  EXPECT_NE(page.wait_for("nonsense").find("\"error\""), std::string::npos);
}

TEST_F(ServerTest, ClosesOnWhoSpeaksTooMuch) {
  for (const PageClient::Opcode opcode : {PageClient::text, PageClient::ping}) {
    PageClient page(server.port(), server.token());
    std::string many;
    for (int k = 0; k < 1000; ++k)
      many += PageClient::frame(opcode, "{\"type\":\"take_controls\"}");
    int sent = 0;
    while (sent < 10'000'000 && page.raw().send(many)) {
      sent += 1000;
      while (page.raw().receive(0)) {
      }
      if (page.raw().is_closed()) break;
    }
    EXPECT_LT(sent, 10'000'000);
  }
  EXPECT_EQ(PageClient(server.port(), server.token()).status(), 101);
}

TEST_F(ServerTest, HasRoomForEightViewers) {
  std::vector<PageClient> pages;
  for (int k = 0; k < 8; ++k) {
    pages.emplace_back(server.port(), server.token());
    EXPECT_EQ(pages.back().status(), 101);
  }
  pages[7].wait_for("controls");
  EXPECT_EQ(PageClient(server.port(), server.token()).status(), 503);
  pages.pop_back();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(PageClient(server.port(), server.token()).status(), 101);
}

TEST_F(ServerTest, FiveHundredIdleConnectionsKeepNobodyOut) {
  PageClient watching(server.port(), server.token());
  std::vector<RawClient> idle;
  for (int k = 0; k < 500; ++k) {
    idle.emplace_back(server.port());
    // some begin to speak and never end
    if (k % 2 == 0) idle.back().send("GET / HTTP/1.1\r\nHost:");
  }
  EXPECT_EQ(status_of(get("/")), 200);
  EXPECT_EQ(PageClient(server.port(), server.token()).status(), 101);
  watching.say("{\"type\":\"nonsense\"}");
  EXPECT_FALSE(watching.wait_for("nonsense").empty());
  // all but those that there is room for were let go at once
  int left = 0;
  for (RawClient& client : idle) {
    client.receive(0);
    if (!client.is_closed()) ++left;
  }
  EXPECT_LE(left, 64);
}

TEST_F(ServerTest, LetsGoOfWhoDoesNotComeToTheEnd) {
  RawClient slow(server.port());
  const auto start = std::chrono::steady_clock::now();
  slow.send("GET / HTTP/1.1\r\n");
  while (!slow.is_closed() && std::chrono::steady_clock::now() - start < std::chrono::seconds(9)) {
    slow.send("X: y\r\n");
    slow.receive(500);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

}  // namespace
}  // namespace stickslip::viewer
